"""Receives the simulator's callbacks about pages with fbmessenger, prints one line of JSON for each, and answers texts.

PYTHONPATH=DIR/python python3 fbmessenger_receives.py --secret APP_SECRET --token VERIFY_TOKEN --base http://HOST:PORT
"""

import argparse
import hashlib
import hmac
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

from fbmessenger import BaseMessenger
from fbmessenger.elements import Text
from fbmessenger.quick_replies import QuickReplies, QuickReply

arguments = argparse.ArgumentParser()
for name in ("secret", "token", "base"):
    arguments.add_argument(f"--{name}", required=True)
given = arguments.parse_args()


def tell(**line):
    # In one piece: several threads tell, and `print` writes the end of a line apart from it.
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


class Page(BaseMessenger):
    """Tells what it got, and answers a text with quick replies."""

    def message(self, message):
        got = message["message"]
        tell(kind="message", sender=message["sender"]["id"], millis=message["timestamp"], **{
            name: got.get(name) for name in ("mid", "text", "attachments", "quick_reply", "reply_to", "is_echo")
        })
        if got.get("text") == "choose":
            replies = QuickReplies([QuickReply(title="Yes", payload="YES"), QuickReply(title="No", payload="NO")])
            tell(kind="answer", answer=self.send(Text(text="Well?", quick_replies=replies).to_dict(), "RESPONSE"))

    def delivery(self, message):
        tell(kind="delivery", **message["delivery"])

    def read(self, message):
        tell(kind="read", **message["read"])

    def postback(self, message):
        got = message["postback"]
        tell(kind="postback", title=got["title"], payload=got["payload"])

    def optin(self, message):
        tell(kind="optin")

    def account_linking(self, message):
        tell(kind="account linking")


page = Page("page-token")
page.client.graph_url = f"{given.base}/v25.0"


class Webhook(BaseHTTPRequestHandler):
    """Verifies every call, as Meta's documentation describes it, and hands it to fbmessenger."""

    def answer(self, body, code):
        self.send_response(code)
        self.end_headers()
        self.wfile.write(body.encode())

    def do_GET(self):
        query = {name: values[0] for name, values in parse_qs(urlparse(self.path).query).items()}
        known = query.get("hub.mode") == "subscribe" and query.get("hub.verify_token") == given.token
        self.answer(query.get("hub.challenge", "") if known else "", 200 if known else 403)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        mine = "sha256=" + hmac.new(given.secret.encode(), body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(mine, self.headers.get("X-Hub-Signature-256", "")):
            tell(kind="refused")
            return self.answer("", 401)
        payload = json.loads(body)
        tell(kind="envelope", object=payload["object"], pages=[entry["id"] for entry in payload["entry"]])
        page.handle(payload)
        self.answer("", 200)

    def log_message(self, format, *values):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Webhook)
tell(kind="listening", port=server.server_port)
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit(0)
