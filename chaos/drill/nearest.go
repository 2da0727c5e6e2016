package drill

import "github.com/agnivade/levenshtein"

// nearest is the name that another was probably meant to be: with no more than every third letter wrong; empty if there is none.
func nearest(wrong string, names []string) string {
	near, least := "", (len(wrong)+2)/3
	for _, name := range names {
		if d := levenshtein.ComputeDistance(wrong, name); d <= least && name != "" {
			near, least = name, d-1
		}
	}
	return near
}
