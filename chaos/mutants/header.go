package mutants

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/twinloop/chaos/drill"
)

// readHeader reads the lines before the diff, which begin with #: what the mistake is, an empty line, and the fields.
// Its errors name the file and the line.
func (m *Mutant) readHeader(file, patch string) error {
	var says []string
	inFields := false
	number := 0
	for line := range strings.Lines(patch) {
		text, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		number++
		switch text = strings.TrimSpace(text); {
		case text == "":
			inFields = true
		case !inFields:
			says = append(says, text)
		default:
			if err := m.readField(text); err != nil {
				return fmt.Errorf("%s:%d: %w", file, number, err)
			}
		}
	}
	m.Says = strings.Join(says, " ")
	if err := m.complete(); err != nil {
		return fmt.Errorf("%s:%d: %w", file, max(number, 1), err)
	}
	return nil
}

func (m *Mutant) readField(text string) error {
	name, value, _ := strings.Cut(text, ": ")
	switch name {
	case "drill":
		if m.Drill != "" {
			return errors.New("drill: given twice")
		}
		if !slices.Contains(drill.Names(), value) {
			return fmt.Errorf("drill: %q is none of %s", value, strings.Join(drill.Names(), ", "))
		}
		m.Drill = value
	case "oracle":
		if !slices.Contains(drill.Oracles, value) {
			return fmt.Errorf("oracle: %q is none of %s", value, strings.Join(drill.Oracles, ", "))
		}
		m.Oracles = append(m.Oracles, value)
	case "point":
		point, err := drill.ParsePoint(value)
		if err != nil {
			return err
		}
		m.Points = append(m.Points, point)
	case "suite":
		if !strings.HasPrefix(value, "Test") {
			return fmt.Errorf("suite: %q is no name of a test in shared/suite", value)
		}
		m.Suite = value
	default:
		return fmt.Errorf("unknown field %q: want `drill: `, `oracle: `, `point: ` or `suite: `", text)
	}
	return nil
}

func (m *Mutant) complete() error {
	switch {
	case m.Says == "":
		return errors.New("begin with what the mistake is, in lines that start with #")
	case m.Suite != "" && m.Drill == "" && len(m.Oracles)+len(m.Points) == 0:
		return nil
	case m.Suite != "":
		return errors.New("suite: a mistake is caught by a test of the suite or by a drill; name one of them")
	case m.Drill == "":
		return errors.New("drill: missing; name the one that must catch the mistake, or a test of the suite")
	case len(m.Oracles) == 0:
		return errors.New("oracle: missing; name what must object")
	case len(m.Points) == 0:
		return errors.New("point: missing; name where, as in `roll: POST pods #3, after`")
	}
	return nil
}
