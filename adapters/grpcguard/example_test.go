package grpcguard_test

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/resilsim/resilsim/adapters/grpcguard"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/gate"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/retry"
)

// Example guards both sides of a call: the server has two places, and the client
// repeats what is down and may run twice.
func Example() {
	places, err := bulkhead.Compile(bulkhead.Config{MaxConcurrentCalls: 2})
	check(err)
	server, err := grpcguard.NewServer(gate.New(gate.NewSlots(places, nil)), grpcguard.ServerDefaults())
	check(err)
	again := retry.Defaults()
	again.Jitter = retry.A6
	p, err := grpcguard.NewPipeline([]pipeline.Policy{{Name: "retry", Retry: &again}})
	check(err)
	client, err := grpcguard.NewClient(p, grpcguard.ClientConfig{
		Idempotent: func(method string) bool { return method == "/test.Echo/Say" },
	})
	check(err)

	echo := &service{say: func(_ context.Context, n int32, in string) (string, error) {
		if n == 1 {
			return "", status.Error(codes.Unavailable, "starting")
		}
		return in, nil
	}}
	wire := bufconn.Listen(1 << 16)
	srv := grpc.NewServer(server.ServerOptions()...)
	srv.RegisterService(echo.desc(), echo)
	go srv.Serve(wire)
	defer srv.Stop()
	cc, err := grpc.NewClient("passthrough:///memory", append(client.DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableRetry(),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return wire.DialContext(ctx) }))...)
	check(err)
	defer cc.Close()

	got, err := say(context.Background(), cc, "hello")
	fmt.Println(got, err, "after", echo.asked.Load(), "attempts")
	// Output: hello <nil> after 2 attempts
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
