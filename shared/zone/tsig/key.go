// Package tsig holds the shared keys that sign DNS messages (RFC 8945), and reads them from the file
// that BIND's tsig-keygen writes.
package tsig

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
)

// Key is a TSIG key: a secret that a server and its client both know, under a name both use for it.
type Key struct {
	// Name is the key's name in canonical form, a domain name by syntax only.
	Name string
	// Algorithm is the canonical name of the HMAC, such as "hmac-sha256.".
	Algorithm string
	// Secret is the shared secret itself, decoded.
	Secret []byte
}

// NewKey checks the three parts of a key as a key file writes them, the secret in base64.
func NewKey(name, algorithm, secret string) (*Key, error) {
	key := &Key{Name: zone.Canonical(name), Algorithm: zone.Canonical(algorithm)}
	if _, ok := dns.IsDomainName(key.Name); !ok || key.Name == "." {
		return nil, fmt.Errorf("key name %q is not a domain name", name)
	}
	if _, ok := hashes[key.Algorithm]; !ok {
		return nil, fmt.Errorf("key %q: algorithm %q is not supported: use hmac-sha256 or hmac-sha512", name, algorithm)
	}
	var err error
	if key.Secret, err = base64.StdEncoding.DecodeString(secret); err != nil || len(key.Secret) == 0 {
		return nil, fmt.Errorf("key %q: the secret is not base64", name)
	}
	return key, nil
}

// String names the key and never shows its secret.
func (k *Key) String() string {
	return fmt.Sprintf("%s (%s)", strings.TrimSuffix(k.Name, "."), strings.TrimSuffix(k.Algorithm, "."))
}
