package grpcguard

import (
	"reflect"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/proto"
)

// answer is what one attempt writes into: never what the caller gave, since an attempt that
// was given up may still write while the caller reads.
type answer struct {
	reply   any
	header  metadata.MD
	trailer metadata.MD
	peer    peer.Peer
	opts    []grpc.CallOption
	err     error // an answer of the server that is no failure of it

	headers, trailers []*metadata.MD // the caller's
	peers             []*peer.Peer
}

func newAnswer(reply any, opts []grpc.CallOption) *answer {
	a := &answer{}
	if m, ok := reply.(proto.Message); ok {
		a.reply = m.ProtoReflect().New().Interface()
	} else {
		a.reply = reflect.New(reflect.TypeOf(reply).Elem()).Interface()
	}
	for _, o := range opts {
		switch o := o.(type) {
		case grpc.HeaderCallOption:
			a.headers = append(a.headers, o.HeaderAddr)
		case grpc.TrailerCallOption:
			a.trailers = append(a.trailers, o.TrailerAddr)
		case grpc.PeerCallOption:
			a.peers = append(a.peers, o.PeerAddr)
		default:
			a.opts = append(a.opts, o)
		}
	}
	a.opts = append(a.opts, grpc.Trailer(&a.trailer))
	if a.headers != nil {
		a.opts = append(a.opts, grpc.Header(&a.header))
	}
	if a.peers != nil {
		a.opts = append(a.opts, grpc.Peer(&a.peer))
	}
	return a
}

// settle gives the caller what this attempt was answered.
func (a *answer) settle(reply any) {
	a.settleMeta()
	if a.err != nil {
		return
	}
	if m, ok := reply.(proto.Message); ok {
		proto.Reset(m)
		proto.Merge(m, a.reply.(proto.Message))
		return
	}
	reflect.ValueOf(reply).Elem().Set(reflect.ValueOf(a.reply).Elem())
}

func (a *answer) settleMeta() {
	for _, h := range a.headers {
		*h = a.header
	}
	for _, t := range a.trailers {
		*t = a.trailer
	}
	for _, p := range a.peers {
		*p = a.peer
	}
}
