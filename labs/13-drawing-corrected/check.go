package drawingcorrected

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"example.com/twinloop/labs/drawing"
	"example.com/twinloop/labs/drawing/witness"
	"example.com/twinloop/labs/lab"
)

// check finds the files out once more, and gives a picture for a drawing that holds up.
func check(ctx context.Context, folder string, bench *lab.Bench) error {
	drawn, problems, err := drawing.Read(folder)
	if err != nil {
		return err
	}
	seen, err := witness.Watch(ctx)
	if err != nil {
		return err
	}
	files := seen.Files()
	problems = append(problems, drawn.CompareArrows(drawing.Whole)...)
	problems = append(problems, drawn.CompareFiles(files)...)
	if err := drawing.Refuse(problems); err != nil {
		return err
	}
	picture := filepath.Join(folder, "pipeline.svg")
	if err := write(picture, files); err != nil {
		return err
	}
	bench.Say("It is drawn in %s.", picture)
	return nil
}

func write(name string, files drawing.Files) error {
	var picture bytes.Buffer
	if err := drawing.Draw(&picture, files); err != nil {
		return err
	}
	return os.WriteFile(name, picture.Bytes(), 0o666)
}
