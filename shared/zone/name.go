package zone

import (
	"fmt"
	"regexp"
	"strings"
)

// Limits of RFC 1035 section 2.3.4. A name of 255 octets on the wire is written with 254 characters,
// final dot included.
const (
	maxLabel = 63
	maxName  = 254
)

// label is a host name's label: letters, digits and inner hyphens (RFC 1123 section 2.1).
var label = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// FQDN returns the name under which a Fleet is published, <fleet>.<namespace>.<zone>, in canonical form.
// The error names the part that is at fault.
func FQDN(fleet, namespace, zone string) (string, error) {
	if err := ValidateName(zone); err != nil {
		return "", fmt.Errorf("zone: %w", err)
	}
	name := Canonical(fleet + "." + namespace + "." + zone)
	return name, ValidateName(name)
}

// Canonical returns a name in lower case with the final dot (RFC 4034 section 6.2).
func Canonical(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, ".")) + "."
}

// ValidateName reports why a name, with or without its final dot, is not the name of a host or a zone of
// hosts. The root is not one.
func ValidateName(name string) error {
	canonical := Canonical(name)
	if canonical == "." {
		return fmt.Errorf("%q is not a domain name: give one such as fleet.example.com", name)
	}
	if len(canonical) > maxName {
		return fmt.Errorf("%q is not a domain name: %d characters, at most %d fit", name, len(canonical), maxName)
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(canonical, "."), ".") {
		if len(part) > maxLabel {
			return fmt.Errorf("%q is not a domain name: label %q has %d characters, at most %d fit",
				name, part, len(part), maxLabel)
		}
		if !label.MatchString(part) {
			return fmt.Errorf("%q is not a domain name: label %q must be letters, digits and inner hyphens", name, part)
		}
	}
	return nil
}
