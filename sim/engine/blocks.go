package engine

// bucket is a list of entries in the order of their arrival, held in blocks.
// All blocks but the last are full.
type bucket struct {
	last  *block // nil: none yet
	first uint32
	fill  uint32 // entries in the last block
	count uint32 // entries in all
}

const (
	blockEntries = 42 // a block is 1 KiB
	pageBits     = 4
	pageBlocks   = 1 << pageBits
)

type block struct {
	entries [blockEntries]entry
	next    uint32
	_       uint32
	_       uint64
}

// blocks is the pool that buckets take their blocks from. A block goes back as
// soon as it has been read, so that memory follows the entries that are pending;
// the pool never shrinks below its peak. Blocks are named by number: they hold no
// pointer.
type blocks struct {
	pages []*[pageBlocks]block
	free  uint32 // first of a list of unused blocks
	fresh uint32 // blocks from here on were never used; number 0 is none
	spare int    // length of the list of unused blocks
}

func (bs *blocks) init() { bs.fresh = 1 }

func (bs *blocks) at(i uint32) *block {
	return &bs.pages[i>>pageBits][i&(pageBlocks-1)]
}

func (bs *blocks) take() uint32 {
	if i := bs.free; i != 0 {
		bs.free = bs.at(i).next
		bs.spare--
		return i
	}
	i := bs.fresh
	if int(i>>pageBits) == len(bs.pages) {
		bs.pages = append(bs.pages, new([pageBlocks]block))
	}
	bs.fresh++
	return i
}

func (bs *blocks) give(i uint32) {
	bs.at(i).next = bs.free
	bs.free = i
	bs.spare++
}

// inUse is the number of blocks that hold entries.
func (bs *blocks) inUse() int { return int(bs.fresh) - 1 - bs.spare }

func (bs *blocks) add(b *bucket, e entry) {
	if b.last == nil || b.fill >= blockEntries {
		bs.extend(b)
	}
	b.last.entries[b.fill] = e
	b.fill++
	b.count++
}

func (bs *blocks) extend(b *bucket) {
	i := bs.take()
	if b.last == nil {
		b.first = i
	} else {
		b.last.next = i
	}
	b.last, b.fill = bs.at(i), 0
}

// reader walks over the entries of a bucket that was taken out, block by block,
// and gives each block back when it asks for the next.
type reader struct {
	blocks  *blocks
	left    uint32
	current uint32
	after   uint32
	entries []entry // of the current block
}

func (bs *blocks) read(b bucket) reader {
	return reader{blocks: bs, left: b.count, after: b.first}
}

func (r *reader) next() bool {
	if r.current != 0 {
		r.blocks.give(r.current)
		r.current = 0
	}
	if r.left == 0 {
		return false
	}
	b := r.blocks.at(r.after)
	n := min(r.left, blockEntries)
	r.current, r.entries = r.after, b.entries[:n]
	r.left -= n
	r.after = b.next
	return true
}
