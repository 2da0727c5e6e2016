package drill

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// drawn is what was drawn in a run and is drawn anew in the next, by all objects that there have been: uids, generated names,
// addresses, ports, and the hashes of templates, which may name the namespace.
type drawn struct {
	namespace string
	observed  knownKinds
	marks     map[string]mark
	// hashes are, by their text, the groups of revisions that each is one of, and at which version it was first seen.
	hashes map[string]map[string]uint64
}

// mark is something that was drawn for an object, by which others may call it.
type mark struct {
	what, of string // such as uid, and pods/web-*
	lasting  bool   // of an object of which nobody sees when it goes
}

func newDrawn(namespace string, observed knownKinds) *drawn {
	return &drawn{namespace, observed, map[string]mark{}, map[string]map[string]uint64{}}
}

// learn notes what was drawn for the object of an event.
func (d *drawn) learn(e Event) {
	maps.Copy(d.marks, marksOf(e.Resource, e.Object.Object))
	maps.Copy(d.marks, d.marksOfOwners(e.Object.Object))
	version := e.version()
	for hash, group := range hashesOf(e.Object.Object) {
		if group == "" {
			continue
		}
		groups := d.hashes[hash]
		if groups == nil {
			groups = map[string]uint64{}
			d.hashes[hash] = groups
		}
		if first, known := groups[group]; !known || version < first {
			groups[group] = version
		}
	}
}

// tokens returns the words to replace in what there is. What was drawn for an object that is gone is told from what was drawn
// for one of the same name that is there.
func (d *drawn) tokens(v view) *tokens {
	stands := d.hashesStandFor(v)
	stands[d.namespace] = "<namespace>"
	common := newTokens(maps.Clone(stands))
	add := func(word string, m mark, there bool) {
		of := common.replace(m.of)
		switch {
		case !there && !m.lasting:
			stands[word] = "<" + m.what + " of deleted " + of + ">"
		case m.what == "name":
			_, stands[word], _ = strings.Cut(of, "/")
		default:
			stands[word] = "<" + m.what + " of " + of + ">"
		}
	}
	for word, m := range d.marks {
		add(word, m, false)
	}
	for plural, objects := range v.objects {
		for _, object := range objects {
			for word, m := range marksOf(plural, object.(map[string]any)) {
				add(word, m, true)
			}
		}
	}
	return newTokens(stands)
}

// hashesStandFor tells the newest hash of a group from those before it. Older ones are counted only where they are still in use:
// how many there were meanwhile may differ.
func (d *drawn) hashesStandFor(v view) map[string]string {
	used := map[string]bool{}
	for _, objects := range v.objects {
		for _, object := range objects {
			for hash := range hashesOf(object.(map[string]any)) {
				used[hash] = true
			}
		}
	}
	groups := map[string][]string{}
	for hash, of := range d.hashes {
		for group := range of {
			groups[group] = append(groups[group], hash)
		}
	}
	stands := map[string]string{}
	for _, group := range slices.Sorted(maps.Keys(groups)) { // of a hash that is in several the first counts, in every run
		older := 0
		for i, hash := range d.newestFirst(groups[group], group) {
			text := "<hash of " + group + ">"
			if i > 0 {
				if used[hash] {
					older++
				}
				text = fmt.Sprintf("<hash of %s, %d older>", group, older)
			}
			if _, known := stands[hash]; !known {
				stands[hash] = text
			}
		}
	}
	return stands
}

func (d *drawn) newestFirst(hashes []string, group string) []string {
	slices.SortFunc(hashes, func(a, b string) int {
		return cmp.Or(cmp.Compare(d.hashes[b][group], d.hashes[a][group]), strings.Compare(a, b))
	})
	return hashes
}

// identity returns what an object is called in every run: its resource's plural, and its name or what it is generated from.
func identity(plural string, object map[string]any) string {
	metadata := metadataOf(object)
	name, _ := metadata["name"].(string)
	if prefix, ok := metadata["generateName"].(string); ok {
		name = prefix + "*"
	}
	return plural + "/" + name
}

// marksOf returns what the API server has drawn for an object, by its text.
func marksOf(plural string, object map[string]any) map[string]mark {
	marks, metadata, of := map[string]mark{}, metadataOf(object), identity(plural, object)
	if name, _ := metadata["name"].(string); metadata["generateName"] != nil && name != "" {
		marks[name] = mark{what: "name", of: of}
	}
	if uid, _ := metadata["uid"].(string); uid != "" {
		marks[uid] = mark{what: "uid", of: of}
	}
	for _, address := range addressesOf(object) {
		if _, err := netip.ParseAddr(address); err == nil {
			marks[address] = mark{what: "address", of: of}
		}
	}
	for _, port := range nodePortsOf(plural, object) {
		marks[strconv.FormatInt(port, 10)] = mark{what: "node port", of: of}
	}
	return marks
}

