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

// page is the file that an operator's page is written to.
func (o drillOptions) page(operator string) string {
	if !o.several() {
		return o.html
	}
	extension := filepath.Ext(o.html)
	return strings.TrimSuffix(o.html, extension) + "-" + operator + extension
}

// checkPages finds out before a drill whether its pages can be written, so that no result is lost to a typo.
func (o drillOptions) checkPages() error {
	if o.html == "" {
		return nil
	}
	for _, operator := range o.operators {
		if err := checkWritable(o.page(operator)); err != nil {
			return fmt.Errorf("--html: %w; name a file that can be written", err)
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

func (o drillOptions) writePages(reports drill.Reports) error {
	if o.html == "" {
		return nil
	}
	for _, report := range reports {
		if err := writeFile(o.page(report.Summary.Operator), report.WriteHTML); err != nil {
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
