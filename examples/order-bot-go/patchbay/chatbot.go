package patchbay

import (
	"local/build/bindings/exports/export_patchbay_plugin_bot"
	bot "local/build/bindings/imports/patchbay_plugin_bot"
	"local/build/bindings/imports/patchbay_plugin_types"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// The input and the output. The other types of the interface are in build/bindings/imports.
type (
	Event   = bot.Event
	Session = bot.Session
	Action  = bot.Action
)

// Chatbot makes a function the chatbot. Call it in an init function.
func Chatbot(handle func(event Event, session Session) ([]Action, error)) {
	export_patchbay_plugin_bot.Handle = func(event Event, session Session) wit.Result[[]Action, bot.Error] {
		actions, err := handle(event, session)
		if err != nil {
			return wit.Err[[]Action, bot.Error](failure(err))
		}
		return wit.Ok[[]Action, bot.Error](actions)
	}
}

// Text returns the customer's words: the text, or the title of the chosen button.
func Text(event Event) (text string, found bool) {
	if event.Kind.Tag() != bot.EventKind_Message {
		return "", false
	}
	content := event.Kind.Message().Content
	if content.Tag() == patchbay_plugin_types.Content_Text {
		return content.Text(), true
	}
	choice, found := chosen(content)
	return choice.Text, found
}

// Choice returns the id or payload of the chosen button or list entry, or nothing.
func Choice(event Event) string {
	if event.Kind.Tag() != bot.EventKind_Message {
		return ""
	}
	choice, _ := chosen(event.Kind.Message().Content)
	return choice.Payload
}

// Timer returns the name of the timer that fired, or nothing.
func Timer(event Event) string {
	if event.Kind.Tag() != bot.EventKind_Timer {
		return ""
	}
	return event.Kind.Timer()
}

// Finished returns the end of a request that Start sent: the id of its job, and the response or an *Error. The id is
// empty for other events.
func Finished(event Event) (job string, response *Response, err error) {
	if event.Kind.Tag() != bot.EventKind_HttpFinished {
		return "", nil, nil
	}
	finished := event.Kind.HttpFinished()
	if finished.Outcome.Tag() == bot.HttpOutcome_Failed {
		return finished.Job, nil, unanswered(finished.Outcome.Failed())
	}
	return finished.Job, received(finished.Outcome.Response()), nil
}

func chosen(content patchbay_plugin_types.Content) (patchbay_plugin_types.Choice, bool) {
	if content.Tag() != patchbay_plugin_types.Content_Choice {
		return patchbay_plugin_types.Choice{}, false
	}
	return content.Choice(), true
}

// Button is a button or list entry: the id that it sends back, and the title that the customer sees.
type Button struct{ ID, Title string }

// ReplyText sends a text.
func ReplyText(text string) Action {
	return bot.MakeActionReplyText(bot.ReplyText{Text: text, Quote: Optional("")})
}

// ReplyButtons sends a text with one to three buttons, each with a title of at most 20 characters.
func ReplyButtons(text string, buttons ...Button) Action {
	nothing := Optional("")
	reply := bot.ReplyButtons{Text: text, Header: nothing, Footer: nothing, Quote: nothing}
	for _, button := range buttons {
		reply.Buttons = append(reply.Buttons, bot.Button{Id: button.ID, Title: button.Title})
	}
	return bot.MakeActionReplyButtons(reply)
}

// ReplyList sends a text with a list of up to ten entries, each with a title of at most 24 characters.
func ReplyList(text, buttonLabel string, rows ...Button) Action {
	nothing := Optional("")
	section := bot.ListSection{Title: nothing}
	for _, row := range rows {
		section.Rows = append(section.Rows, bot.ListRow{Id: row.ID, Title: row.Title, Description: nothing})
	}
	sections := []bot.ListSection{section}
	reply := bot.ReplyList{Text: text, ButtonLabel: buttonLabel, Sections: sections, Header: nothing, Footer: nothing, Quote: nothing}
	return bot.MakeActionReplyList(reply)
}

// ReplyMedia sends a file, with a caption if it is not empty. The kinds are in patchbay_plugin_types, such as
// MediaKind_Image.
func ReplyMedia(kind bot.MediaKind, url, caption string) Action {
	nothing := Optional("")
	reply := bot.ReplyMedia{Url: url, Kind: kind, Caption: Optional(caption), Filename: nothing, Quote: nothing}
	return bot.MakeActionReplyMedia(reply)
}

// Template is an approved template. Parameters are the values of its body.
type Template struct {
	ID, Name   string
	Parameters []string
}

// ScheduleTemplate sends a template once, later. A later template with the same name replaces it.
func ScheduleTemplate(name string, afterSeconds uint32, template Template) Action {
	reply := bot.ReplyTemplate{
		Id: template.ID, Name: template.Name, Parameters: template.Parameters, Header: wit.None[bot.TemplateHeader](),
	}
	scheduled := bot.ScheduledTemplate{Name: name, AfterSeconds: afterSeconds, Template: reply}
	return bot.MakeActionScheduleTemplate(scheduled)
}

// CancelTemplate takes back a template that waits under this name.
func CancelTemplate(name string) Action { return bot.MakeActionCancelTemplate(name) }

// SetState stores the state of the conversation. The next call gets it as session.State.
func SetState(state string) Action { return bot.MakeActionSetState(state) }

// StartTimer starts a timer that calls the bot again. If a timer with this name runs, it is moved.
func StartTimer(name string, afterSeconds uint32) Action {
	return bot.MakeActionStartTimer(bot.Timer{Name: name, AfterSeconds: afterSeconds})
}

// CancelTimer cancels the timer with this name.
func CancelTimer(name string) Action { return bot.MakeActionCancelTimer(name) }

// HandOver hands the conversation over to a team; if its name is empty, to the unassigned queue. The note is for the
// agent.
func HandOver(team, note string) Action {
	return bot.MakeActionHandOver(bot.HandOver{Team: Optional(team), Note: Optional(note)})
}

// Close closes the conversation.
func Close() Action { return bot.MakeActionClose() }

// Tag puts a tag on the chat.
func Tag(name string) Action { return bot.MakeActionAddTag(name) }

// RemoveTag takes a tag off the chat.
func RemoveTag(name string) Action { return bot.MakeActionRemoveTag(name) }

// Typing shows the customer that an answer is being written.
func Typing() Action { return bot.MakeActionTyping() }

// MarkRead marks the messages of the customer as read.
func MarkRead() Action { return bot.MakeActionMarkRead() }

// React puts an emoji on a message of the conversation. An empty emoji takes it back.
func React(messageID, emoji string) Action {
	return bot.MakeActionReact(bot.Reaction{Emoji: Optional(emoji), MessageId: messageID})
}

// RequestRating asks the customer for a rating.
func RequestRating() Action { return bot.MakeActionRequestRating() }
