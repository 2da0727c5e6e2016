// Package quiet counts what a settled operator asks of the API server and of the DNS server: nothing.
package quiet
