package operator

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// ManifestsIn returns the manifests at a path: itself if it is a file, a Helm chart or a folder for kustomize, or else the files in
// it.
func ManifestsIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := checkPartOfChart(path); err != nil {
		return nil, err
	}
	if !info.IsDir() || isChart(path) || len(filesIn(path, konfig.RecognizedKustomizationFileNames()...)) > 0 {
		return []string{path}, nil
	}
	return filesIn(path, "*.yaml", "*.yml", "*.json"), nil
}

// textsOf returns the texts of a manifest: the content of a file, or what a folder is built or rendered to.
func textsOf(release, path string) ([]text, error) {
	if isChart(path) {
		return renderChart(release, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		content, err := os.ReadFile(path)
		return []text{{path, content}}, err
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), path)
	if err != nil {
		return nil, err
	}
	content, err := built.AsYaml()
	return []text{{path, content}}, err
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
