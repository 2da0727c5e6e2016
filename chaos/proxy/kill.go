package proxy

import "net/http"

// KillBefore kills the operator at every request that place covers, with the request not forwarded: it freezes the
// proxy, calls strike, and leaves the caller without an answer. Strike must return only when the operator is known
// to be dead; a drill that kills once gives an ordinal, or clears the interceptor before it thaws the proxy.
func KillBefore(place Place, strike func()) Interceptor {
	return func(call *Call) (*http.Response, error) {
		if !place.Covers(call.Place) || !call.Freeze() {
			return call.Forward()
		}
		strike()
		return nil, ErrDropped
	}
}

// KillAfter is [KillBefore] with the API server's answer in hand: the request has taken effect, if the API server
// accepted it, and the operator dies without having heard. A request the API server did not answer kills nobody.
func KillAfter(place Place, strike func()) Interceptor {
	return func(call *Call) (*http.Response, error) {
		answer, err := call.Forward()
		if err != nil || !place.Covers(call.Place) || !call.Freeze() {
			return answer, err
		}
		answer.Body.Close()
		strike()
		return nil, ErrDropped
	}
}
