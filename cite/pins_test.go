package cite

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

func TestPinned(t *testing.T) {
	files := map[string]*modfile.File{}
	for name, content := range map[string]string{
		"go.mod": `
			module example.com/project
			require (
				example.com/everywhere v1.1.0
				example.com/deep v1.0.0 // indirect
				example.com/forked v1.0.0
				example.com/local v1.0.0
				example.com/replaced v0.0.0
			)
			replace example.com/forked => example.com/fork v1.0.1
			replace example.com/local => ../local
			replace example.com/replaced v0.0.0 => example.com/replaced v1.2.0
			replace example.com/replaced => example.com/replaced v1.9.0`,
		"tools/a/go.mod": `
			module example.com/project/tools/a
			require (
				example.com/everywhere v1.0.0
				example.com/deep v1.3.0
				example.com/tool v1.2.0
				example.com/side v1.9.0 // indirect
				example.com/below v1.9.0 // indirect
			)`,
		"tools/b/go.mod": `
			module example.com/project/tools/b
			require (
				example.com/tool v1.10.0
				example.com/side v1.0.0
				example.com/below v1.10.0 // indirect
			)`,
	} {
		file, err := modfile.Parse(name, []byte(content), nil)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = file
	}
	want := pins{
		"example.com/everywhere": {{"v1.1.0", "."}},
		"example.com/deep":       {{"v1.0.0", "."}},
		"example.com/fork":       {{"v1.0.1", "."}},
		"example.com/replaced":   {{"v1.2.0", "."}},
		"example.com/tool":       {{"v1.10.0", "tools/b"}, {"v1.2.0", "tools/a"}},
		"example.com/side":       {{"v1.0.0", "tools/b"}},
		"example.com/below":      {{"v1.10.0", "tools/b"}, {"v1.9.0", "tools/a"}},
	}
	if difference := cmp.Diff(want, pinned(files), cmp.AllowUnexported(pin{})); difference != "" {
		t.Error(difference)
	}
}
