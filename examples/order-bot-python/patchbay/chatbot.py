"""Chatbots: helpers to read events and to write actions. All types of the interface are in `wit_world.exports.bot`."""

from typing import Callable, List, Mapping, Optional

from wit_world.exports import bot
from wit_world.exports.bot import Action, Event, Session
from wit_world.imports.types import Content_Choice, Content_Text, MediaKind

Handler = Callable[[Event, Session], List[Action]]
_handler: Optional[Handler] = None


def chatbot(handler: Handler) -> Handler:
    """Makes a function the chatbot."""
    global _handler
    _handler = handler
    return handler


def text_of(event: Event) -> Optional[str]:
    """The customer's words: the text, or the title of the chosen button."""
    match event.kind:
        case bot.EventKind_Message(message):
            match message.content:
                case Content_Text(text):
                    return text
                case Content_Choice(choice):
                    return choice.text
    return None


def choice_of(event: Event) -> Optional[str]:
    """The id or payload of the chosen button or list entry."""
    match event.kind:
        case bot.EventKind_Message(message):
            match message.content:
                case Content_Choice(choice):
                    return choice.payload
    return None


def text(text: str, quote: Optional[str] = None) -> Action:
    """Sends a text."""
    return bot.Action_ReplyText(bot.ReplyText(text, quote))


def buttons(text: str, buttons: Mapping[str, str]) -> Action:
    """Sends a text with up to three buttons, each an id and a title of at most 20 characters."""
    choices = [bot.Button(id, title) for id, title in buttons.items()]
    return bot.Action_ReplyButtons(bot.ReplyButtons(text, choices, None, None, None))


def options(text: str, button_label: str, rows: Mapping[str, str]) -> Action:
    """Sends a list of up to ten entries, each an id and a title of at most 24 characters."""
    section = bot.ListSection(None, [bot.ListRow(id, title, None) for id, title in rows.items()])
    return bot.Action_ReplyList(bot.ReplyList(text, button_label, [section], None, None, None))


def media(kind: MediaKind, url: str, caption: Optional[str] = None) -> Action:
    """Sends a file."""
    return bot.Action_ReplyMedia(bot.ReplyMedia(url, kind, caption, None, None))


def set_state(state: str) -> Action:
    """Stores the state of the conversation. The next call gets it as `session.state`."""
    return bot.Action_SetState(state)


def start_timer(name: str, after_seconds: int) -> Action:
    """Starts a timer that calls the bot again. If a timer with this name runs, it is moved."""
    return bot.Action_StartTimer(bot.Timer(name, after_seconds))


def cancel_timer(name: str) -> Action:
    """Cancels the timer with this name."""
    return bot.Action_CancelTimer(name)


def hand_over(note: Optional[str] = None, team: Optional[str] = None) -> Action:
    """Hands the conversation over to a team, or to the unassigned queue."""
    return bot.Action_HandOver(bot.HandOver(team, note))


def close() -> Action:
    """Closes the conversation."""
    return bot.Action_Close()


def tag(name: str) -> Action:
    """Puts a tag on the contact."""
    return bot.Action_AddTag(name)


def request_rating() -> Action:
    """Asks the customer for a rating."""
    return bot.Action_RequestRating()
