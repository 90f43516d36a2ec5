// If the sender asked for a fallback, sends the sender's own text; if there is none, that of the template.
package main

import "local/patchbay"

func init() { patchbay.Fallback(decide) }

func decide(undeliverable patchbay.Undeliverable) (patchbay.Decision, error) {
	requested := undeliverable.Requested
	if !requested.SendFallback {
		return patchbay.Skip("not asked for"), nil
	}
	text := requested.Text.SomeOr(patchbay.Value(undeliverable.AutoText))
	if text == "" {
		return patchbay.Skip("there is no text"), nil
	}
	return patchbay.SendSMS(text, requested.Unicode), nil
}

// main is never called, but the compiler requires it.
func main() {}
