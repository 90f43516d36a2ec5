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
	Other         = shaper.WebhookEvent_Other
)

// Unchanged is the body that the host writes without a plugin.
var Unchanged = unchanged{}

type unchanged struct{}

// Shaper makes a function the shaper. It returns a value with JSON tags, Unchanged, or nil if the event is not sent.
// Call it in an init function.
func Shaper(shape func(event WebhookEvent) (any, error)) {
	export_patchbay_plugin_shaper.Shape = func(event WebhookEvent) wit.Result[shaper.Body, shaper.Error] {
		type result = shaper.Body
		body, err := shape(event)
		if err != nil {
			return wit.Err[result, shaper.Error](failure(err))
		}
		if body == nil {
			return wit.Ok[result, shaper.Error](shaper.MakeBodySkip())
		}
		if body == Unchanged {
			return wit.Ok[result, shaper.Error](shaper.MakeBodyUnchanged())
		}
		text, err := json.Marshal(body)
		if err != nil {
			return wit.Err[result, shaper.Error](failure(err))
		}
		return wit.Ok[result, shaper.Error](shaper.MakeBodyJson(string(text)))
	}
}
