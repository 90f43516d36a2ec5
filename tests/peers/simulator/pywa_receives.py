"""Receives the simulator's callbacks with pywa and prints one line of JSON per update it parsed.

PYTHONPATH=DIR/python python3 pywa_receives.py --secret APP_SECRET --token VERIFY_TOKEN --number PHONE_NUMBER_ID
"""

import argparse
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

from pywa import WhatsApp

arguments = argparse.ArgumentParser()
for name in ("secret", "token", "number"):
    arguments.add_argument(f"--{name}", required=True)
given = arguments.parse_args()

client = WhatsApp(
    phone_id=given.number,
    token="any-token",
    verify_token=given.token,
    app_secret=given.secret,
)


def tell(**line):
    # In one piece: several threads tell, and `print` writes the end of a line apart from it.
    sys.stdout.write(json.dumps(line, default=str) + "\n")
    sys.stdout.flush()


def person(update):
    user = update.from_user
    return {"wa_id": user.wa_id, "bsuid": user.bsuid, "name": user.name, "username": user.username}


def medium(message):
    found = message.media
    return None if found is None else {"mime_type": found.mime_type, "sha256": found.sha256}


@client.on_message
def message(_, got):
    tell(
        kind="message",
        id=got.id,
        type=got.type.value,
        text=got.text,
        caption=got.caption,
        user=person(got),
        media=medium(got),
        location=got.location and [got.location.latitude, got.location.longitude, got.location.name],
        reaction=got.reaction and [got.reaction.message_id, got.reaction.emoji],
        contact=got.contacts and got.contacts[0].name.formatted_name,
        quoted=got.reply_to_message and got.reply_to_message.id,
        number=got.metadata.phone_number_id,
        time=got.timestamp.isoformat(),
    )


@client.on_callback_button
def button(_, got):
    quoted = got.reply_to_message and got.reply_to_message.id
    tell(kind="button", id=got.id, data=got.data, title=got.title, quoted=quoted)


@client.on_callback_selection
def selection(_, got):
    tell(kind="selection", id=got.id, data=got.data, title=got.title, description=got.description)


@client.on_message_status
def status(_, got):
    tell(
        kind="status",
        id=got.id,
        status=got.status.value,
        user=person(got),
        tracker=got.tracker,
        category=got.pricing and got.pricing.category.value,
        error=got.error and got.error.error_code,
    )


@client.on_phone_number_change
def number_change(_, got):
    tell(kind="number change", old=got.old_wa_id, new=got.new_wa_id)


@client.on_template_status_update
def template_status(_, got):
    tell(kind="template status", name=got.template_name, status=got.new_status.value, id=got.template_id)


@client.on_template_quality_update
def template_quality(_, got):
    tell(kind="template quality", name=got.template_name, quality=got.new_quality_score.value)


@client.on_user_marketing_preferences
def preferences(_, got):
    tell(kind="preferences", value=got.value.value, user=person(got))


class Webhook(BaseHTTPRequestHandler):
    """Hands every call to pywa."""

    def answer(self, body, code):
        self.send_response(code)
        self.end_headers()
        self.wfile.write(str(body).encode())

    def do_GET(self):
        query = parse_qs(urlparse(self.path).query)
        first = {name: values[0] for name, values in query.items()}
        self.answer(*client.webhook_challenge_handler(first.get("hub.verify_token"), first.get("hub.challenge")))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        refused = client.webhook_update_validator(body, self.headers.get("X-Hub-Signature-256"))
        if refused:
            tell(kind="refused", status=refused[1])
            self.answer(*refused)
        else:
            self.answer(*client.webhook_update_handler(body))

    def log_message(self, format, *values):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Webhook)
tell(kind="listening", port=server.server_port)
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit(0)
