package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// newAuthority makes a certificate authority, returned in PEM, and a certificate for loopback that it has signed.
// The two are apart because not every TLS library lets an authority serve (webpki, under kube-rs, does not), and
// their keys are elliptic because RSA keys take longer to make than an operator takes to start.
func newAuthority() (ca []byte, serving tls.Certificate, err error) {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, tls.Certificate{}, err
	}
	issuer := certificateTemplate(1, "twinloop proxy CA")
	issuer.IsCA = true
	issuer.BasicConstraintsValid = true
	issuer.KeyUsage = x509.KeyUsageCertSign
	caDER, err := x509.CreateCertificate(rand.Reader, issuer, issuer, caKey.Public(), caKey)
	if err != nil {
		return nil, tls.Certificate{}, err
	}

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, tls.Certificate{}, err
	}
	server := certificateTemplate(2, "twinloop proxy")
	server.KeyUsage = x509.KeyUsageDigitalSignature
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	server.DNSNames = []string{"localhost"}
	serverDER, err := x509.CreateCertificate(rand.Reader, server, issuer, key.Public(), caKey)
	if err != nil {
		return nil, tls.Certificate{}, err
	}

	ca = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER})
	return ca, tls.Certificate{Certificate: [][]byte{serverDER}, PrivateKey: key}, nil
}

func certificateTemplate(serial int64, name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour), // a caller's clock may be behind
		NotAfter:     now.AddDate(1, 0, 0),
	}
}
