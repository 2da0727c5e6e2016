package tsig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const generated = `key "fleet-key" {
	algorithm hmac-sha256;
	secret "c2VjcmV0";
};
`

func TestParse(t *testing.T) {
	want := &Key{Name: "fleet-key.", Algorithm: "hmac-sha256.", Secret: []byte("secret")}
	cases := map[string]string{
		"as generated":     generated,
		"on one line":      `key "fleet-key" { algorithm hmac-sha256; secret "c2VjcmV0"; };`,
		"the other order":  `key fleet-key{secret "c2VjcmV0";algorithm "HMAC-SHA256";};`,
		"secret unquoted":  `key fleet-key { algorithm hmac-sha256; secret c2VjcmV0; };`,
		"capitals":         `key "Fleet-Key." { algorithm hmac-sha256.; secret "c2VjcmV0"; };`,
		"with comments":    "# one\n// two\n/* three\n four */" + generated + "# five",
		"comment in words": `key "fleet-key" /* x */ { algorithm hmac-sha256; // y` + "\n" + `secret "c2VjcmV0"; };`,
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("key (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseRejects(t *testing.T) {
	const form = `the file must read key "name" { algorithm hmac-sha256; secret "..."; };`
	cases := []struct{ name, text, err string }{
		{"empty", "", `"key" is missing: ` + form},
		{"something else", "options { };", `"key" is missing: ` + form},
		{"no name", "key { };", "the key's name is missing"},
		{"no brace", `key "k";`, `"{" is missing: ` + form},
		{"not closed", `key "k" { algorithm hmac-sha256; secret "c2Vj";`, `key "k": "}" is missing: ` + form},
		{"no last semicolon", `key "k" { algorithm hmac-sha256; secret "c2Vj"; }`, `";" is missing: ` + form},
		{"no secret", `key "k" { algorithm hmac-sha256; };`, `key "k": secret is missing`},
		{"no algorithm", `key "k" { secret "c2Vj"; };`, `key "k": algorithm is missing`},
		{"no value", `key "k" { algorithm; };`, `key "k": a value for algorithm is missing`},
		{"secret twice", `key "k" { secret "a"; secret "b"; };`, `key "k": secret is given twice`},
		{"another clause", `key "k" { colour blue; };`, `key "k": a key has an algorithm and a secret, and nothing else`},
		{"old algorithm", `key "k" { algorithm hmac-md5; secret "c2Vj"; };`,
			`key "k": algorithm "hmac-md5" is not supported: use hmac-sha256 or hmac-sha512`},
		{"not base64", `key "k" { algorithm hmac-sha256; secret "c2V"; };`, `key "k": the secret is not base64`},
		{"empty secret", `key "k" { algorithm hmac-sha256; secret ""; };`, `key "k": the secret is not base64`},
		{"bad name", `key "a..b" { algorithm hmac-sha256; secret "c2Vj"; };`, `key name "a..b" is not a domain name`},
		{"string not closed", `key "k`, "a quoted string is not closed"},
		{"two keys", generated + generated, "more than one statement: keep the one key in a file of its own"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Parse(c.text); err == nil || err.Error() != c.err {
				t.Errorf("error %v\nwant  %s", err, c.err)
			}
		})
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fleet.key")
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file that is not there: error %v", err)
	}
	if err := os.WriteFile(path, []byte(generated), 0o600); err != nil {
		t.Fatal(err)
	}
	if key, err := ReadFile(path); err != nil || key.String() != "fleet-key (hmac-sha256)" {
		t.Errorf("read %v, %v", key, err)
	}
}

// FuzzParse: no text makes the parser panic, and what it takes is a key that can sign.
func FuzzParse(f *testing.F) {
	for _, text := range []string{generated, "", "key k{};", "/*", `"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, err := Parse(text)
		if err == nil && (len(key.Secret) == 0 || hashes[key.Algorithm] == nil || !strings.HasSuffix(key.Name, ".")) {
			t.Errorf("%q gives %#v", text, key)
		}
	})
}
