package reports

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestLook(t *testing.T) {
	for _, c := range stories() {
		name, r := c.name, c.r
		f, err := Incident(r, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if bad := f.scene.fault(); bad != "" {
			t.Errorf("%s: %s", name, bad)
		}
		if dir := os.Getenv("LOOK"); dir != "" {
			var svg, png bytes.Buffer
			t0 := time.Now()
			f.SVG(&svg)
			t1 := time.Now()
			f.PNG(&png)
			t.Log(name, "svg", svg.Len(), t1.Sub(t0), "png", png.Len(), time.Since(t1))
			os.WriteFile(filepath.Join(dir, name+".png"), png.Bytes(), 0o644)
			os.WriteFile(filepath.Join(dir, name+".svg"), svg.Bytes(), 0o644)
		}
	}
}
