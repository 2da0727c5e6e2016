package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.com/twinloop/chaos/drill"
)

// page is the file that the page of a report is written to. It is the one that was asked for if there is one report only.
func (o drillOptions) page(several bool, drill, operator string) string {
	if !several {
		return o.html
	}
	extension := filepath.Ext(o.html)
	return strings.TrimSuffix(o.html, extension) + "-" + drill + "-" + operator + extension
}

func (w *drillWork) several() bool { return len(w.subjects)*len(w.definitions) > 1 }

// checkPages finds out before a drill whether its pages can be written, so that no result is lost to a typo.
func (o drillOptions) checkPages(work *drillWork) error {
	if o.html == "" {
		return nil
	}
	for _, subject := range work.subjects {
		for _, definition := range work.definitions {
			if err := checkWritable(o.page(work.several(), definition.Name, subject.name)); err != nil {
				return fmt.Errorf("--html: %w; name a file that can be written", err)
			}
		}
	}
	return nil
}

// checkWritable leaves the file as it is.
func checkWritable(name string) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		return errors.Join(file.Close(), os.Remove(name))
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if file, err = os.OpenFile(name, os.O_WRONLY, 0); err != nil {
		return err
	}
	return file.Close()
}

// outputs are the forms that reports are printed in.
var outputs = []string{"table", "json", "yaml", "junit"}

// print prints the reports, and writes the pages first: who reads the output may hang up on it. Neither is lost to the other.
func (o drillOptions) print(reports drill.Reports, several bool, stdout io.Writer) error {
	if len(reports) == 0 {
		return nil
	}
	write := map[string]func(io.Writer) error{
		"table": reports.WriteTable, "json": reports.WriteJSON, "yaml": reports.WriteYAML, "junit": reports.WriteJUnit,
	}
	noPages := o.writePages(reports, several)
	return errors.Join(noPages, write[o.output](stdout))
}

func (o drillOptions) writePages(reports drill.Reports, several bool) error {
	if o.html == "" {
		return nil
	}
	for _, report := range reports {
		if err := writeFile(o.page(several, report.Summary.Drill, report.Summary.Operator), report.WriteHTML); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	return nil
}

func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
