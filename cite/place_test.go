package cite

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestLinesWith(t *testing.T) {
	const content = "a b\n\nb c\r\nb b"
	for text, want := range map[string][]int{"a": {1}, "b": {1, 3, 4}, "b c": {3}, "b\nb": nil, "d": nil} {
		if got := LinesWith([]byte(content), text); !slices.Equal(got, want) {
			t.Errorf("%q is in %v, want %v", text, got, want)
		}
	}
}

func TestLinesDeclaring(t *testing.T) {
	const file = "testdata/modules/example.com/lib@v1.1.0/list.go"
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for symbol, want := range map[string][]int{
		"List": {7}, "List.Mutex": {8}, "List.n": {9}, "List.most": {9}, "List.Len": {13}, "Len": {16},
		"Sized": {18}, "Sized.Len": {18}, "None": {21}, "Some": {22}, "one": {25}, "init": {27, 29},
		"Mutex": nil, "List.Size": nil, "lib": nil,
	} {
		if got, err := linesDeclaring(file, source, symbol); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is declared in %v (%v), want %v", symbol, got, err, want)
		}
	}
	_, err = linesDeclaring(file, []byte("package {{"), "List")
	if err == nil || !strings.Contains(err.Error(), "no Go that can be parsed") {
		t.Errorf("a file that cannot be parsed: %v", err)
	}
}
