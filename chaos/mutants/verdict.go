package mutants

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/twinloop/chaos/drill"
)

// CaughtBy is nil if a report of its drill convicts a mutant: each of its oracles objects at each of its points. The
// error says where and why the mutant lives.
func (m Mutant) CaughtBy(report *drill.Report) error {
	var lives []error
	for _, point := range m.Points {
		i := slices.IndexFunc(report.Points, func(r drill.PointResult) bool { return r.Point == point })
		if i < 0 {
			lives = append(lives, fmt.Errorf("%s: was not run", point))
			continue
		}
		if err := m.caughtAt(report.Points[i]); err != nil {
			lives = append(lives, fmt.Errorf("%s: %w", point, err))
		}
	}
	return errors.Join(lives...)
}

func (m Mutant) caughtAt(result drill.PointResult) error {
	if result.Verdict != drill.Failed {
		return errors.New(string(result.Verdict))
	}
	var objected []string
	for _, finding := range result.Findings {
		objected = append(objected, finding.Oracle)
	}
	for _, oracle := range m.Oracles {
		if !slices.Contains(objected, oracle) {
			return fmt.Errorf("failed, but not by %q: it was %s that objected", oracle, strings.Join(objected, ", "))
		}
	}
	return nil
}
