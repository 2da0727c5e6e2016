package zone

import (
	"strings"
	"testing"
)

func TestOwnerText(t *testing.T) {
	cases := []struct {
		owner string
		ok    bool
	}{
		{"4fd1e1ab-1f0e-4a8e-9d5e-0d6a3c1f2b3c", true},
		{strings.Repeat("u", 240), true},
		{strings.Repeat("u", 241), false},
		{"", false},
		{"two words", false},
		{`quo"ted`, false},
		{"zwölf", false},
	}
	for _, c := range cases {
		text, err := OwnerText(c.owner)
		if (err == nil) != c.ok {
			t.Errorf("OwnerText(%q) = %q, %v; want ok %t", c.owner, text, err, c.ok)
		}
	}
}

// FuzzParseOwner: a text is a mark exactly when it is the text of the owner it names.
func FuzzParseOwner(f *testing.F) {
	for _, text := range []string{"", "twinloop-owner=", "twinloop-owner=u-1", "twinloop-owner=a b", "v=spf1 -all"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		owner, ok := ParseOwner(text)
		back, err := OwnerText(owner)
		if ok && (err != nil || back != text) {
			t.Errorf("%q names owner %q, whose text is %q, %v", text, owner, back, err)
		}
		if !ok && owner != "" {
			t.Errorf("%q is no mark, yet names %q", text, owner)
		}
	})
}
