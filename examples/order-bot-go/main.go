// Reports the status of orders: asks for the number, looks it up over HTTP, and hands over to agents.
package main

import (
	"fmt"
	"strconv"
	"strings"

	bot "local/build/bindings/imports/patchbay_plugin_bot"
	"local/patchbay"
)

const (
	// States of the conversation.
	atMenu   = "menu"
	atOrder  = "order"
	atRating = "rating"
	// The timer of a silent customer, and its time.
	reminder       = "reminder"
	silenceSeconds = 30 * 60
)

type settings struct {
	OrderAPI string `json:"orderApi"`
	Team     string `json:"team"`
}

type order struct {
	Status  string `json:"status"`
	Arrives string `json:"arrives"`
}

func init() { patchbay.Chatbot(handle) }

func handle(event patchbay.Event, session patchbay.Session) ([]patchbay.Action, error) {
	switch event.Kind.Tag() {
	case bot.EventKind_Message:
		return answer(event, session)
	case bot.EventKind_Timer:
		return remind(event, session), nil
	case bot.EventKind_AgentReleased:
		return menu("I am back. How can I help?"), nil
	case bot.EventKind_Rating:
		return append([]patchbay.Action{patchbay.ReplyText("Thank you for your rating!")}, leave()...), nil
	}
	return nil, nil
}

func answer(event patchbay.Event, session patchbay.Session) ([]patchbay.Action, error) {
	text, found := patchbay.Text(event)
	if !found {
		return nil, nil
	}
	text = strings.TrimSpace(text)
	choice, words := patchbay.Choice(event), strings.ToLower(text)
	switch {
	case choice == "status" || words == "order status":
		return stay(atOrder, patchbay.ReplyText("What is your order number?")), nil
	case choice == "person" || words == "person":
		return handOver()
	case choice == "bye" || words == "bye":
		return stay(atRating, patchbay.ReplyText("Thank you, goodbye!"), patchbay.RequestRating()), nil
	case session.State == atOrder:
		return lookUp(text)
	case session.State == atMenu:
		return menu("Please choose."), nil
	}
	return greet(session)
}

func greet(session patchbay.Session) ([]patchbay.Action, error) {
	stored, _, err := patchbay.Get(patchbay.Participant, "visits")
	if err != nil {
		return nil, err
	}
	visits, _ := strconv.Atoi(stored)
	if err := patchbay.Set(patchbay.Participant, "visits", strconv.Itoa(visits+1)); err != nil {
		return nil, err
	}
	welcome := "Welcome"
	if visits > 0 {
		welcome = "Welcome back"
	}
	if name := patchbay.Value(session.Customer.Name); name != "" {
		welcome += ", " + name
	}
	return menu(welcome + "! How can I help?"), nil
}

func lookUp(number string) ([]patchbay.Action, error) {
	if !isOrderNumber(number) {
		return stay(atOrder, patchbay.ReplyText("An order number has 4 to 10 digits, such as 1001. Please send it again.")), nil
	}
	var settings settings
	if err := patchbay.Config(&settings); err != nil {
		return nil, err
	}
	var order order
	response, err := patchbay.Fetch(settings.OrderAPI + "/orders/" + number)
	switch {
	case err != nil:
	case response.Status == 404:
		again := fmt.Sprintf("There is no order %s. Please check the number and send it again.", number)
		return stay(atOrder, patchbay.ReplyText(again)), nil
	case response.Status != 200:
		err = fmt.Errorf("orders/%s answered %d", number, response.Status)
	default:
		err = response.JSON(&order)
	}
	if err != nil {
		patchbay.Warnf("%v", err)
		return stay(atMenu, patchbay.ReplyButtons("Our order system does not answer right now.",
			patchbay.Button{ID: "status", Title: "Try again"},
			patchbay.Button{ID: "person", Title: "Talk to a person"})), nil
	}
	status := fmt.Sprintf("Order %s: %s.", number, order.Status)
	if order.Arrives != "" {
		status += " It arrives on " + order.Arrives + "."
	}
	return stay(atMenu, patchbay.ReplyText(status), patchbay.ReplyButtons("Anything else?",
		patchbay.Button{ID: "status", Title: "Another order"},
		patchbay.Button{ID: "person", Title: "Talk to a person"},
		patchbay.Button{ID: "bye", Title: "No, thanks"})), nil
}

func isOrderNumber(text string) bool {
	return len(text) >= 4 && len(text) <= 10 && strings.Trim(text, "0123456789") == ""
}

func handOver() ([]patchbay.Action, error) {
	var settings settings
	if err := patchbay.Config(&settings); err != nil {
		return nil, err
	}
	reply := patchbay.ReplyText("A colleague will answer you here.")
	handOver := patchbay.HandOver(settings.Team, "The customer asked for a person.")
	return []patchbay.Action{reply, patchbay.SetState(""), handOver}, nil
}

func remind(event patchbay.Event, session patchbay.Session) []patchbay.Action {
	if patchbay.Timer(event) != reminder {
		return nil
	}
	switch session.State {
	case atOrder:
		return []patchbay.Action{patchbay.ReplyText("Are you still there? I am waiting for your order number.")}
	case atMenu:
		return []patchbay.Action{patchbay.ReplyText("Are you still there? Choose one of the buttons, or write to me any time.")}
	case atRating:
		return leave()
	}
	return nil
}

func menu(text string) []patchbay.Action {
	return stay(atMenu, patchbay.ReplyButtons(text,
		patchbay.Button{ID: "status", Title: "Order status"},
		patchbay.Button{ID: "person", Title: "Talk to a person"}))
}

// stay ends an answer after which the bot waits for the customer.
func stay(state string, replies ...patchbay.Action) []patchbay.Action {
	return append(replies, patchbay.SetState(state), patchbay.StartTimer(reminder, silenceSeconds))
}

// leave ends the conversation.
func leave() []patchbay.Action {
	return []patchbay.Action{patchbay.SetState(""), patchbay.Close()}
}

// main is never called, but the compiler requires it.
func main() {}
