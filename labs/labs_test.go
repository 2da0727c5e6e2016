package labs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/twinloop/labs/lab"
)

// A lab's folder, its page and what the runner says of it are one.
func TestLabs(t *testing.T) {
	landing := read(t, "README.md")
	number := 0
	for _, l := range All {
		t.Run(l.Folder(), func(t *testing.T) {
			if l.Number <= number {
				t.Errorf("lab %d comes after lab %d", l.Number, number)
			}
			number = l.Number
			if l.Page != read(t, filepath.Join(l.Folder(), "README.md")) {
				t.Error("the page is not the README.md of its folder")
			}
			heading, _, _ := strings.Cut(l.Page, "\n")
			if want := fmt.Sprintf("# %d. %s", l.Number, l.Title); heading != want {
				t.Errorf("the page is headed %q, not %q", heading, want)
			}
			if !strings.Contains(landing, "("+l.Folder()+"/README.md) | "+l.Title+" | "+string(l.Needs)) {
				t.Error("README.md does not list the lab, with its title and what it needs")
			}
			if !strings.Contains(read(t, filepath.Join(l.Folder(), "lab_test.go")), "labtest.Verify(") {
				t.Error("no test holds the experiment against the page")
			}
			if (l.Start == nil) != (l.Check == nil) || l.Run == nil || l.Minutes <= 0 || l.Module == "" {
				t.Errorf("incomplete: %+v", l)
			}
			requireQuestions(t, l)
		})
	}
}

var measurementName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func requireQuestions(t *testing.T, l lab.Lab) {
	t.Helper()
	asked := map[string]bool{}
	for _, q := range l.Questions {
		if !measurementName.MatchString(q.Name) || q.Text == "" || q.Answer == nil || asked[q.Name] {
			t.Errorf("question %+v has no name of its own, no text or no kind of answer", q)
		}
		asked[q.Name] = true
	}
}

// Every folder of a lab is a lab of All.
func TestEveryFolderIsALab(t *testing.T) {
	folders, err := filepath.Glob("[0-9][0-9]-*")
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) != len(All) {
		t.Errorf("there are %d folders of labs and %d labs", len(folders), len(All))
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
