package drill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/net/html"

	"example.com/twinloop/chaos/proxy"
)

// hostile is what an operator might print, or name its objects, to take over the page.
const hostile = `</script><script>document.body.remove()</script>` +
	`"'><img src="http://192.0.2.1/x" onerror="document.body.remove()"> {{.}} &lt; \u003c ` + "`${1}`\u2028<!--"

// exampleReport has a point of every sort, and hostile text wherever an operator decides on it.
func exampleReport() *Report {
	create := func(ordinal int, fault Fault) Point {
		return Point{Blow: Blow{proxy.Place{Step: "create", Kind: "POST pods", Ordinal: ordinal}, fault}}
	}
	struck := Timeline{
		{Lane: "operator", Kind: "start", Text: "started"},
		{Lane: "scenario", Kind: "step", At: 10, Took: 900, Text: "create: 0 to 2"},
		{Lane: "api", Row: "POST pods", Kind: "unheard", At: 20, Took: 5, Text: "create: POST pods #1 " + hostile + ": 201"},
		{Lane: "watch", Row: "pods", Kind: "added", At: 24, Text: "pods " + hostile},
		{Lane: "operator", Kind: "kill", At: 25, Text: "SIGKILL in create, count 1"},
		{Lane: "operator", Kind: "start", At: 60, Text: "restarted"},
		{Lane: "operator", Kind: "recovering", At: 60, Took: 850, Text: "recovering"},
		{Lane: "dns", Row: hostile, Kind: "refused", At: 300.125, Took: 1, Text: hostile},
	}
	points := []PointResult{
		{Point: create(1, Before), Verdict: Passed, Attempts: 1, CountAfter: 2, RecoverySeconds: 0.85, Timeline: struck},
		{Point: create(1, After), Verdict: Failed, Attempts: 2, CountAtKill: 1, CountAfter: 2, Timeline: struck, Log: hostile,
			Findings: []Finding{{Oracle: "leaks", Text: hostile}, {Oracle: "health", Text: hostile}}},
		{Point: create(2, Before), Verdict: NotReached, Attempts: 5, Timeline: struck[:4]},
		{Point: Point{Blow: Blow{proxy.Place{Step: hostile, Kind: hostile, Ordinal: 1}, After}}, Verdict: Passed, Attempts: 1,
			Timeline: struck},
	}
	summary := Summary{
		Operator: hostile, Drill: "crash", Points: 4, Injected: 3, Passed: 2, Failed: 2, HalfDone: 1, Seconds: 12.5,
	}
	return &Report{Summary: summary, Points: points, Reference: struck[:4]}
}

// pairReport has a write that was struck, and a pair of kills, at which something was found.
func pairReport() *Report {
	first := Blow{proxy.Place{Step: "roll", Kind: "POST pods", Ordinal: 1}, Before}
	second := Blow{proxy.Place{Step: "roll again", Kind: "POST pods", Ordinal: 1}, After}
	reference := Timeline{
		{Lane: "scenario", Kind: "step", Took: 100, Text: "roll: 0 to 2"},
		{Lane: "api", Row: "POST pods", Kind: "write", At: 10, Took: 5, Text: "roll: POST pods #1 a: 201"},
	}
	struck := Timeline{
		{Lane: "operator", Kind: "start", Text: "started"},
		{Lane: "scenario", Kind: "step", Took: 900, Text: "roll: 0 to 2"},
		{Lane: "api", Row: "POST pods", Kind: "unheard", At: 10, Took: 5, Text: "roll: POST pods #1: never sent on"},
		{Lane: "operator", Kind: "kill", At: 15, Text: "SIGKILL in roll, count 0"},
		{Lane: "operator", Kind: "start", At: 40, Text: "restarted"},
		{Lane: "operator", Kind: "recovering", At: 40, Took: 60, Text: "recovering"},
		{Lane: "api", Row: "POST pods", Kind: "unheard", At: 90, Took: 10, Text: "roll again: POST pods #1 a: 201"},
		{Lane: "operator", Kind: "kill", At: 100, Text: "SIGKILL in roll again, count 1"},
		{Lane: "operator", Kind: "start", At: 120, Text: "restarted"},
		{Lane: "operator", Kind: "recovering", At: 120, Took: 780, Text: "recovering"},
		{Lane: "api", Row: "POST pods", Kind: "write", At: 130, Took: 10, Text: "roll again: POST pods #1 b: 201"},
	}
	return &Report{
		Summary: Summary{Operator: hostile, Drill: "crash", Points: 2, Injected: 2, Passed: 1, Failed: 1, Seconds: 3},
		Points: []PointResult{
			{Point: Point{Blow: first}, Injected: true, Verdict: Passed, Attempts: 1, CountAfter: 2, Timeline: struck[:6]},
			{Point: Point{Blow: first, Again: second}, Injected: true, Verdict: Failed, Attempts: 1, CountAfter: 2, Timeline: struck,
				Findings: []Finding{{Oracle: FinalState, Text: "after step roll:\n- a\n+ b"}}},
		},
		Reference: reference,
	}
}

