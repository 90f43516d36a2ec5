// Sends the sender's own text, else that of the template, when a fallback was asked for.
package main

import "local/patchbay"

func init() { patchbay.Fallback(decide) }

func decide(undeliverable patchbay.Undeliverable) patchbay.Decision {
	requested := undeliverable.Requested
	if !requested.SendFallback {
		return patchbay.Skip("not asked for")
	}
	text := requested.Text.SomeOr(patchbay.Value(undeliverable.AutoText))
	if text == "" {
		return patchbay.Skip("there is no text")
	}
	return patchbay.SendSMS(text, requested.Unicode)
}

// main is never called; the compiler wants one.
func main() {}
