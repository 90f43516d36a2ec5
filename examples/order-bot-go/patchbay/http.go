package patchbay

import (
	"encoding/json"
	"fmt"

	"local/build/bindings/imports/patchbay_plugin_http"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// Request is an outgoing HTTP request, to a host that the activation allows.
type Request struct {
	// Method is GET if it is empty.
	Method string
	// URL is an absolute address.
	URL     string
	Headers map[string]string
	Body    []byte
	// TimeoutMs is the longest wait. 0 means the limit of the host.
	TimeoutMs uint32
}

// Response is the response, with any status.
type Response struct {
	Status int
	// Headers by their names in lower case.
	Headers map[string]string
	Body    []byte
}

// OK is true if the status is 200 to 299.
func (r *Response) OK() bool { return r.Status >= 200 && r.Status < 300 }

// JSON reads the body into a value with JSON tags.
func (r *Response) JSON(into any) error { return json.Unmarshal(r.Body, into) }

// Fetch sends a GET request and waits for the response.
func Fetch(url string) (*Response, error) { return Send(Request{URL: url}) }

// Send sends any request and waits for the response. The error is an *Error if none comes.
func Send(request Request) (*Response, error) {
	result := patchbay_plugin_http.Send(outgoing(request))
	if result.IsErr() {
		return nil, unanswered(result.Err())
	}
	return received(result.Ok()), nil
}

// Start sends any request after this call, with a deadline of 1 to 120 seconds (TimeoutMs, 60 seconds if it is 0), and
// returns the id of its job. The response comes as an event, see Finished.
func Start(request Request) (job string, err error) {
	result := patchbay_plugin_http.Start(outgoing(request))
	if result.IsErr() {
		return "", unanswered(result.Err())
	}
	return result.Ok(), nil
}

func outgoing(request Request) patchbay_plugin_http.Request {
	out := patchbay_plugin_http.Request{
		Method:    request.Method,
		Url:       request.URL,
		Body:      wit.None[[]uint8](),
		TimeoutMs: wit.None[uint32](),
	}
	if out.Method == "" {
		out.Method = "GET"
	}
	for name, value := range request.Headers {
		out.Headers = append(out.Headers, wit.Tuple2[string, string]{F0: name, F1: value})
	}
	if request.Body != nil {
		out.Body = wit.Some(request.Body)
	}
	if request.TimeoutMs != 0 {
		out.TimeoutMs = wit.Some(request.TimeoutMs)
	}
	return out
}

func received(answer patchbay_plugin_http.Response) *Response {
	headers := make(map[string]string, len(answer.Headers))
	for _, header := range answer.Headers {
		headers[header.F0] = header.F1
	}
	return &Response{Status: int(answer.Status), Headers: headers, Body: answer.Body}
}

func unanswered(fault patchbay_plugin_http.Error) error {
	switch fault.Tag() {
	case patchbay_plugin_http.Error_NotGranted:
		return &Error{Code: "http-not-granted", Message: fault.NotGranted()}
	case patchbay_plugin_http.Error_InvalidRequest:
		return &Error{Code: "http-invalid-request", Message: fault.InvalidRequest()}
	case patchbay_plugin_http.Error_TimedOut:
		return &Error{Code: "http-timed-out", Message: "no response in time", Retry: true}
	case patchbay_plugin_http.Error_TooLarge:
		return &Error{Code: "http-too-large", Message: fmt.Sprintf("the response is larger than %d bytes", fault.TooLarge())}
	default:
		return &Error{Code: "http-failed", Message: fault.Failed(), Retry: true}
	}
}
