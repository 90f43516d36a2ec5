package patchbay

import (
	"local/build/bindings/exports/export_patchbay_plugin_sms_routing"
	routing "local/build/bindings/imports/patchbay_plugin_sms_routing"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// The input and the output.
type (
	Sms      = routing.Sms
	Decision = routing.Decision
)

// SmsRouter makes a function the router. It is called for each message. Call it in an init function.
func SmsRouter(decide func(sms Sms) (Decision, error)) {
	export_patchbay_plugin_sms_routing.DecideSms = func(messages []Sms) wit.Result[[]Decision, routing.Error] {
		decisions := make([]Decision, 0, len(messages))
		for _, sms := range messages {
			decision, err := decide(sms)
			if err != nil {
				return wit.Err[[]Decision, routing.Error](failure(err))
			}
			decisions = append(decisions, decision)
		}
		return wit.Ok[[]Decision, routing.Error](decisions)
	}
}

// IsOutgoing is true if a message goes to a subscriber.
func IsOutgoing(sms Sms) bool { return sms.Direction == routing.Direction_Outgoing }

// Changes of a message. Absent fields stay unchanged.
type Changes struct {
	Bind, Source    string
	Priority        uint8
	ValiditySeconds uint32
	Text, Reason    string
}

// AsIs sends a message unchanged.
func AsIs() Decision { return routing.MakeDecisionAsIs() }

// Changed sends a message with changes.
func Changed(changes Changes) Decision {
	return routing.MakeDecisionChange(routing.Change{
		Bind:            Optional(changes.Bind),
		Source:          Optional(changes.Source),
		Priority:        unlessZero(changes.Priority),
		ValiditySeconds: unlessZero(changes.ValiditySeconds),
		Text:            Optional(changes.Text),
		Reason:          Optional(changes.Reason),
	})
}

// Refuse refuses a message, for this reason.
func Refuse(reason string) Decision { return routing.MakeDecisionRefuse(reason) }

func unlessZero[N uint8 | uint32](number N) wit.Option[N] {
	if number == 0 {
		return wit.None[N]()
	}
	return wit.Some(number)
}
