package controlplane

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// lifetime is that of certificates and tokens: longer than any control plane of this package runs.
const lifetime = 365 * 24 * time.Hour

// writeCredentials makes what the programs prove themselves by: a self-signed certificate that they serve with, the
// key that signs ServiceAccount tokens, and the administrator's token, of the group that RBAC lets do anything.
func (c *ControlPlane) writeCredentials() error {
	certPEM, keyPEM, err := selfSigned(time.Now())
	if err != nil {
		return err
	}
	signing, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return err
	}
	c.CA, c.token = certPEM, rand.Text()
	kubeconfig, err := c.Kubeconfig(context.Background(), Access{})
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		certFile:    certPEM,
		keyFile:     keyPEM,
		signingKey:  signing,
		tokenFile:   []byte(c.token + ",admin,admin,system:masters\n"),
		adminConfig: kubeconfig,
	} {
		if err := os.WriteFile(filepath.Join(c.dir, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// selfSigned makes a certificate for loopback that is its own authority, and its key, both PEM.
func selfSigned(now time.Time) (certPEM, keyPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(now.UnixNano()),
		Subject:               pkix.Name{CommonName: "twinloop control plane"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(lifetime),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, fmt.Errorf("make the serving certificate: %w", err)
	}
	keyPEM, err = keyutil.MarshalPrivateKeyToPEM(key)
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: der}), keyPEM, err
}
