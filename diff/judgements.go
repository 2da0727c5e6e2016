package diff

import (
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"
)

// verdict says what a scaffolded file is to somebody who writes the operator by hand.
type verdict string

const (
	replaces verdict = "replaces" // it does what was written by hand
	adds     verdict = "adds"     // nothing was written by hand for it
	differs  verdict = "differs"  // both are there, and they do not do the same
)

// judgements are what no program can tell.
type judgements struct {
	// Scaffold are kubebuilder's commands, without its name.
	Scaffold []string `json:"scaffold"`
	// Files are the scaffolded files, by their path below kubebuilder/.
	Files []judgement `json:"files"`
}

type judgement struct {
	Path    string  `json:"path"`
	Verdict verdict `json:"verdict"`
	// Does is what the file does, ByHand where the same is done by hand.
	Does   string     `json:"does"`
	ByHand []citation `json:"byHand,omitempty"`
}

func readJudgements(content string) (judgements, error) {
	var j judgements
	if err := yaml.UnmarshalStrict([]byte(content), &j); err != nil {
		return j, fmt.Errorf("judgements.yaml: %w", err)
	}
	seen := map[string]bool{}
	for i, file := range j.Files {
		switch {
		case file.Path == "" || file.Does == "":
			return j, fmt.Errorf("judgements.yaml: files[%d] needs a path and what the file does", i)
		case seen[file.Path]:
			return j, fmt.Errorf("judgements.yaml: files[%d]: %s is judged twice", i, file.Path)
		case !slices.Contains([]verdict{replaces, adds, differs}, file.Verdict):
			return j, fmt.Errorf("judgements.yaml: files[%d]: verdict must be %s, %s or %s, not %q", i, replaces, adds, differs, file.Verdict)
		case (file.Verdict == adds) != (len(file.ByHand) == 0):
			return j, fmt.Errorf("judgements.yaml: files[%d]: %s has something by hand if, and only if, it does not add", i, file.Path)
		}
		seen[file.Path] = true
	}
	return j, nil
}
