package drill

import "fmt"

// renamedOracles are the names that oracles had in the release before, and those that they have now.
var renamedOracles = map[string]string{"same place": FinalState, "honest": Health}

// renameOracles puts the names that oracles have now in place of old ones, and says where.
func (d *Definition) renameOracles() []string {
	var notes []string
	for i, c := range d.Cases {
		for j, old := range c.Finds {
			if name, renamed := renamedOracles[old]; renamed {
				c.Finds[j] = name
				notes = append(notes, fmt.Sprintf("cases[%d].finds: write %q: %q will not be read any more in the next release", i, name, old))
			}
		}
	}
	return notes
}
