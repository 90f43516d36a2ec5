"""The client with a real server. The environment names it: PATCHBAY_URL and the other variables of `setUpClass`."""

import os
import queue
import threading
import unittest
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit

import httpx
from patchbay import Patchbay, PatchbayError, RetryPolicy, verify_webhook
from servers import Relay

TEMPLATES = "/messaging-service/WhatsApp/templates"
WEBHOOKS = "/messaging-service/WhatsApp/WhatsAppClientWebHook"


@unittest.skipUnless(os.environ.get("PATCHBAY_URL"), "PATCHBAY_URL is not set")
class RealServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        names = ("URL", "API_KEY", "NUMBER", "PHONES", "PHONE")
        cls.url, cls.key, cls.number, cls.phones, cls.phone = (os.environ[f"PATCHBAY_{name}"] for name in names)
        cls.client = Patchbay(cls.url, cls.key)
        cls.addClassCleanup(cls.client.close)

    def write_from_phone(self, text):
        address = f"{self.phones}/phones/{self.phone}/messages"
        httpx.post(address, json={"to": self.number, "text": text}).raise_for_status()

    def sms(self, text):
        message = {"recipients": [{"to": self.phone, "ctId": "sdk-1"}], "messageText": text}
        return {"channel": "SMS", "payload": {"messages": [message]}}

    def test_a_template_a_text_and_an_sms_are_sent(self):
        found = self.client.items(TEMPLATES, query={"size": 2})
        template = next(one for one in found if one["name"] == "order_ready")
        recipients = [{"to": self.phone, "ctId": "sdk-1"}]
        components = [{"type": "body", "parameters": ["Thandi", "#42"]}, {"type": "button", "parameters": ["42"]}]
        notification = {
            "sender": self.number,
            "messageType": "NOTIFICATION",
            "templateName": template["name"],
            "templateId": template["id"],
            "messages": [{"recipients": recipients, "components": components}],
        }
        messages = [{"recipients": recipients, "messageText": "hi"}]
        chat = {"sender": self.number, "messageType": "CHAT", "messages": messages}
        for send in (
            {"channel": "WHATSAPP", "payload": notification},
            {"channel": "WHATSAPP", "payload": chat},
            self.sms("hi"),
        ):
            accepted = self.client.send(send)
            self.assertEqual((accepted["status"], accepted["channel"]), ("ACCEPTED", send["channel"]))
            story = self.client.message(accepted["acceptedRecipients"][0]["gstId"])
            self.assertEqual(story["channel"], send["channel"])

    def test_a_repeated_key_sends_once(self):
        key = str(uuid.uuid4())
        first, second = (self.client.send(self.sms("once"), idempotency_key=key) for _ in range(2))
        self.assertEqual(first["batchId"], second["batchId"])

    def test_an_error_names_the_field_at_fault(self):
        with self.assertRaises(PatchbayError) as caught:
            self.client.send({"channel": "SMS", "payload": {"messages": []}})
        error = caught.exception
        self.assertEqual((error.status, error.details[0]["field"]), (400, "payload.messages"))
        self.assertTrue(error.request_id)

    def test_pages_are_read_to_their_end_each_item_once(self):
        ids = [one["id"] for one in self.client.items(TEMPLATES, query={"size": 3})]
        total = self.client.request("GET", TEMPLATES)["totalElements"]
        self.assertGreater(total, 3)
        self.assertEqual((len(ids), len(set(ids))), (total, total))

    def test_a_real_webhook_is_verified(self):
        arrived = queue.Queue()

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self):
                arrived.put((dict(self.headers), self.rfile.read(int(self.headers["content-length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = HTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        address = f"http://127.0.0.1:{server.server_port}/incoming"
        stored = self.client.request("POST", WEBHOOKS, body={"incomingMessageURL": address})
        path = {"id": stored["id"]}
        secret = self.client.request("GET", f"{WEBHOOKS}/{{id}}/secret", path=path)["secret"]
        self.write_from_phone("hello webhook")
        headers, body = arrived.get(timeout=60)
        webhook = verify_webhook("incomingMessage", headers, body, secret)
        self.assertEqual((webhook.body["text"], webhook.body["sender"]), ("hello webhook", self.phone))

    def test_live_events_continue_after_a_cut_connection_each_once(self):
        address = urlsplit(self.url)
        relay = Relay((address.hostname, address.port))
        self.addCleanup(relay.close)
        watching = Patchbay(relay.url, self.key, retries=RetryPolicy(first_delay=0.05))
        texts, sequences = [], []
        for event in watching.live_events():
            sequences.append(event["sequence"])
            if event["type"] == "hello":
                self.write_from_phone("one")
            elif event["type"] == "message.received":
                texts.append(event["message"]["text"])
                if len(texts) == 2:
                    break
                relay.cut()
                self.write_from_phone("two")
        self.assertEqual(texts, ["one", "two"])
        self.assertEqual(sequences, sorted(set(sequences)))


if __name__ == "__main__":
    unittest.main()
