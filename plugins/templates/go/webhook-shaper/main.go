// Reports messages of customers in three fields, and no other events.
package main

import "local/patchbay"

func init() { patchbay.Shaper(shape) }

type body struct {
	From string `json:"from,omitempty"`
	To   string `json:"to"`
	Text string `json:"text,omitempty"`
}

func shape(event patchbay.WebhookEvent) (any, error) {
	// nil: this event is not sent.
	if event.Tag() != patchbay.Incoming {
		return nil, nil
	}
	message := event.Incoming()
	return body{From: patchbay.Value(message.Sender), To: message.Receiver, Text: patchbay.Value(message.Text)}, nil
}

// main is never called, but the compiler requires it.
func main() {}
