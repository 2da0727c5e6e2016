package operator

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/api/konfig"
)

// ManifestsIn are the manifests at a path: itself if it is a file or a folder for kustomize, or else the files in it.
func ManifestsIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || len(filesIn(path, konfig.RecognizedKustomizationFileNames()...)) > 0 {
		return []string{path}, nil
	}
	return filesIn(path, "*.yaml", "*.yml", "*.json"), nil
}

// filesIn are the files of a folder whose names match one of some patterns, in the order of names.
func filesIn(folder string, patterns ...string) []string {
	var files []string
	for _, pattern := range patterns {
		found, err := fs.Glob(os.DirFS(folder), pattern)
		if err != nil {
			panic(err) // the patterns are well formed
		}
		for _, name := range found {
			files = append(files, filepath.Join(folder, name))
		}
	}
	slices.Sort(files)
	return files
}
