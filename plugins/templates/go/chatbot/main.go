// Says back what the customer wrote, and hands over to people when asked for one.
package main

import (
	"strings"

	"local/patchbay"
)

func init() { patchbay.Chatbot(handle) }

func handle(event patchbay.Event, session patchbay.Session) ([]patchbay.Action, error) {
	text, found := patchbay.Text(event)
	// Reactions, files and timers have no words: nothing to do.
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

// main is never called; the compiler wants one.
func main() {}