// silenceReport has the silence after each of two steps.
func silenceReport() *Report {
	var points []PointResult
	for _, step := range []string{"create", hostile} {
		points = append(points, PointResult{
			Point: Point{Blow: Blow{proxy.Place{Step: step}, Silence}}, Injected: true, Verdict: Passed, Attempts: 1, Seconds: 11,
			Timeline: Timeline{
				{Lane: "operator", Kind: "start", Text: "started"},
				{Lane: "scenario", Kind: "step", At: 1, Took: 900, Text: step + ": 0 to 2"},
				{Lane: "scenario", Kind: "step", At: 901, Took: 10000, Text: "silence: nothing is done"},
			},
		})
	}
	return &Report{
		Summary: Summary{Operator: hostile, Drill: "quiet", Points: 2, Injected: 2, Passed: 2, Seconds: 11}, Points: points,
		Reference: points[0].Timeline[:2],
	}
}

// caseReport has two cases of three runs with hand-overs, in one of which nobody took over, and one with measures, that shows what
// it is to show.
func caseReport() *Report {
	lost := Timeline{
		{Lane: "operator", Replica: 1, Kind: "start", Text: "started"},
		{Lane: "operator", Replica: 2, Kind: "start", At: 1, Text: "started"},
		{Lane: "scenario", Kind: "step", At: 2, Took: 800, Text: "create: 0 to 2"},
		{Lane: "operator", Replica: 1, Kind: "leads", At: 100, Took: 900, Text: "renews the Lease: 2 writes"},
		{Lane: "api", Row: "POST leases", Replica: 1, Kind: "write", At: 90, Took: 10, Text: "create: POST leases #1 l: 201, by operator 1"},
		{Lane: "operator", Replica: 1, Kind: "unrenewed", At: 1000, Took: 17000, Text: "the Lease is not renewed for 17.00 s"},
		{Lane: "scenario", Kind: "fault", At: 1001, Took: 1, Text: "strike: " + hostile},
		{Lane: "operator", Replica: 1, Kind: "taken", At: 1001, Text: "the leader is taken away"},
		{Lane: "operator", Replica: 1, Kind: "kill", At: 1002, Text: "SIGKILL"},
		{Lane: "operator", Replica: 2, Kind: "holder", At: 18000, Text: "new holder after 17.00 s"},
		{Lane: "operator", Replica: 2, Kind: "leads", At: 18000, Took: 100, Text: "renews the Lease: 1 writes"},
		{Lane: "api", Row: "POST leases", Replica: 2, Kind: "write", At: 18000, Took: 10, Text: "scale: POST leases #1 l: 201, by operator 2"},
		{Lane: "operator", Replica: 2, Kind: "works", At: 18100, Text: "first write after 17.10 s"},
		{Lane: "api", Row: hostile, Replica: 2, Kind: "write", At: 18090, Took: 10, Text: hostile},
	}
	var points []PointResult
	for _, name := range []string{"sigkill", "sigterm"} {
		for round := range 3 {
			points = append(points, PointResult{
				Point: Point{Case: name, Round: round + 1}, Injected: true, Verdict: Passed, Attempts: 1, Timeline: lost,
				HandOver: &HandOver{NewHolder: 17 + float64(round), FirstWrite: 18 + float64(round), From: 13, To: 23.8},
			})
		}
	}
	points[1].HandOver.Former = []FormerWrite{{Request: hostile, Object: hostile, At: 20, Status: 409}, {Request: "POST pods", At: 21, Accepted: true}}
	points[2].HandOver = &HandOver{From: 13, To: 23.8}
	points[2].Verdict = Failed
	points[2].Findings = []Finding{{Oracle: Converges, Text: hostile}}
	points = append(points, PointResult{
		Point: Point{Case: "two"}, Injected: true, Verdict: Passed, Attempts: 1, Timeline: lost,
		Findings: []Finding{{Oracle: Leaks, Text: hostile, Expected: true}}, Measures: map[string]int{"conflicts": 9, hostile: 4711},
	})
	return &Report{
		Summary: Summary{Operator: hostile, Drill: "failover", Points: 7, Injected: 7, Passed: 6, Failed: 1, Seconds: 60},
		Points:  points, Cases: []Outline{{"sigkill", hostile}, {"sigterm", "It ends."}},
	}
}

