"""Chatbots: helpers to read events and to write actions. All types of the interface are in `wit_world.exports.bot`."""

from typing import Callable, List, Mapping, Optional, Sequence, Tuple, Union

from patchbay import PluginError, files
from patchbay.http import Response, received, unanswered
from wit_world.exports import bot
from wit_world.exports.bot import Action, Event, Session
from wit_world.imports.types import Content_Choice, Content_Media, Content_Text, Media, MediaKind, Reaction

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


def file_of(event: Event) -> Optional[Tuple[str, Media]]:
    """The id of a message with a file, for `files.read_all`, and the facts of the file."""
    match event.kind:
        case bot.EventKind_Message(message):
            match message.content:
                case Content_Media(facts):
                    return message.id, facts
    return None


def finished_of(event: Event) -> Optional[Tuple[str, Union[Response, PluginError]]]:
    """The end of a request that `http.start` sent: the id of its job, and the response or the failure."""
    match event.kind:
        case bot.EventKind_HttpFinished(finished):
            match finished.outcome:
                case bot.HttpOutcome_Response(response):
                    return finished.job, received(response)
                case bot.HttpOutcome_Failed(fault):
                    return finished.job, unanswered(fault)
    return None


def attribute(session: Session, name: str) -> Union[str, float, bool, None]:
    """The value of an attribute of the contact. A date or a choice is a str."""
    for attribute in session.attributes:
        if attribute.name == name:
            return attribute.value.value
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


def file(kind: MediaKind, name: str, content: Union[str, bytes], caption: Optional[str] = None) -> Action:
    """Writes a file as `files.write` does, and sends it."""
    return media(kind, files.write(name, content), caption)


def schedule_template(
    name: str, after_seconds: int, template_id: str, template_name: str, parameters: Sequence[str] = ()
) -> Action:
    """Sends a template once, later. A later template with the same name replaces it.

    `parameters` are the values of its body."""
    template = bot.ReplyTemplate(template_id, template_name, list(parameters), None, [])
    return bot.Action_ScheduleTemplate(bot.ScheduledTemplate(name, after_seconds, template))


def cancel_template(name: str) -> Action:
    """Takes back a template that waits under this name."""
    return bot.Action_CancelTemplate(name)


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
    """Puts a tag on the chat."""
    return bot.Action_AddTag(name)


def remove_tag(name: str) -> Action:
    """Takes a tag off the chat."""
    return bot.Action_RemoveTag(name)


def set_attribute(name: str, value: Union[str, float, bool, bot.AttributeValue]) -> Action:
    """Sets an attribute of the contact to a text, a number, True or False, `date_value` or `choice_value`."""
    if isinstance(value, str):
        value = bot.AttributeValue_Text(value)
    elif isinstance(value, bool):
        value = bot.AttributeValue_Boolean(value)
    elif isinstance(value, (int, float)):
        value = bot.AttributeValue_Number(float(value))
    return bot.Action_SetAttribute(bot.AttributeChange(name, value))


def date_value(date: str) -> bot.AttributeValue:
    """A date such as `1990-05-31`."""
    return bot.AttributeValue_Date(date)


def choice_value(choice: str) -> bot.AttributeValue:
    """A choice of an attribute."""
    return bot.AttributeValue_Choice(choice)


def remove_attribute(name: str) -> Action:
    """Removes the value of an attribute of the contact."""
    return bot.Action_SetAttribute(bot.AttributeChange(name, None))


def react(message_id: str, emoji: Optional[str] = None) -> Action:
    """Puts an emoji on a message of the conversation. Without an emoji, takes it back."""
    return bot.Action_React(Reaction(emoji, message_id))


def typing() -> Action:
    """Shows the customer that an answer is being written."""
    return bot.Action_Typing()


def mark_read() -> Action:
    """Marks the messages of the customer as read."""
    return bot.Action_MarkRead()


def request_rating() -> Action:
    """Asks the customer for a rating."""
    return bot.Action_RequestRating()
