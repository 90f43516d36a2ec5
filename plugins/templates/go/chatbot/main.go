// Repeats the customer's text, and hands over to agents on request.
package main

import (
	"strings"

	"local/patchbay"
)

func init() { patchbay.Chatbot(handle) }

func handle(event patchbay.Event, session patchbay.Session) ([]patchbay.Action, error) {
	text, found := patchbay.Text(event)
	// Reactions, files and timers have no text, so there is nothing to do.
	if !found {
		return nil, nil
	}
	if strings.EqualFold(text, "person") {
		reply := patchbay.ReplyText("A colleague will answer you here.")
		return []patchbay.Action{reply, patchbay.HandOver("", "The customer asked for a person.")}, nil
	}
	name := session.Customer.Name.SomeOr("you")
	return []patchbay.Action{patchbay.ReplyText("Hello, " + name + "! You said: " + text)}, nil
}

// main is never called, but the compiler requires it.
func main() {}
