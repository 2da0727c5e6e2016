package diff

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Row is a scaffolded file beside what was written by hand.
type Row struct {
	Path    string
	Does    string
	Verdict verdict
	ByHand  []span
	// Scaffolded are the lines that kubebuilder wrote; Added and Removed those that were changed since.
	Scaffolded, Added, Removed int
}

// Pristine reports whether a file is as it was scaffolded.
func (r Row) Pristine() bool { return r.Added+r.Removed == 0 }

// ByHandLines are the lines of all places cited.
func (r Row) ByHandLines() int {
	lines := 0
	for _, place := range r.ByHand {
		lines += place.lines()
	}
	return lines
}

// Own is a file in kubebuilder/ that was not scaffolded.
type Own struct {
	Path  string
	Lines int
}

// comparison is all that the document tells.
type comparison struct {
	Rows []Row
	Own  []Own
}

// compare holds the scaffold against the checkout and the judgements. The problems are what somebody has to mend:
// files without a judgement, judgements without a file, citations of what is not there.
func compare(ctx context.Context, root string, j judgements) (c comparison, problems []string, err error) {
	scaffolded, err := scaffold(ctx, root, j.Scaffold)
	if err != nil {
		return c, nil, fmt.Errorf("scaffolding: %w", err)
	}
	present, err := tracked(ctx, root)
	if err != nil {
		return c, nil, err
	}
	judged := map[string]bool{}
	for _, file := range j.Files {
		judged[file.Path] = true
		place := folder + "/" + file.Path
		content, isScaffolded := scaffolded[file.Path]
		switch {
		case !isScaffolded:
			problems = append(problems, fmt.Sprintf("%s: has a row in diff/judgements.yaml, but is not scaffolded", place))
			continue
		case present[file.Path] == nil:
			problems = append(problems, fmt.Sprintf("%s: scaffolded, but not in the checkout", place))
			continue
		}
		row := Row{Path: file.Path, Does: file.Does, Verdict: file.Verdict, Scaffolded: countLines(content)}
		for _, cited := range file.ByHand {
			at, err := cited.resolve(root)
			if err != nil {
				problems = append(problems, fmt.Sprintf("diff/judgements.yaml: %s: %v", file.Path, err))
				continue
			}
			row.ByHand = append(row.ByHand, at)
		}
		if row.Added, row.Removed, err = changed(ctx, content, withoutYear(present[file.Path])); err != nil {
			return c, nil, err
		}
		c.Rows = append(c.Rows, row)
	}
	for _, path := range slices.Sorted(maps.Keys(scaffolded)) {
		if !judged[path] {
			problems = append(problems, fmt.Sprintf("%s/%s: scaffolded, but has no row in diff/judgements.yaml", folder, path))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(present)) {
		if _, isScaffolded := scaffolded[path]; !isScaffolded {
			c.Own = append(c.Own, Own{Path: path, Lines: countLines(present[path])})
		}
	}
	return c, problems, nil
}

// tracked reads the files below kubebuilder/ that git knows or would add.
func tracked(ctx context.Context, root string) (map[string][]byte, error) {
	list, err := run(ctx, filepath.Join(root, folder), nil, "git", "ls-files", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for path := range strings.Lines(list) {
		path = strings.TrimSuffix(path, "\n")
		content, err := os.ReadFile(filepath.Join(root, folder, path))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			return nil, err
		}
		files[path] = content
	}
	return files, nil
}

// changed counts the lines that git diff shows.
func changed(ctx context.Context, before, after []byte) (added, removed int, err error) {
	if bytes.Equal(before, after) {
		return 0, 0, nil
	}
	dir, err := os.MkdirTemp("", "twinloop-diff-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	for name, content := range map[string][]byte{"before": before, "after": after} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return 0, 0, err
		}
	}
	// git exits with 1 when there is a difference; the second command is what run waits for.
	counts, err := run(ctx, dir, nil, "sh", "-c", "git diff --no-index --numstat before after || true")
	if err != nil {
		return 0, 0, err
	}
	if _, err := fmt.Sscanf(counts, "%d\t%d", &added, &removed); err != nil {
		return 0, 0, fmt.Errorf("git diff --numstat printed %q", counts)
	}
	return added, removed, nil
}

func countLines(content []byte) int { return bytes.Count(content, []byte("\n")) }
