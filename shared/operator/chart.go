package operator

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// isChart reports whether a path is a Helm chart: a folder, or an archive of one.
func isChart(path string) bool {
	return strings.HasSuffix(path, ".tgz") || exists(filepath.Join(path, chartutil.ChartfileName))
}

// checkPartOfChart reports a path that is the folder of a chart's templates, or within it.
func checkPartOfChart(path string) error {
	for folder := filepath.Clean(path); filepath.Dir(folder) != folder; folder = filepath.Dir(folder) {
		ofChart := isChart(filepath.Dir(folder)) || len(filesIn(folder, "*.tpl")) > 0
		if filepath.Base(folder) == chartutil.TemplatesDir && ofChart {
			return fmt.Errorf("it holds templates of a Helm chart: name the chart's folder, %s", filepath.Dir(folder))
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// renderChart returns the definitions of a chart and what its templates come to, with the values that the chart has itself, at its
// installation.
func renderChart(release, path string) ([]text, error) {
	loaded, err := loader.Load(path)
	if err != nil {
		return nil, fmt.Errorf("loading Helm chart: %w", err)
	}
	if missing := missingDependencies(loaded); len(missing) > 0 {
		return nil, fmt.Errorf("the charts that it depends on are not there: %s: run `helm dependency build` in it", strings.Join(missing, ", "))
	}
	rendered, err := render(release, loaded)
	if err != nil {
		return nil, fmt.Errorf("rendering Helm chart: %s", strings.Join(strings.Fields(err.Error()), " "))
	}
	var all []text
	for _, definition := range loaded.CRDObjects() {
		all = append(all, text{within(path, definition.Filename), definition.File.Data})
	}
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		if filepath.Base(name) != notes {
			all = append(all, text{within(path, name), []byte(rendered[name])})
		}
	}
	return all, nil
}

// within returns a chart's file, which begins with the chart's name, by the path of the chart.
func within(path, file string) string {
	_, inside, _ := strings.Cut(filepath.ToSlash(file), "/")
	return filepath.Join(path, inside)
}

// notes is what a chart says to whoever installs it.
const notes = "NOTES.txt"

func render(release string, loaded *chart.Chart) (map[string]string, error) {
	values := common.Values{}
	if err := chartutil.ProcessDependencies(loaded, values); err != nil {
		return nil, err
	}
	options := common.ReleaseOptions{Name: release, Namespace: metav1.NamespaceDefault, Revision: 1, IsInstall: true}
	values, err := util.ToRenderValues(loaded, values, options, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(loaded, values)
}

// missingDependencies returns the names of the charts that a chart needs and does not hold.
func missingDependencies(loaded *chart.Chart) []string {
	var missing []string
	for _, needed := range loaded.Metadata.Dependencies {
		held := func(c *chart.Chart) bool { return c.Name() == needed.Name }
		if !slices.ContainsFunc(loaded.Dependencies(), held) {
			missing = append(missing, needed.Name)
		}
	}
	return missing
}
