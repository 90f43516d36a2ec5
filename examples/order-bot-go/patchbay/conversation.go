package patchbay

import "local/build/bindings/imports/patchbay_plugin_conversation"

// The stored facts of the conversation, as they are now.
type (
	PastMessage  = patchbay_plugin_conversation.PastMessage
	RunningTimer = patchbay_plugin_conversation.RunningTimer
)

// Authors of past messages.
const (
	AuthorCustomer = patchbay_plugin_conversation.Author_Customer
	AuthorBot      = patchbay_plugin_conversation.Author_Bot
	AuthorAgent    = patchbay_plugin_conversation.Author_Agent
)

// History returns the last messages, oldest first: at most `most` of them, and never more than 50.
func History(most uint32) []PastMessage { return patchbay_plugin_conversation.History(most) }

// Tags returns the tags of the chat.
func Tags() []string { return patchbay_plugin_conversation.Tags() }

// Timers returns the timers of this conversation, the next one first.
func Timers() []RunningTimer { return patchbay_plugin_conversation.Timers() }