func exampleReports() map[string]*Report {
	return map[string]*Report{
		"writes": exampleReport(), "pairs": pairReport(), "silences": silenceReport(), "cases": caseReport(),
	}
}

func writePage(t *testing.T, r *Report) []byte {
	t.Helper()
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	return page.Bytes()
}

// elements are all elements of a page as a browser would read it.
func elements(t *testing.T, page []byte) []*html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []*html.Node
	for node := range root.Descendants() {
		if node.Type == html.ElementNode {
			all = append(all, node)
		}
	}
	return all
}

func attribute(node *html.Node, key string) string {
	for _, a := range node.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func TestPageLoadsAndRunsNothingButItself(t *testing.T) {
	for name, report := range exampleReports() {
		t.Run(name, func(t *testing.T) { loadsAndRunsNothingButItself(t, writePage(t, report)) })
	}
	for _, call := range []string{"fetch(", "XMLHttpRequest", "WebSocket", "innerHTML", "eval("} {
		if strings.Contains(page, call) {
			t.Errorf("the page's code has %s", call)
		}
	}
}

func loadsAndRunsNothingButItself(t *testing.T, page []byte) {
	scripts := 0
	for _, node := range elements(t, page) {
		switch node.Data {
		case "script":
			scripts++
		case "img", "image", "use", "iframe", "object", "embed", "link", "base", "form", "video", "audio":
			t.Errorf("the page has an element <%s>", node.Data)
		case "style":
			if css := node.FirstChild.Data; strings.Contains(css, "url(") || strings.Contains(css, "@import") {
				t.Error("the style sheet loads something")
			}
		}
		for _, a := range node.Attr {
			switch {
			case a.Key == "src" || a.Key == "style" || strings.HasPrefix(a.Key, "on"):
				t.Errorf("<%s> has an attribute %s=%q", node.Data, a.Key, a.Val)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
				t.Errorf("<%s> leads to %q", node.Data, a.Val)
			}
		}
	}
	if scripts != 2 {
		t.Errorf("the page has %d scripts; want its data and its code", scripts)
	}
}

func TestPageShowsEveryPoint(t *testing.T) {
	for name, report := range exampleReports() {
		t.Run(name, func(t *testing.T) { showsEveryPoint(t, report) })
	}
}

func showsEveryPoint(t *testing.T, report *Report) {
	cells, rows, columns := map[string]int{}, map[string]string{}, 0
	for _, node := range elements(t, writePage(t, report)) {
		switch {
		case strings.HasPrefix(attribute(node, "class"), "cell") && node.Data == "a":
			cells[attribute(node, "title")]++
		case node.Data == "th" && insideID(node, "points"):
			columns++
		case node.Data == "tr" && attribute(node, "data-point") != "":
			rows[attribute(node, "data-point")] = attribute(node, "data-verdict")
			if n := len(childElements(node)); n != columns {
				t.Errorf("a row has %d columns, the table's head %d", n, columns)
			}
		}
	}
	for _, p := range report.Points {
		title := fmt.Sprintf("%s: %s", p.Point, p.Verdict)
		if p.HalfDone() {
			title += ", work half done"
		}
		if cells[title] != 1 {
			t.Errorf("%d cells are called %q, want 1", cells[title], title)
		}
		if verdict := rows[p.Point.String()]; verdict != string(p.Verdict) {
			t.Errorf("the row of %s says %q, want %q", p.Point, verdict, p.Verdict)
		}
	}
}

// What follows from an operator's names must not be run by the shell that a flag is pasted into.
func TestPointIsReproducedAsOneWord(t *testing.T) {
	point := Point{Blow: Blow{proxy.Place{Step: "roll", Kind: "POST pods'; reboot '", Ordinal: 1}, After}}
	if got, want := reproduce(point), `--point 'roll: POST pods'\''; reboot '\'' #1, after'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestPageHoldsTheRunsAsTheyWere(t *testing.T) {
	report := caseReport()
	var data pageRuns
	for _, node := range elements(t, writePage(t, report)) {
		if attribute(node, "id") == "report" {
			if err := json.Unmarshal([]byte(node.FirstChild.Data), &data); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := append([]PointResult{{Timeline: report.Reference}}, report.Points...)
	if len(data.Runs) != len(want) {
		t.Fatalf("the page holds %d runs, want %d", len(data.Runs), len(want))
	}
	for i, run := range data.Runs {
		var timeline Timeline
		for _, m := range run.Timeline {
			text := func(i int) string { return data.Texts[int(m[i])] }
			timeline = append(timeline, Mark{
				Lane: text(0), Row: text(1), Kind: text(2), At: m[3], Took: m[4], Text: text(5), Replica: int(m[6]),
			})
		}
		got := PointResult{Timeline: timeline, Findings: run.Findings, Log: run.Log}
		wanted := PointResult{Timeline: want[i].Timeline, Findings: want[i].Findings, Log: want[i].Log}
		if difference := cmp.Diff(wanted, got, cmpopts.IgnoreUnexported(PointResult{}, Finding{})); difference != "" {
			t.Errorf("run %d (-want +got):\n%s", i, difference)
		}
	}
}

func TestPageInABrowser(t *testing.T) {
	report := exampleReport()
	dom := browse(t, writePage(t, report))
	drawn, current := 0, 0
	for _, node := range elements(t, dom) {
		switch {
		case node.Namespace == "svg" && strings.HasPrefix(attribute(node, "class"), "mark ") && inside(node, "figure"):
			drawn++
		case attribute(node, "aria-current") == "true":
			current++
		case attribute(node, "id") == "chosen" && textOf(node) != report.Points[1].Point.String():
			t.Errorf("%q is shown first, want the point that failed", textOf(node))
		case attribute(node, "id") == "shown" && textOf(node) != "4 points":
			t.Errorf("the filter says %q, want 4 points", textOf(node))
		case attribute(node, "id") == "log" && !strings.Contains(textOf(node), hostile):
			t.Error("the operator's log is not shown as it was")
		}
	}
	// In the step are all marks of the point but the first start, and as many of the reference run.
	if want := len(report.Points[1].Timeline) - 1 + len(report.Reference) - 1; drawn != want {
		t.Errorf("%d marks are drawn, want %d", drawn, want)
	}
	if current != 2 {
		t.Errorf("%d elements are current, want the point's cell and its row", current)
	}
}

func TestCasesInABrowser(t *testing.T) {
	report := caseReport()
	dom := elements(t, browse(t, writePage(t, report)))
	runs := 0
	for _, p := range report.Points {
		if p.HandOver != nil {
			runs++
		}
	}
	counted := counts(dom, map[string]func(*html.Node) bool{
		"dots of new holders":    func(n *html.Node) bool { return isSVG(n, "circle", "dot") && inside(n, "a") },
		"dots of first writes":   func(n *html.Node) bool { return isSVG(n, "circle", "dot work") && inside(n, "a") },
		"runs without hand-over": func(n *html.Node) bool { return n.Data == "text" && strings.HasSuffix(attribute(n, "class"), "never") },
		"bounds": func(n *html.Node) bool {
			return isSVG(n, "rect", "bounds") && strings.HasSuffix(attribute(n, "x"), "%")
		},
		"medians": func(n *html.Node) bool {
			return isSVG(n, "line", "median") && strings.HasSuffix(attribute(n, "x1"), "%")
		},
		"former leaders' writes": func(n *html.Node) bool { return n.Data == "tr" && insideID(n, "hand-overs") && inside(n, "tbody") },
		"measures": func(n *html.Node) bool {
			return n.Data == "td" && insideID(n, "measures") && attribute(n, "class") == "number"
		},
		"expected causes":     func(n *html.Node) bool { return attribute(n, "class") == "finding expected" && insideID(n, "causes") },
		"other causes":        func(n *html.Node) bool { return attribute(n, "class") == "finding" && insideID(n, "causes") },
		"Leases held":         func(n *html.Node) bool { return isSVG(n, "rect", "mark leads") && inside(n, "figure") },
		"lives":               func(n *html.Node) bool { return isSVG(n, "rect", "alive") },
		"lanes of the first":  func(n *html.Node) bool { return isSVG(n, "text", "") && textOf(n) == "Operator 1" },
		"lanes of the second": func(n *html.Node) bool { return isSVG(n, "text", "") && textOf(n) == "Operator 2" },
		"its requests":        func(n *html.Node) bool { return n.Data == "text" && textOf(n) == "POST leases, by 2" },
		"instants":            func(n *html.Node) bool { return isSVG(n, "line", "instant") },
		"disturbing steps":    func(n *html.Node) bool { return isSVG(n, "rect", "mark fault lasting") },
		"reference runs":      func(n *html.Node) bool { return n.Data == "text" && textOf(n) == "Reference run" },
		"points current":      func(n *html.Node) bool { return attribute(n, "aria-current") == "true" },
		"points chosen":       func(n *html.Node) bool { return attribute(n, "id") == "chosen" && textOf(n) == "sigkill #3" },
		"descriptions":        func(n *html.Node) bool { return attribute(n, "id") == "about" && textOf(n) == hostile },
	})
	want := map[string]int{
		"dots of new holders": runs - 1, "dots of first writes": runs - 1, "runs without hand-over": 2, "bounds": 2, "medians": 4,
		"former leaders' writes": 2, "measures": 2, "expected causes": 1, "other causes": 1, "Leases held": 2, "lives": 2,
		"lanes of the first": 1, "lanes of the second": 1, "its requests": 1, "instants": 3, "disturbing steps": 1,
		"reference runs": 0, "points current": 4, "points chosen": 1, "descriptions": 1,
	}
	if difference := cmp.Diff(want, counted); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}

func TestPairsInABrowser(t *testing.T) {
	dom := elements(t, browse(t, writePage(t, pairReport())))
	counted := counts(dom, map[string]func(*html.Node) bool{
		"groups": func(n *html.Node) bool { return n.Data == "h3" && textOf(n) == "killed again while recovering" },
		"deaths": func(n *html.Node) bool { return isSVG(n, "rect", "dead") },
		"struck": func(n *html.Node) bool { return isSVG(n, "rect", "struck") && inside(n, "figure") },
		"told": func(n *html.Node) bool {
			return isSVG(n, "text", "fault") && strings.Contains(textOf(n), "SIGKILL again")
		},
		"reference": func(n *html.Node) bool { return n.Data == "text" && textOf(n) == "Reference run" },
		"columns":   func(n *html.Node) bool { return n.Data == "th" && textOf(n) == "killed again" },
		"flags": func(n *html.Node) bool {
			return n.Data == "code" && textOf(n) == "--point 'roll: POST pods #1, before; roll again: POST pods #1, after'"
		},
	})
	// Of what was struck, the reference run has the first alone.
	want := map[string]int{"groups": 1, "deaths": 2, "struck": 3, "told": 1, "reference": 1, "columns": 1, "flags": 1}
	if difference := cmp.Diff(want, counted); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}

func TestSilencesInABrowser(t *testing.T) {
	dom := elements(t, browse(t, writePage(t, silenceReport())))
	counted := counts(dom, map[string]func(*html.Node) bool{
		"groups":    func(n *html.Node) bool { return n.Data == "h3" && inside(n, "nav") },
		"silences":  func(n *html.Node) bool { return isSVG(n, "text", "small") && textOf(n) == "silence" },
		"operators": func(n *html.Node) bool { return isSVG(n, "text", "") && textOf(n) == "Operator" },
		"struck":    func(n *html.Node) bool { return isSVG(n, "rect", "struck") || isSVG(n, "line", "instant") },
		"faults":    func(n *html.Node) bool { return attribute(n, "id") == "fault" || attribute(n, "id") == "half" },
		"columns":   func(n *html.Node) bool { return n.Data == "th" },
	})
	want := map[string]int{"groups": 2, "silences": 1, "operators": 1, "struck": 0, "faults": 0, "columns": 3}
	if difference := cmp.Diff(want, counted); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}

// counts is how many elements are what.
func counts(all []*html.Node, what map[string]func(*html.Node) bool) map[string]int {
	found := map[string]int{}
	for name, is := range what {
		found[name] = 0
		for _, node := range all {
			if is(node) {
				found[name]++
			}
		}
	}
	return found
}

// isSVG reports whether an element of a drawing is of a class, the first of its classes if it has more; of none if that is empty.
func isSVG(node *html.Node, name, class string) bool {
	has := attribute(node, "class")
	return node.Namespace == "svg" && node.Data == name && (has == class || class == "instant" && strings.HasPrefix(has, class+" "))
}

// browse opens a page in a headless browser and returns what it has become. That the browser complains is an error.
func browse(t *testing.T, page []byte) []byte {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("TWINLOOP_REQUIRE_CHROMIUM") == "1" {
			t.Fatal(err)
		}
		t.Skip("chromium is not installed")
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "twinloop-browser-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(profile)
	args := []string{
		"--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--user-data-dir=" + profile,
		"--window-size=1280,1600", "--dump-dom",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // it refuses to run as root with one
	}
	command := exec.CommandContext(t.Context(), browser, append(args, "file://"+file)...)
	var said bytes.Buffer
	command.Stderr = &said
	dom, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	for line := range strings.Lines(said.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the browser says: %s", line)
		}
	}
	return dom
}

func inside(node *html.Node, name string) bool {
	for ancestor := range node.Ancestors() {
		if ancestor.Data == name {
			return true
		}
	}
	return false
}

func insideID(node *html.Node, id string) bool {
	for ancestor := range node.Ancestors() {
		if attribute(ancestor, "id") == id {
			return true
		}
	}
	return false
}

func childElements(node *html.Node) []*html.Node {
	var all []*html.Node
	for child := range node.ChildNodes() {
		if child.Type == html.ElementNode {
			all = append(all, child)
		}
	}
	return all
}

func textOf(node *html.Node) string {
	var text strings.Builder
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			text.WriteString(child.Data)
		}
	}
	return text.String()
}
