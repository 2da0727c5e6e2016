package controlplane

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
)

// AdminConfig is a client configuration that may do anything, and is not throttled.
func (c *ControlPlane) AdminConfig() *rest.Config {
	return &rest.Config{
		Host:            c.URL,
		BearerToken:     c.token,
		TLSClientConfig: rest.TLSClientConfig{CAData: c.CA},
		QPS:             -1,
	}
}

// Access says whom a kubeconfig is for and which way it leads. The zero value is the administrator, directly.
type Access struct {
	// ServiceAccount must exist. If it is zero, the kubeconfig is the administrator's.
	ServiceAccount types.NamespacedName
	// Namespace is the one that commands use when none is named; by default the ServiceAccount's own.
	Namespace string
	// Server and CA replace the API server's URL and PEM certificate, for a proxy that stands in front.
	Server string
	CA     []byte
}

// Kubeconfig writes a kubeconfig with a bearer token in it, which for a ServiceAccount is requested from the
// API server (TokenRequest) and is valid for a year.
func (c *ControlPlane) Kubeconfig(ctx context.Context, to Access) ([]byte, error) {
	user, namespace, token := "admin", to.Namespace, c.token
	if account := to.ServiceAccount; account != (types.NamespacedName{}) {
		var err error
		if token, err = c.requestToken(ctx, account); err != nil {
			return nil, err
		}
		user = account.Name
		if namespace == "" {
			namespace = account.Namespace
		}
	}
	server, ca := c.URL, c.CA
	if to.Server != "" {
		server, ca = to.Server, to.CA
	}
	const name = "twinloop"
	return clientcmd.Write(clientcmdapi.Config{
		CurrentContext: name,
		Clusters:       map[string]*clientcmdapi.Cluster{name: {Server: server, CertificateAuthorityData: ca}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{user: {Token: token}},
		Contexts:       map[string]*clientcmdapi.Context{name: {Cluster: name, AuthInfo: user, Namespace: namespace}},
	})
}

func (c *ControlPlane) requestToken(ctx context.Context, account types.NamespacedName) (string, error) {
	client, err := kubernetes.NewForConfig(c.AdminConfig())
	if err != nil {
		return "", err
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: ptr.To(int64(lifetime.Seconds())),
	}}
	answer, err := client.CoreV1().ServiceAccounts(account.Namespace).
		CreateToken(ctx, account.Name, request, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("request a token for ServiceAccount %s: %w", account, err)
	}
	return answer.Status.Token, nil
}
