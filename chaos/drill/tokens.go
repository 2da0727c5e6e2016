package drill

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
)

// tokens are words, and what stands for each of them in a normalized text. A word ends where letters and digits end: in
// web-x7k2p-0 there is the word web-x7k2p, and in web-x7k2pa there is not.
type tokens struct {
	// byEnd are the words by the letters and digits that they end in, of which hardly two have the same; the longest first.
	byEnd map[string][]token
	// done are texts in which the words have been replaced. Most texts come again in every object of a kind.
	done map[string]string
}

type token struct {
	word, stands string
	number       bool // it goes on with a dot and a digit, as an address does
	colons       bool // it goes on with a colon, as an address of IPv6 does
}

func newTokens(stands map[string]string) *tokens {
	t := &tokens{byEnd: map[string][]token{}, done: map[string]string{}}
	for word, stands := range stands {
		if end := word[startOfRun(word, len(word)):]; end != "" {
			t.byEnd[end] = append(t.byEnd[end], newToken(word, stands))
		}
	}
	for _, same := range t.byEnd {
		slices.SortFunc(same, func(a, b token) int { return cmp.Compare(len(b.word), len(a.word)) })
	}
	return t
}

func newToken(word, stands string) token {
	address, err := netip.ParseAddr(word)
	return token{word, stands, strings.Trim(word, "0123456789.") == "", err == nil && address.Is6()}
}

// replace puts what stands for them in place of the words of a text.
func (t *tokens) replace(text string) string {
	replaced, ok := t.done[text]
	if !ok {
		replaced = t.replaceFromEnd(text)
		t.done[text] = replaced
	}
	return replaced
}

func (t *tokens) replaceFromEnd(text string) string {
	rest, after := text, "" // what is still as it was, and what follows it
	for end := len(text); end > 0; {
		start := startOfRun(text, end)
		if start == end {
			end--
			continue
		}
		if found, ok := t.endingAt(text, start, end); ok {
			start = end - len(found.word)
			rest, after = text[:start], found.stands+rest[end:]+after
		}
		end = start
	}
	return rest + after
}

// endingAt returns the longest of the words that ends in a run of letters and digits.
func (t *tokens) endingAt(text string, start, end int) (token, bool) {
	for _, token := range t.byEnd[text[start:end]] {
		before, ends := strings.CutSuffix(text[:end], token.word)
		if ends && startOfRun(before, len(before)) == len(before) && !token.goesOn(before, text[end:]) {
			return token, true
		}
	}
	return token{}, false
}

// goesOn reports whether what is around a word makes it a part of a longer number or address.
func (t token) goesOn(before, after string) bool {
	if t.colons && (strings.HasSuffix(before, ":") || strings.HasPrefix(after, ":")) {
		return true
	}
	return t.number && (strings.HasSuffix(before, ".") && len(before) > 1 && isDigit(before[len(before)-2]) ||
		len(after) > 1 && after[0] == '.' && isDigit(after[1]))
}

// startOfRun returns where the letters and digits begin that end at a place of a text.
func startOfRun(text string, end int) int {
	for end > 0 && isWordByte(text[end-1]) {
		end--
	}
	return end
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// isWordByte takes every byte of a letter that is not English for one of a word.
func isWordByte(b byte) bool {
	return isDigit(b) || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= 0x80
}