// addressesOf returns the addresses of a pod or a service.
func addressesOf(object map[string]any) []string {
	var all []string
	for _, at := range [][]string{{"status", "podIP"}, {"spec", "clusterIP"}} {
		address, _, _ := unstructured.NestedString(object, at...)
		all = append(all, address)
	}
	several, _, _ := unstructured.NestedStringSlice(object, "spec", "clusterIPs")
	all = append(all, several...)
	addresses, _, _ := unstructured.NestedFieldNoCopy(object, "status", "podIPs")
	list, _ := addresses.([]any)
	for _, each := range list {
		each, _ := each.(map[string]any)
		address, _ := each["ip"].(string)
		all = append(all, address)
	}
	return all
}

// nodePortsOf returns the ports that a service has on every node.
func nodePortsOf(plural string, object map[string]any) []int64 {
	if plural != "services" {
		return nil
	}
	var all []int64
	add := func(value any) {
		if port, _ := number(value); port != 0 {
			all = append(all, int64(port))
		}
	}
	spec, _ := object["spec"].(map[string]any)
	add(spec["healthCheckNodePort"])
	ports, _ := spec["ports"].([]any)
	for _, port := range ports {
		port, _ := port.(map[string]any)
		add(port["nodePort"])
	}
	return all
}

// number returns the value of a number in JSON.
func number(value any) (float64, bool) {
	switch value := value.(type) {
	case int64:
		return float64(value), true
	case float64:
		return value, true
	}
	return 0, false
}

// marksOfOwners returns the uids of those owners of an object whose kind is not observed. Of the others it is known better what they
// are, and whether they are.
func (d *drawn) marksOfOwners(object map[string]any) map[string]mark {
	marks := map[string]mark{}
	owners, _ := metadataOf(object)["ownerReferences"].([]any)
	for _, owner := range owners {
		owner, _ := owner.(map[string]any)
		if uid, _ := owner["uid"].(string); uid != "" && !d.observed.include(owner) {
			marks[uid] = mark{"uid", fmt.Sprintf("%v/%v", owner["kind"], owner["name"]), true}
		}
	}
	return marks
}

// shortestHash is how long a hash is at least: what is shorter is a word, or a number that somebody counts up.
const shortestHash = 5

// hashesOf returns the hashes of templates that an object names, and the group of revisions that each belongs to: those of one owner.
// The group is empty where an object does not say whose it is.
func hashesOf(object map[string]any) map[string]string {
	hashes := map[string]string{}
	add := func(value any, group func(hash string) string) {
		text, _ := value.(string)
		if hash := text[startOfRun(text, len(text)):]; len(hash) >= shortestHash {
			hashes[hash] = group(hash)
		}
	}
	labels, _ := metadataOf(object)["labels"].(map[string]any)
	for _, label := range []string{"pod-template-hash", "controller-revision-hash", "controller.kubernetes.io/hash"} {
		add(labels[label], func(hash string) string { return controllerOf(object, hash) })
	}
	// Who has revisions calls them by its own name followed by the hash, as a StatefulSet does.
	status, _ := object["status"].(map[string]any)
	name, _ := metadataOf(object)["name"].(string)
	for _, key := range []string{"currentRevision", "updateRevision"} {
		if revision, _ := status[key].(string); strings.HasPrefix(revision, name+"-") {
			add(revision, func(string) string { return fmt.Sprintf("%v/%s", object["kind"], name) })
		}
	}
	return hashes
}

// controllerOf returns the kind and the name of what controls an object, for all that comes from one template: a ReplicaSet, which is
// called by the hash, counts as its Deployment.
func controllerOf(object map[string]any, hash string) string {
	owners, _ := metadataOf(object)["ownerReferences"].([]any)
	for _, owner := range owners {
		owner, _ := owner.(map[string]any)
		if owner["controller"] != true {
			continue
		}
		kind, name := owner["kind"], fmt.Sprint(owner["name"])
		if deployment, ends := strings.CutSuffix(name, "-"+hash); ends && kind == "ReplicaSet" {
			return "Deployment/" + deployment
		}
		return fmt.Sprintf("%v/%s", kind, name)
	}
	return ""
}
