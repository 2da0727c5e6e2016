package zone

import (
	"fmt"
	"regexp"
	"strings"
)

// ownerPrefix starts the text of the TXT record that says whose a name is.
const ownerPrefix = "twinloop-owner="

// maxText is the longest character string a TXT record holds (RFC 1035 section 3.3).
const maxText = 255

// uid admits every Kubernetes uid, and nothing that a TXT record would have to escape.
var uid = regexp.MustCompile(`^[A-Za-z0-9._:-]+$`)

// OwnerText returns the text that marks a name as the owner's: twinloop-owner=<uid>.
func OwnerText(owner string) (string, error) {
	text := ownerPrefix + owner
	if !uid.MatchString(owner) || len(text) > maxText {
		return "", fmt.Errorf("owner %q is not a uid: letters, digits and . _ : -, at most %d of them",
			owner, maxText-len(ownerPrefix))
	}
	return text, nil
}

// ParseOwner returns the uid that an owner text names, and false when the text is anything else.
func ParseOwner(text string) (owner string, ok bool) {
	owner, ok = strings.CutPrefix(text, ownerPrefix)
	if !ok || !uid.MatchString(owner) || len(text) > maxText {
		return "", false
	}
	return owner, true
}
