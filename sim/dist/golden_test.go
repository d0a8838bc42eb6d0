package dist

import (
	"testing"

	"github.com/resilsim/resilsim/sim/engine"
)

// TestSameSamplesEverywhere folds 5000 samples of each shape and compares with what
// was written down once: every processor must meet it, and so must every release.
func TestSameSamplesEverywhere(t *testing.T) {
	want := []uint64{
		0xe3cb995fdf4bd0d8, 0x40969dd22a856098, 0xc27786a246052b2d, 0x2358072dc680d932,
		0x40969dd22a856098, 0x511c6a3d77dad1b1, 0x59756b72779739e7, 0x23f7c899ec012925,
		0x8f03baa01764d381, 0x7b81d5d59d4cbba5, 0xe905deb2d134b9f1, 0x8b6e1118305c935,
		0x1eb54fedc61e602f, 0x1eb54fedc61e602f, 0xb30365a9dbd4da99, 0x95aba0c3bd53c2b2,
		0xa98ac018b45f9373, 0xd9f670549abbc0e2, 0x23decdc574ade4c5, 0x7117ae7256d7b59e,
	}
	for i, sh := range allShapes() {
		hash := uint64(0xcbf29ce484222325)
		for request := range uint64(5000) {
			s := engine.Seed(5).Key(9, 0, request, 1).Stream()
			hash = (hash ^ uint64(sh.dist.Sample(&s))) * 0x100000001b3
		}
		if hash != want[i] {
			t.Errorf("%v: fold %#x, want %#x", sh.dist, hash, want[i])
		}
	}
}
