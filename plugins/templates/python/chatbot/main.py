"""Repeats the customer's text, and hands over to agents on request."""

from patchbay.chatbot import chatbot, hand_over, text, text_of


@chatbot
def handle(event, session):
    words = text_of(event)
    # Reactions, files and timers have no text, so there is nothing to do.
    if words is None:
        return []
    if words.lower() == "person":
        return [text("A colleague will answer you here."), hand_over("The customer asked for a person.")]
    return [text(f"Hello, {session.customer.name or 'you'}! You said: {words}")]
