"""Reports the status of orders: asks for the number, looks it up over HTTP, and hands over to agents."""

import re

from patchbay import PluginError, config, http, kv, log
from patchbay.chatbot import (
    bot,
    buttons,
    chatbot,
    choice_of,
    close,
    hand_over,
    request_rating,
    set_state,
    start_timer,
    text,
    text_of,
)

SILENCE_SECONDS = 30 * 60


@chatbot
def handle(event, session):
    match event.kind:
        case bot.EventKind_Message():
            return answer(event, session)
        case bot.EventKind_Timer("reminder"):
            return remind(session)
        case bot.EventKind_AgentReleased():
            return menu("I am back. How can I help?")
        case bot.EventKind_Rating():
            return [text("Thank you for your rating!"), set_state(""), close()]
    return []


def answer(event, session):
    said = text_of(event)
    if said is None:
        return []
    said = said.strip()
    wishes = (choice_of(event), said.lower())
    if "status" in wishes[:1] or "order status" in wishes:
        return stay("order", text("What is your order number?"))
    if "person" in wishes:
        note = "The customer asked for a person."
        return [text("A colleague will answer you here."), set_state(""), hand_over(note, config().get("team"))]
    if "bye" in wishes:
        return stay("rating", text("Thank you, goodbye!"), request_rating())
    if session.state == "order":
        return look_up(said)
    if session.state == "menu":
        return menu("Please choose.")
    return greet(session)


def greet(session):
    visits = int(kv.get("visits") or 0)
    kv.set("visits", str(visits + 1))
    welcome = "Welcome" if visits == 0 else "Welcome back"
    name = session.customer.name
    return menu(f"{welcome}{f', {name}' if name else ''}! How can I help?")


def look_up(number):
    if not re.fullmatch("[0-9]{4,10}", number):
        return stay("order", text("An order number has 4 to 10 digits, such as 1001. Please send it again."))
    try:
        response = http.get(f"{config()['orderApi']}/orders/{number}")
        if response.status == 404:
            again = f"There is no order {number}. Please check the number and send it again."
            return stay("order", text(again))
        if response.status != 200:
            raise PluginError("order-api", f"orders/{number} answered {response.status}")
        order = response.json()
        arrives = f" It arrives on {order['arrives']}." if order.get("arrives") else ""
        status = text(f"Order {number}: {order['status']}.{arrives}")
    except (PluginError, ValueError, KeyError) as fault:
        log.warn(str(fault))
        choices = {"status": "Try again", "person": "Talk to a person"}
        return stay("menu", buttons("Our order system does not answer right now.", choices))
    more = {"status": "Another order", "person": "Talk to a person", "bye": "No, thanks"}
    return stay("menu", status, buttons("Anything else?", more))


def remind(session):
    match session.state:
        case "order":
            return [text("Are you still there? I am waiting for your order number.")]
        case "menu":
            return [text("Are you still there? Choose one of the buttons, or write to me any time.")]
        case "rating":
            return [set_state(""), close()]
    return []


def menu(words):
    return stay("menu", buttons(words, {"status": "Order status", "person": "Talk to a person"}))


def stay(state, *replies):
    """Ends an answer after which the bot waits for the customer."""
    return [*replies, set_state(state), start_timer("reminder", SILENCE_SECONDS)]
