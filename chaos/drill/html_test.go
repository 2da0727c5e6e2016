package drill

import (
	"encoding/json"
	"os"
	"testing"
)

func TestScratch(t *testing.T) {
	in := os.Getenv("IN")
	if in == "" {
		t.Skip()
	}
	b, _ := os.ReadFile(in)
	type pr struct {
		PointResult
		Point string `json:"point"`
	}
	var raw struct {
		Summary   Summary
		Points    []pr
		Reference Timeline
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatal(err)
	}
	r := Report{Summary: raw.Summary, Reference: raw.Reference}
	for _, p := range raw.Points {
		p.PointResult.Point, _ = ParsePoint(p.Point)
		r.Points = append(r.Points, p.PointResult)
	}
	f, _ := os.Create(os.Getenv("OUT"))
	if err := r.WriteHTML(f); err != nil {
		t.Fatal(err)
	}
	f.Close()
}
