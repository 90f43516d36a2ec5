"""Uses each helper of interface 0.3 for the conversations in `helpers.yaml`."""

import json

from patchbay import PluginError, http
from patchbay.chatbot import (
    attribute, cancel_template, cancel_timer, chatbot, choice_of, choice_value, date_value, finished_of, mark_read,
    media, options, react, remove_attribute, remove_tag, schedule_template, set_attribute, set_state, start_timer, tag,
    text, text_of, typing,
)
from patchbay.conversation import history, tags, timers
from wit_world.imports.types import MediaKind


@chatbot
def handle(event, session):
    finished = finished_of(event)
    if finished:
        job, result = finished
        words = result.message if isinstance(result, PluginError) else f"{result.status} {result.text}"
        return [text(f"{'the same' if job == session.state else 'another'} job: {words}")]
    choice = choice_of(event)
    if choice is not None:
        return [text(f"chosen {choice}")]
    return answer(text_of(event), event, session)


def answer(words, event, session):
    done = text("done")
    match words:
        case "attributes":
            return [text(" ".join(shown(attribute(session, name)) for name in ("plan", "visits", "vip", "born", "city")))]
        case "set":
            return [
                set_attribute("plan", choice_value("gold")), set_attribute("visits", 7.5), set_attribute("vip", False),
                set_attribute("born", date_value("1991-01-02")), set_attribute("city", "Cape Town"), done,
            ]
        case "remove":
            return [remove_attribute("plan"), done]
        case "tag":
            return [tag("vip"), start_timer("reminder", 60), done]
        case "untag":
            return [remove_tag("vip"), cancel_timer("reminder"), done]
        case "facts":
            names = ",".join(timer.name for timer in timers())
            said = "; ".join(message.text for message in history(3))
            return [text(" | ".join([",".join(tags()), names, said]))]
        case "later":
            return [schedule_template("step", 86400, "7", "order_ready", ["Zo", "1001"]), done]
        case "not later":
            return [cancel_template("step"), done]
        case "signs":
            message = event.kind.value.id
            return [typing(), mark_read(), react(message, "😀"), react(message), react(message, "👍"), done]
        case "list":
            return [options("Choose.", "Open", {"a": "First", "b": "Second"})]
        case "file":
            return [media(MediaKind.IMAGE, "https://files.example/a.png", "A picture")]
        case "ask":
            headers = {"authorization": "Bearer key", "content-type": "application/json"}
            body = json.dumps({"question": "ask"})
            return [typing(), set_state(http.start("POST", "https://ai.example/chat", headers, body, 90000))]
    return []


def shown(value):
    match value:
        case None:
            return "-"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
    return str(value)
