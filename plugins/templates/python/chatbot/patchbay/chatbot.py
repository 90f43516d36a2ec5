"""Chatbots: short ways to read events and to write actions. All types of the interface are in `wit_world.exports.bot`."""

from typing import Callable, List, Mapping, Optional

from wit_world.exports import bot
from wit_world.exports.bot import Action, Event, Session
from wit_world.imports.types import Content_Button, Content_Carousel, Content_Interactive, Content_Text, MediaKind

Handler = Callable[[Event, Session], List[Action]]
_handler: Optional[Handler] = None


def chatbot(handler: Handler) -> Handler:
    """Makes a function the chatbot."""
    global _handler
    _handler = handler
    return handler


def text_of(event: Event) -> Optional[str]:
    """What the customer said, in words: the text, or what was written on the chosen button."""
    match event.kind:
        case bot.EventKind_Message(message):
            match message.content:
                case Content_Text(text):
                    return text
                case Content_Button(choice) | Content_Interactive(choice) | Content_Carousel(choice):
                    return choice.text
    return None


def choice_of(event: Event) -> Optional[str]:
    """The id or payload of the button or list entry that the customer chose."""
    match event.kind:
        case bot.EventKind_Message(message):
            match message.content:
                case Content_Button(choice) | Content_Interactive(choice) | Content_Carousel(choice):
                    return choice.payload
    return None


def text(text: str, quote: Optional[str] = None) -> Action:
    """Sends a text."""
    return bot.Action_ReplyText(bot.ReplyText(text, quote))


def buttons(text: str, buttons: Mapping[str, str]) -> Action:
    """Sends a text with up to three buttons: what each sends back, and its title of at most 20 characters."""
    choices = [bot.Button(id, title) for id, title in buttons.items()]
    return bot.Action_ReplyButtons(bot.ReplyButtons(text, choices, None, None, None))


def options(text: str, button_label: str, rows: Mapping[str, str]) -> Action:
    """Sends a list of up to ten entries: what each sends back, and its title of at most 24 characters."""
    section = bot.ListSection(None, [bot.ListRow(id, title, None) for id, title in rows.items()])
    return bot.Action_ReplyList(bot.ReplyList(text, button_label, [section], None, None, None))


def media(kind: MediaKind, url: str, caption: Optional[str] = None) -> Action:
    """Sends a file."""
    return bot.Action_ReplyMedia(bot.ReplyMedia(url, kind, caption, None, None))


def set_state(state: str) -> Action:
    """Remembers where the conversation stands; comes back as `session.state`."""
    return bot.Action_SetState(state)


def start_timer(name: str, after_seconds: int) -> Action:
    """Asks to be called back; starting a timer again under the same name moves it."""
    return bot.Action_StartTimer(bot.Timer(name, after_seconds))


def cancel_timer(name: str) -> Action:
    """Asks not to be called back: the name of a timer that was started."""
    return bot.Action_CancelTimer(name)


def hand_over(note: Optional[str] = None, team: Optional[str] = None) -> Action:
    """Lets people take over: a team, or the unassigned queue."""
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
