package patchbay

import (
	"encoding/json"

	"local/build/bindings/exports/export_patchbay_plugin_shaper"
	shaper "local/build/bindings/imports/patchbay_plugin_shaper"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// WebhookEvent is the reported event.
type WebhookEvent = shaper.WebhookEvent

// Kinds of events, by their tags.
const (
	Incoming      = shaper.WebhookEvent_Incoming
	Status        = shaper.WebhookEvent_Status
	SessionStatus = shaper.WebhookEvent_SessionStatus
	Partner       = shaper.WebhookEvent_Partner
	ChatbotEvent  = shaper.WebhookEvent_Chatbot
)

// Shaper makes a function the shaper. It returns a value with JSON tags, or nil if the event is not sent.
// Call it in an init function.
func Shaper(shape func(event WebhookEvent) (any, error)) {
	export_patchbay_plugin_shaper.Shape = func(event WebhookEvent) wit.Result[wit.Option[string], shaper.Error] {
		type result = wit.Option[string]
		body, err := shape(event)
		if err != nil {
			return wit.Err[result, shaper.Error](failure(err))
		}
		if body == nil {
			return wit.Ok[result, shaper.Error](wit.None[string]())
		}
		text, err := json.Marshal(body)
		if err != nil {
			return wit.Err[result, shaper.Error](failure(err))
		}
		return wit.Ok[result, shaper.Error](wit.Some(string(text)))
	}
}
