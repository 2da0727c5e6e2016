package drill

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// change is something that a user would change in an object.
type change struct {
	// Patch is a merge patch that changes it.
	Patch map[string]any
	// Image is the new image, if that is what it is.
	Image string
}

// changeOf finds an image in a sample, or else a version; nil if there is neither.
func changeOf(sample *unstructured.Unstructured) *change {
	spec := map[string]any{"spec": sample.Object["spec"]}
	if path, text := find(spec, "image"); path != nil {
		image := retagged(text)
		return &change{Patch: along(spec, path, image).(map[string]any), Image: image}
	}
	if path, _ := find(spec, "version"); path != nil {
		return &change{Patch: along(spec, path, "another").(map[string]any)}
	}
	return nil
}

// retagged is an image with another tag.
func retagged(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if colon := strings.LastIndex(image, ":"); colon > strings.LastIndex(image, "/") {
		image = image[:colon]
	}
	return image + ":another"
}

// find is the first text in a field of a name, and its path: keys of objects and indices of lists; nil if there is none.
func find(value any, name string) (path []any, text string) {
	switch value := value.(type) {
	case map[string]any:
		if text, ok := value[name].(string); ok && text != "" {
			return []any{name}, text
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if path, text := find(value[key], name); path != nil {
				return append([]any{key}, path...), text
			}
		}
	case []any:
		for i, item := range value {
			if path, text := find(item, name); path != nil {
				return append([]any{i}, path...), text
			}
		}
	}
	return nil, ""
}

// along is a merge patch that puts a text at the end of a path. Such a patch replaces a list as a whole, so that from the first
// one on everything is in it.
func along(value any, path []any, text string) any {
	key, ok := path[0].(string)
	switch {
	case !ok:
		return with(value, path, text)
	case len(path) == 1:
		return map[string]any{key: text}
	}
	return map[string]any{key: along(value.(map[string]any)[key], path[1:], text)}
}

// with is a copy of a value that has a text at the end of a path.
func with(value any, path []any, text string) any {
	if len(path) == 0 {
		return text
	}
	switch step := path[0].(type) {
	case string:
		changed := maps.Clone(value.(map[string]any))
		changed[step] = with(changed[step], path[1:], text)
		return changed
	case int:
		changed := slices.Clone(value.([]any))
		changed[step] = with(changed[step], path[1:], text)
		return changed
	}
	return value
}
