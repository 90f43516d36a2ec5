package patchbay

import (
	"local/build/bindings/exports/export_patchbay_plugin_fallback"
	fallback "local/build/bindings/imports/patchbay_plugin_fallback"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// The input and the output.
type (
	Undeliverable = fallback.Undeliverable
	Decision      = fallback.Decision
)

// Fallback makes a function the rule. Call it in an init function.
func Fallback(decide func(undeliverable Undeliverable) (Decision, error)) {
	export_patchbay_plugin_fallback.Decide = func(undeliverable Undeliverable) wit.Result[Decision, fallback.Error] {
		decision, err := decide(undeliverable)
		if err != nil {
			return wit.Err[Decision, fallback.Error](failure(err))
		}
		return wit.Ok[Decision, fallback.Error](decision)
	}
}

// SendSMS sends a text, from the sender id that is set for the client.
func SendSMS(text string, unicode bool) Decision {
	return fallback.MakeDecisionSend(fallback.Sms{Text: text, Unicode: unicode, Sender: Optional("")})
}

// Skip sends nothing, for this reason.
func Skip(reason string) Decision { return fallback.MakeDecisionSkip(reason) }
