package drill

// nearest is the name that another was probably meant to be: with no more than every third letter wrong; empty if there is none.
func nearest(wrong string, names []string) string {
	near, least := "", (len(wrong)+2)/3
	for _, name := range names {
		if d := edits(wrong, name); d <= least && name != "" {
			near, least = name, d-1
		}
	}
	return near
}

// edits is how many letters must be added, left out or replaced to make one text of another (Levenshtein's distance).
func edits(from, to string) int {
	row := make([]int, len(to)+1) // for no letter of from, and then for one more each time
	for j := range row {
		row[j] = j
	}
	for i := range len(from) {
		diagonal := row[0]
		row[0]++
		for j := range len(to) {
			replaced := diagonal
			if from[i] != to[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
