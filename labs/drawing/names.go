package drawing

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// synonyms are the names that client-go and those who write about it have for the stages, beside the stages' own.
var synonyms = map[Stage][]string{
	APIServer: {"kube-apiserver", "API", "server"},
	Reflector: {"list watch", "list and watch", "ListerWatcher"},
	FIFO:      {"RealFIFO", "DeltaFIFO", "delta queue", "queue"},
	Informer:  {"shared informer", "SharedIndexInformer", "processing", "process loop", "process deltas", "handle deltas"},
	Indexer:   {"index", "store", "local store", "thread-safe store", "ThreadSafeMap", "cache", "local cache"},
	Listeners: {"listener", "processor", "shared processor", "processor listener"},
	Handlers:  {"handler", "event handler", "event handlers", "resource event handler", "resource event handlers"},
	Workqueue: {"rate-limiting queue", "queue"},
	Worker:    {"workers", "process next item", "process next work item"},
	Lister:    {"listers"},
	Reconcile: {"reconciler", "sync", "sync handler"},
}

// find is the stage that a name means. A name that is none is a problem, and means the stage that it is the nearest to; none
// where it is far from all.
func find(written Name) (Stage, *Problem) {
	switch meant := meant(plain(written.Text)); len(meant) {
	case 1:
		return meant[0], nil
	case 0:
		stage := nearest(plain(written.Text))
		text := fmt.Sprintf("there is no stage %q", written.Text)
		if stage != "" {
			text += fmt.Sprintf(": did you mean %s?", stage)
		}
		return stage, &Problem{written.At, text}
	default:
		return "", &Problem{written.At, fmt.Sprintf("%q could be the %s or the %s: say which", written.Text, meant[0], meant[1])}
	}
}

// meant are the stages that have a plain name.
func meant(name string) []Stage {
	var stages []Stage
	for _, stage := range Whole.Stages() {
		if slices.Contains(namesOf(stage), name) {
			stages = append(stages, stage)
		}
	}
	return stages
}

// nearest is the stage with the name that takes the fewest changes to get to, unless they are more than a third of it.
func nearest(name string) Stage {
	var best Stage
	least := len(name)/3 + 1
	for _, stage := range Whole.Stages() {
		for _, other := range namesOf(stage) {
			if changes := levenshtein.ComputeDistance(name, other); changes < least {
				best, least = stage, changes
			}
		}
	}
	return best
}

// namesOf are the plain names of a stage.
func namesOf(stage Stage) []string {
	names := []string{plain(string(stage))}
	for _, synonym := range synonyms[stage] {
		names = append(names, plain(synonym))
	}
	return names
}

// plain is a name in small letters and digits alone, so that syncHandler is "sync handler".
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
