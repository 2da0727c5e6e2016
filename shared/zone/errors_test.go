package zone

import (
	"errors"
	"io"
	"testing"
)

// TestErrorWords: the cause is known to errors.Is and kept out of the words.
func TestErrorWords(t *testing.T) {
	err := error(&Error{Kind: ErrUnreachable, Detail: "ns.test:53 cannot be reached", Cause: io.EOF})
	if !errors.Is(err, ErrUnreachable) || !errors.Is(err, io.EOF) || errors.Is(err, ErrRefused) {
		t.Errorf("%v is not what it wraps", err)
	}
	if want := "DNS server is unavailable: ns.test:53 cannot be reached"; err.Error() != want {
		t.Errorf("words %q, want %q", err, want)
	}
}

func TestTaken(t *testing.T) {
	cases := []struct {
		held Entry
		want string
	}{
		{Entry{Name: "web.test.", Owner: "u"}, "DNS name is taken: web.test. belongs to owner u"},
		{Entry{Name: "web.test.", Foreign: true}, "DNS name is taken: web.test. is in use and carries no owner mark"},
	}
	for _, c := range cases {
		if err := Taken(c.held); !errors.Is(err, ErrTaken) || err.Error() != c.want {
			t.Errorf("%+v: %q, want %q", c.held, err, c.want)
		}
	}
}
