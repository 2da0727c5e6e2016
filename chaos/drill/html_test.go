package drill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/twinloop/chaos/proxy"
)

// hostile is what an operator might print, or name its objects, to take over the page.
const hostile = `</script><script>document.body.remove()</script>` +
	`"'><img src="http://192.0.2.1/x" onerror="document.body.remove()"> {{.}} &lt; \u003c ` + "`${1}`\u2028<!--"

// exampleReport has a point of every sort, and hostile text wherever an operator decides on it.
func exampleReport() *Report {
	create := func(ordinal int, fault Fault) Point {
		return Point{proxy.Place{Step: "create", Kind: "POST pods", Ordinal: ordinal}, fault}
	}
	struck := Timeline{
		{Lane: "operator", Kind: "start", Text: "started"},
		{Lane: "scenario", Kind: "step", At: 10, Took: 900, Text: "create: 0 to 2"},
		{Lane: "api", Row: "POST pods", Kind: "unheard", At: 20, Took: 5, Text: "create: POST pods #1 " + hostile + ": 201"},
		{Lane: "watch", Row: "pods", Kind: "added", At: 24, Text: "pods " + hostile},
		{Lane: "operator", Kind: "kill", At: 25, Text: "SIGKILL in create, count 1"},
		{Lane: "operator", Kind: "start", At: 60, Text: "restarted"},
		{Lane: "operator", Kind: "step", At: 60, Took: 850, Text: "recovering"},
		{Lane: "dns", Row: hostile, Kind: "refused", At: 300.125, Took: 1, Text: hostile},
	}
	points := []PointResult{
		{Point: create(1, Before), Verdict: Passed, Attempts: 1, CountAfter: 2, RecoverySeconds: 0.85, Timeline: struck},
		{Point: create(1, After), Verdict: Failed, Attempts: 2, CountAtKill: 1, CountAfter: 2, Timeline: struck, Log: hostile,
			Findings: []Finding{{Oracle: "leaks", Text: hostile}, {Oracle: "honest", Text: hostile}}},
		{Point: create(2, Before), Verdict: NotReached, Attempts: 5, Timeline: struck[:4]},
		{Point: Point{proxy.Place{Step: hostile, Kind: hostile, Ordinal: 1}, After}, Verdict: Passed, Attempts: 1,
			Timeline: struck},
	}
	summary := Summary{
		Operator: hostile, Drill: "crash", Points: 4, Injected: 3, Passed: 2, Failed: 2, HalfDone: 1, Seconds: 12.5,
	}
	return &Report{Summary: summary, Points: points, Reference: struck[:4]}
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
	scripts := 0
	for _, node := range elements(t, writePage(t, exampleReport())) {
		switch node.Data {
		case "script":
			scripts++
		case "img", "iframe", "object", "embed", "link", "base", "form", "video", "audio":
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
	for _, call := range []string{"fetch(", "XMLHttpRequest", "WebSocket", "innerHTML", "eval("} {
		if strings.Contains(page, call) {
			t.Errorf("the page's code has %s", call)
		}
	}
}

func TestPageShowsEveryPoint(t *testing.T) {
	report := exampleReport()
	cells, rows := map[string]int{}, map[string]string{}
	for _, node := range elements(t, writePage(t, report)) {
		switch {
		case strings.HasPrefix(attribute(node, "class"), "cell") && node.Data == "a":
			cells[attribute(node, "title")]++
		case node.Data == "tr" && attribute(node, "data-point") != "":
			rows[attribute(node, "data-point")] = attribute(node, "data-verdict")
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

func TestPageHoldsTheRunsAsTheyWere(t *testing.T) {
	report := exampleReport()
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
			timeline = append(timeline, Mark{Lane: text(0), Row: text(1), Kind: text(2), At: m[3], Took: m[4], Text: text(5)})
		}
		got := PointResult{Timeline: timeline, Findings: run.Findings, Log: run.Log}
		wanted := PointResult{Timeline: want[i].Timeline, Findings: want[i].Findings, Log: want[i].Log}
		if difference := cmp.Diff(wanted, got); difference != "" {
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

func textOf(node *html.Node) string {
	var text strings.Builder
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			text.WriteString(child.Data)
		}
	}
	return text.String()
}

func TestTimelineShowsWhatDidNotCome(t *testing.T) {
	began := time.Now()
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	place := proxy.Place{Step: "roll", Kind: "UPDATE z.", Ordinal: 1}
	run := &Recording{
		Began:   began,
		Steps:   []StepRecord{{Name: "create", Began: at(0), Settled: at(100), CountAfter: 2}},
		Updates: []Update{{Place: place, Text: "add", Arrived: at(150)}},
		Strike:  &Strike{Step: "roll", Fault: After, At: at(160), Recovered: at(900), Count: 1},
		Failure: errors.New("roll: not settled"),
	}
	want := Timeline{
		{Lane: "operator", Kind: "start", Text: "started"},
		{Lane: "scenario", Kind: "step", Took: 100, Text: "create: 0 to 2"},
		{Lane: "scenario", Kind: "unsettled", At: 100, Took: 60, Text: "roll: not settled"},
		{Lane: "dns", Row: "UPDATE z.", Kind: "unheard", At: 150, Text: "roll: UPDATE z. #1: add (never applied)"},
		{Lane: "operator", Kind: "kill", At: 160, Text: "SIGKILL in roll, count 1"},
	}
	if difference := cmp.Diff(want, newTimeline(run)); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}

// A fault that kills nobody has no restart.
func TestTimelineOfSurvivor(t *testing.T) {
	began := time.Now()
	at := began.Add(160 * time.Millisecond)
	run := &Recording{Began: began, Strike: &Strike{Step: "roll", Fault: Cut, At: at, Recovered: at.Add(time.Second)}}
	want := Timeline{
		{Lane: "operator", Kind: "start", Text: "started"},
		{Lane: "operator", Kind: "kill", At: 160, Text: "cut in roll"},
	}
	if difference := cmp.Diff(want, newTimeline(run)); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}
