"""Uses each helper of interface 0.3 for the conversations in `helpers.yaml`, and draws numbers for `randomness.rs`: one
program, because it takes long to build."""

import json
import random
import secrets
import time
import uuid
from datetime import datetime, timezone
from random import randint

from patchbay import PluginError, files, http
from patchbay.chatbot import (
    attribute, cancel_template, cancel_timer, chatbot, choice_of, choice_value, date_value, file, file_of, finished_of,
    mark_read, media, options, react, remove_attribute, remove_tag, schedule_template, set_attribute, set_state,
    start_timer, tag, text, text_of, typing,
)
from patchbay.conversation import history, tags, timers
from wit_world.imports.types import MediaKind

at_the_build = random.random()
own, seeded = random.Random(), random.Random(42)
random.gauss()


@chatbot
def handle(event, session):
    finished = finished_of(event)
    if finished:
        job, result = finished
        words = result.message if isinstance(result, PluginError) else f"{result.status} {result.text}"
        return [text(f"{'the same' if job == session.state else 'another'} job: {words}")]
    received = file_of(event)
    if received:
        return from_customer(*received)
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
        case "two files":
            return two_files("%PDF-1.4 one")
        case "a text file":
            return two_files("of no type")
        case "ask":
            headers = {"authorization": "Bearer key", "content-type": "application/json"}
            body = json.dumps({"question": "ask"})
            return [typing(), set_state(http.start("POST", "https://ai.example/chat", headers, body, 90000))]
        case "Hello":
            return [text(json.dumps(numbers()))]
    return []


def numbers():
    drawn = {
        "gauss": random.gauss(),
        "random": random.random(),
        "imported": [randint(0, 10**9), random.choice(range(10**9)), random.sample(range(10**9), 2)],
        "bytes": random.randbytes(8).hex(),
        "own": own.random(),
        "system": random.SystemRandom().random(),
        "uuid": str(uuid.uuid4()),
        "secret": secrets.token_hex(8),
    }
    times = [int(time.time() * 1000), int(datetime.now(timezone.utc).timestamp() * 1000)]
    return {"drawn": drawn, "fixed": [at_the_build, seeded.random()], "time": times}


def from_customer(message_id, facts):
    match facts.caption:
        case "whole":
            try:
                return [text(f"{facts.filename}: {files.read_all(message_id, 22).decode()}")]
            except PluginError as fault:
                return [text(f"{fault.code}: {fault.message}")]
        case "parts":
            return [text(", ".join(f"{len(part)} {chr(part[0])}" for part in files.parts(message_id)))]
        case "part":
            part, end = files.read(message_id, 10, 3), files.read(message_id, 22, 3)
            return [text(f"[{part.decode()}] [{end.decode()}]")]
        case "back":
            return [file(MediaKind.DOCUMENT, "copy.pdf", files.read_all(message_id, 1 << 20), "Yours")]
    return []


def two_files(one):
    first = file(MediaKind.DOCUMENT, "one.pdf", one)
    return [first, media(MediaKind.DOCUMENT, files.write("", b"%PDF-1.4 two"), "Two")]


def shown(value):
    match value:
        case None:
            return "-"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
    return str(value)
