package cite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"example.com/twinloop/shared/checkout"
	"example.com/twinloop/shared/process"
)

// List returns the project's citations as they are written, by file and line.
func List(ctx context.Context) ([]Citation, error) {
	p, err := checkedOut(ctx)
	if err != nil {
		return nil, err
	}
	all := []Citation{}
	err = p.each(func(name string, content []byte) error {
		all = append(all, p.scan(name, content)...)
		return nil
	})
	return all, err
}

// Check looks every citation up. It fetches cited modules that are not in the module cache, and says so.
func Check(ctx context.Context, progress io.Writer) (Report, error) {
	p, err := checkedOut(ctx)
	if err != nil {
		return Report{}, err
	}
	read, err := p.reader(ctx, progress)
	if err != nil {
		return Report{}, err
	}
	return p.check(read)
}

// Fix moves the citations whose text or symbol has moved, in their files, and tells the problems that it solved. The report
// is of what is then left.
func Fix(ctx context.Context, progress io.Writer) ([]Problem, Report, error) {
	p, err := checkedOut(ctx)
	if err != nil {
		return nil, Report{}, err
	}
	read, err := p.reader(ctx, progress)
	if err != nil {
		return nil, Report{}, err
	}
	return p.fix(read)
}

// A project is the checkout, as far as it is cited and cites.
type project struct {
	root  string
	names []string        // of its files, sorted
	tops  map[string]bool // the first elements of the names
	pins  pins
}

func checkedOut(ctx context.Context) (project, error) {
	root, err := checkout.Root()
	if err != nil {
		return project{}, err
	}
	names, err := tracked(ctx, root)
	if err != nil {
		return project{}, err
	}
	return open(root, names)
}

// tracked lists the files that git knows, or would add.
func tracked(ctx context.Context, root string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := process.Run(ctx, cmd); err != nil {
		return nil, fmt.Errorf("cannot list the checkout's files: git ls-files: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return strings.FieldsFunc(stdout.String(), func(r rune) bool { return r == 0 }), nil
}

func open(root string, names []string) (project, error) {
	slices.Sort(names)
	p := project{root: root, names: slices.Compact(names), tops: map[string]bool{}}
	mods := map[string]*modfile.File{}
	for _, name := range p.names {
		p.tops[top(name)] = true
		if path.Base(name) != "go.mod" || within(name, "testdata") {
			continue
		}
		content, err := readFile(root, name)
		if err != nil {
			return project{}, fmt.Errorf("%s: %w", name, err)
		}
		if mods[name], err = modfile.Parse(name, content, nil); err != nil {
			return project{}, err
		}
	}
	p.pins = pinned(mods)
	return p, nil
}

// generated marks a file that is written from others: in Go (https://go.dev/s/generatedcode), in docs/diff.md and in a
// CustomResourceDefinition.
var generated = regexp.MustCompile(
	`(?m)^(?:// Code generated .* DO NOT EDIT\.$|<!-- Written by |    controller-gen\.kubebuilder\.io/version: )`)

// each calls do with every file that may cite.
func (p project) each(do func(name string, content []byte) error) error {
	for _, name := range p.names {
		if !slices.Contains([]string{".md", ".go", ".yaml"}, path.Ext(name)) || within(name, "testdata") {
			continue
		}
		content, err := readFile(p.root, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // git knows it, and it was removed
		}
		if err != nil {
			return err
		}
		if generated.Match(content) {
			continue
		}
		if err := do(name, content); err != nil {
			return err
		}
	}
	return nil
}

func (p project) scan(name string, content []byte) []Citation { return scan(name, content, p.owns) }

// owns tells whether a path begins as one of the project's does. What follows need not be there: it may have been renamed.
func (p project) owns(name string) bool { return p.tops[top(name)] }

func top(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}

// within tells whether a file is in a folder of that name, at whatever depth.
func within(name, folder string) bool {
	return slices.Contains(strings.Split(path.Dir(name), "/"), folder)
}

func (p project) reader(ctx context.Context, progress io.Writer) (reader, error) {
	cache, err := newModuleCache(ctx, p.root, progress)
	return func(module string, by pin, name string) ([]byte, error) {
		if module == "" {
			return p.read(name)
		}
		dir, err := cache.folder(ctx, module, by)
		if err != nil {
			return nil, err
		}
		return readFile(dir, name)
	}, err
}

// read returns a file of the project without what it quotes.
func (p project) read(name string) ([]byte, error) {
	content, err := readFile(p.root, name)
	return unquoted(content, p.scan(name, content)), err
}

// readFile reads a file below a folder. What is not below it, or no file, does not exist.
func readFile(dir, name string) ([]byte, error) {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(file)
}

func (p project) check(read reader) (Report, error) {
	var report Report
	err := p.each(func(name string, content []byte) error {
		citations := p.scan(name, content)
		problems, err := p.judge(citations, read)
		report.Citations = append(report.Citations, citations...)
		report.Problems = append(report.Problems, problems...)
		return err
	})
	return report, err
}

func (p project) judge(citations []Citation, read reader) ([]Problem, error) {
	var problems []Problem
	for _, c := range citations {
		problem, err := judge(c, p.pins, read)
		if err != nil {
			return nil, err
		}
		if problem != nil {
			problems = append(problems, *problem)
		}
	}
	return problems, nil
}

func (p project) fix(read reader) ([]Problem, Report, error) {
	var solved []Problem
	err := p.each(func(name string, content []byte) error {
		problems, err := p.judge(p.scan(name, content), read)
		if err != nil {
			return err
		}
		rewritten := rewrite(content, problems)
		if bytes.Equal(rewritten, content) {
			return nil
		}
		solved = append(solved, slices.DeleteFunc(problems, func(problem Problem) bool { return problem.Moved == nil })...)
		return replaceFile(filepath.Join(p.root, name), rewritten)
	})
	if err != nil {
		return solved, Report{}, err
	}
	report, err := p.check(read)
	return solved, report, err
}

// replaceFile gives a file another content at once, or leaves it as it was.
func replaceFile(file string, content []byte) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(content)
	if err := errors.Join(err, temp.Chmod(info.Mode().Perm()), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}
