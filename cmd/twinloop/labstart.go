package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/twinloop/labs/lab"
	"example.com/twinloop/labs/progress"
)

func newLabStartCommand(all []lab.Lab) *cobra.Command {
	var folder string
	cmd := oneLab(all, &cobra.Command{
		Use:   "start LAB",
		Short: "Lay out the folder that a lab is worked on in, where something is made",
	}, func(cmd *cobra.Command, l lab.Lab) error {
		if l.Start == nil {
			return fmt.Errorf("nothing is made in lab %d; begin with 'twinloop lab predict %d'", l.Number, l.Number)
		}
		if folder == "" {
			folder = l.Folder()
		}
		path, err := filepath.Abs(folder)
		if err != nil {
			return err
		}
		file, _, err := readRecord(l)
		if err != nil {
			return err
		}
		if err := layOut(l, path); err != nil {
			return fmt.Errorf("--folder: %w", err)
		}
		if err := file.Update(l.Folder(), func(r *progress.Record) { r.Folder = path }); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "Work in %s. Next: twinloop lab check %d\n", path, l.Number)
		return err
	})
	cmd.Flags().StringVar(&folder, "folder", "", "Lay it out here, and not in a folder of the lab's name in this one.")
	return cmd
}

// layOut never writes over what is there.
func layOut(l lab.Lab, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there already: name another folder, or remove it", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.CopyFS(path, l.Start)
}
