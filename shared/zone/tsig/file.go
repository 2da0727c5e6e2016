package tsig

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// ReadFile reads the one key of a key file. Errors name the file, and never show its content.
func ReadFile(path string) (*Key, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := Parse(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// Parse reads a key in the grammar of BIND's configuration, as tsig-keygen writes it:
//
//	key "name" { algorithm hmac-sha256; secret "base64"; };
//
// Comments in all three of BIND's styles are skipped. There must be exactly one key.
func Parse(text string) (*Key, error) {
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	p := parser{tokens}
	key, err := p.key()
	if err != nil {
		return nil, err
	}
	if len(p.rest) > 0 {
		return nil, fmt.Errorf("more than one statement: keep the one key in a file of its own")
	}
	return key, nil
}

// grammar matches, at the start of its input: a comment or space, a quoted string, or a bare token.
var grammar = regexp.MustCompile(`^(?:(\s+|//[^\n]*|#[^\n]*|(?s:/\*.*?\*/))|"([^"\n]*)"|([{};]|[^\s"{};]+))`)

// token is a word or one of the three marks; a quoted string is always a word.
type token struct {
	text   string
	quoted bool
}

func (t token) is(mark string) bool { return !t.quoted && t.text == mark }

func (t token) isMark() bool { return t.is("{") || t.is("}") || t.is(";") }

func scan(text string) (tokens []token, err error) {
	for len(text) > 0 {
		match := grammar.FindStringSubmatchIndex(text)
		switch {
		case match == nil:
			return nil, fmt.Errorf("a quoted string is not closed")
		case match[4] >= 0:
			tokens = append(tokens, token{text[match[4]:match[5]], true})
		case match[6] >= 0:
			tokens = append(tokens, token{text[match[6]:match[7]], false})
		}
		text = text[match[1]:]
	}
	return tokens, nil
}

// parser consumes tokens from the front.
type parser struct{ rest []token }

// key reads one whole key statement.
func (p *parser) key() (*Key, error) {
	if err := p.expect("key"); err != nil {
		return nil, err
	}
	name, err := p.word("the key's name")
	if err != nil {
		return nil, err
	}
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	clauses, err := p.clauses()
	if err != nil {
		return nil, fmt.Errorf("key %q: %w", name, err)
	}
	if err := p.expect(";"); err != nil {
		return nil, err
	}
	return NewKey(name, clauses["algorithm"], clauses["secret"])
}

// clauses reads the algorithm and the secret, in either order, up to the closing brace.
func (p *parser) clauses() (map[string]string, error) {
	clauses := map[string]string{}
	for len(p.rest) > 0 && !p.rest[0].is("}") {
		name, err := p.word("algorithm or secret")
		if err != nil {
			return nil, err
		}
		if name = strings.ToLower(name); name != "algorithm" && name != "secret" {
			return nil, fmt.Errorf("a key has an algorithm and a secret, and nothing else")
		}
		if _, twice := clauses[name]; twice {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		if clauses[name], err = p.word("a value for " + name); err != nil {
			return nil, err
		}
		if err := p.expect(";"); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"algorithm", "secret"} {
		if _, given := clauses[name]; !given {
			return nil, fmt.Errorf("%s is missing", name)
		}
	}
	return clauses, p.expect("}")
}

func (p *parser) word(what string) (string, error) {
	if len(p.rest) == 0 || p.rest[0].isMark() {
		return "", fmt.Errorf("%s is missing", what)
	}
	text := p.rest[0].text
	p.rest = p.rest[1:]
	return text, nil
}

func (p *parser) expect(text string) error {
	if len(p.rest) == 0 || !p.rest[0].is(text) {
		return fmt.Errorf(`%q is missing: the file must read key "name" { algorithm hmac-sha256; secret "..."; };`, text)
	}
	p.rest = p.rest[1:]
	return nil
}
