package patchbay

import (
	"local/build/bindings/exports/export_patchbay_plugin_routing"
	routing "local/build/bindings/imports/patchbay_plugin_routing"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// The input and the output.
type (
	Inbound  = routing.Inbound
	Decision = routing.Decision
)

// Router makes a function the router. Call it in an init function.
func Router(route func(inbound Inbound) (Decision, error)) {
	export_patchbay_plugin_routing.Route = func(inbound Inbound) wit.Result[Decision, routing.Error] {
		decision, err := route(inbound)
		if err != nil {
			return wit.Err[Decision, routing.Error](failure(err))
		}
		return wit.Ok[Decision, routing.Error](decision)
	}
}

// ToBot lets a chatbot answer; if the name is empty, the client's default one. The reason is stored with the decision.
func ToBot(name, reason string) Decision {
	return Decision{Target: routing.MakeTargetBot(Optional(name)), Reason: reason, Note: Optional("")}
}

// ToTeam lets the conversation wait for a team. The note is for the agent.
func ToTeam(name, reason, note string) Decision {
	return Decision{Target: routing.MakeTargetTeam(name), Reason: reason, Note: Optional(note)}
}

// ToAgent lets an agent answer, by id.
func ToAgent(id, reason, note string) Decision {
	return Decision{Target: routing.MakeTargetAgent(id), Reason: reason, Note: Optional(note)}
}

// ToQueue lets the conversation wait in the unassigned queue.
func ToQueue(reason, note string) Decision {
	return Decision{Target: routing.MakeTargetQueue(), Reason: reason, Note: Optional(note)}
}
