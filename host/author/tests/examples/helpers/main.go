// Uses each helper of interface 0.3 for the conversations in helpers.yaml.
package main

import (
	"fmt"
	"strings"

	"local/build/bindings/imports/patchbay_plugin_types"
	"local/patchbay"
)

func init() { patchbay.Chatbot(handle) }

func handle(event patchbay.Event, session patchbay.Session) ([]patchbay.Action, error) {
	if job, response, err := patchbay.Finished(event); job != "" {
		return []patchbay.Action{patchbay.ReplyText(finished(job == session.State, response, err))}, nil
	}
	if id, media := patchbay.File(event); id != "" {
		return fromCustomer(id, media)
	}
	if choice := patchbay.Choice(event); choice != "" {
		return []patchbay.Action{patchbay.ReplyText("chosen " + choice)}, nil
	}
	text, _ := patchbay.Text(event)
	done := patchbay.ReplyText("done")
	switch text {
	case "attributes":
		return []patchbay.Action{patchbay.ReplyText(attributes(session))}, nil
	case "set":
		return []patchbay.Action{
			patchbay.SetAttribute("plan", patchbay.ChoiceValue("gold")),
			patchbay.SetAttribute("visits", patchbay.NumberValue(7.5)),
			patchbay.SetAttribute("vip", patchbay.BooleanValue(false)),
			patchbay.SetAttribute("born", patchbay.DateValue("1991-01-02")),
			patchbay.SetAttribute("city", patchbay.TextValue("Cape Town")),
			done,
		}, nil
	case "remove":
		return []patchbay.Action{patchbay.RemoveAttribute("plan"), done}, nil
	case "tag":
		return []patchbay.Action{patchbay.Tag("vip"), patchbay.StartTimer("reminder", 60), done}, nil
	case "untag":
		return []patchbay.Action{patchbay.RemoveTag("vip"), patchbay.CancelTimer("reminder"), done}, nil
	case "facts":
		return []patchbay.Action{patchbay.ReplyText(facts())}, nil
	case "later":
		template := patchbay.Template{ID: "7", Name: "order_ready", Parameters: []string{"Zo", "1001"}}
		return []patchbay.Action{patchbay.ScheduleTemplate("step", 86400, template), done}, nil
	case "not later":
		return []patchbay.Action{patchbay.CancelTemplate("step"), done}, nil
	case "signs":
		id := event.Kind.Message().Id
		return []patchbay.Action{
			patchbay.Typing(), patchbay.MarkRead(),
			patchbay.React(id, "😀"), patchbay.React(id, ""), patchbay.React(id, "👍"), done,
		}, nil
	case "list":
		rows := []patchbay.Button{{ID: "a", Title: "First"}, {ID: "b", Title: "Second"}}
		return []patchbay.Action{patchbay.ReplyList("Choose.", "Open", rows...)}, nil
	case "file":
		kind := patchbay_plugin_types.MediaKind_Image
		return []patchbay.Action{patchbay.ReplyMedia(kind, "https://files.example/a.png", "A picture")}, nil
	case "two files":
		return files("%PDF-1.4 one", "%PDF-1.4 two")
	case "a text file":
		return files("of no type", "%PDF-1.4 two")
	case "ask":
		job, err := patchbay.Start(patchbay.Request{
			Method:    "POST",
			URL:       "https://ai.example/chat",
			Headers:   map[string]string{"authorization": "Bearer key", "content-type": "application/json"},
			Body:      []byte(`{"question":"ask"}`),
			TimeoutMs: 90000,
		})
		return []patchbay.Action{patchbay.Typing(), patchbay.SetState(job)}, err
	}
	return nil, nil
}

func finished(isSame bool, response *patchbay.Response, err error) string {
	job := "another"
	if isSame {
		job = "the same"
	}
	if fault, failed := err.(*patchbay.Error); failed {
		return job + " job: " + fault.Message
	}
	return fmt.Sprintf("%s job: %d %s", job, response.Status, response.Body)
}

func fromCustomer(id string, media patchbay.Media) ([]patchbay.Action, error) {
	switch patchbay.Value(media.Caption) {
	case "whole":
		content, err := patchbay.ReadFile(id, 22)
		if err != nil {
			return []patchbay.Action{patchbay.ReplyText(err.Error())}, nil
		}
		words := patchbay.Value(media.Filename) + ": " + string(content)
		return []patchbay.Action{patchbay.ReplyText(words)}, nil
	case "parts":
		var sizes []string
		for part, err := range patchbay.FileParts(id) {
			if err != nil {
				return nil, err
			}
			sizes = append(sizes, fmt.Sprintf("%d %c", len(part), part[0]))
		}
		return []patchbay.Action{patchbay.ReplyText(strings.Join(sizes, ", "))}, nil
	case "part":
		part, err := patchbay.ReadFilePart(id, 10, 3)
		if err != nil {
			return nil, err
		}
		end, err := patchbay.ReadFilePart(id, 22, 3)
		return []patchbay.Action{patchbay.ReplyText(fmt.Sprintf("[%s] [%s]", part, end))}, err
	case "back":
		content, err := patchbay.ReadFile(id, 1<<20)
		if err != nil {
			return nil, err
		}
		reply, err := patchbay.ReplyFile(patchbay_plugin_types.MediaKind_Document, "copy.pdf", content, "Yours")
		return []patchbay.Action{reply}, err
	}
	return nil, nil
}

func files(one, two string) ([]patchbay.Action, error) {
	kind := patchbay_plugin_types.MediaKind_Document
	first, err := patchbay.ReplyFile(kind, "one.pdf", []byte(one), "")
	if err != nil {
		return nil, err
	}
	url, err := patchbay.WriteFile("", []byte(two))
	return []patchbay.Action{first, patchbay.ReplyMedia(kind, url, "Two")}, err
}

func attributes(session patchbay.Session) string {
	var shown []string
	for _, name := range []string{"plan", "visits", "vip", "born", "city"} {
		switch value := patchbay.Attribute(session, name).(type) {
		case nil:
			shown = append(shown, "-")
		default:
			shown = append(shown, fmt.Sprint(value))
		}
	}
	return strings.Join(shown, " ")
}

func facts() string {
	var timers, said []string
	for _, timer := range patchbay.Timers() {
		timers = append(timers, timer.Name)
	}
	for _, message := range patchbay.History(3) {
		said = append(said, message.Text)
	}
	return strings.Join(patchbay.Tags(), ",") + " | " + strings.Join(timers, ",") + " | " + strings.Join(said, "; ")
}

func main() {}
