"""The rules of the client, with servers of the tests."""

import base64
import time
import unittest

import httpx
from patchbay import Patchbay, PatchbayError, RetryPolicy, WebhookVerificationError, verify_webhook
from patchbay.webhooks import sign
from servers import stub

FAST = RetryPolicy(first_delay=0.001, longest_delay=0.002)
SEND = {"channel": "SMS", "payload": {"messages": [{"recipients": [{"to": "27830000001"}], "messageText": "hi"}]}}


class Requests(unittest.TestCase):
    def test_a_send_is_repeated_with_the_same_key_until_it_is_accepted(self):
        answers = [(503,), (0,), (429,), (202, {"status": "ACCEPTED"})]
        with stub(answers) as (url, requests), Patchbay(url, "k", retries=FAST) as client:
            self.assertEqual(client.send(SEND), {"status": "ACCEPTED"})
        keys = {request["headers"]["idempotency-key"] for request in requests}
        self.assertEqual((len(requests), len(keys)), (4, 1))
        self.assertRegex(keys.pop(), "^[0-9a-f-]{36}$")
        self.assertEqual(requests[0]["headers"]["authorization"], "k")

    def test_a_key_of_the_caller_is_kept(self):
        with stub() as (url, requests), Patchbay(url, "k") as client:
            client.send(SEND, idempotency_key="order-7")
        self.assertEqual(requests[0]["headers"]["idempotency-key"], "order-7")

    def test_the_longest_pause_is_the_one_that_the_server_asks_for(self):
        begun = time.monotonic()
        with stub([(429, {}, {"retry-after": "1"})]) as (url, requests), Patchbay(url, "k", retries=FAST) as client:
            client.request("GET", "/api/v1/users")
        self.assertEqual(len(requests), 2)
        self.assertGreaterEqual(time.monotonic() - begun, 1)

    def test_other_errors_are_not_repeated(self):
        for status in (400, 401, 403, 404, 409):
            body = {"error": "Text", "message": "why", "details": [{"field": "f", "message": "m"}]}
            with stub([(status, body)]) as (url, requests), Patchbay(url, "k", retries=FAST) as client:
                with self.assertRaises(PatchbayError) as caught:
                    client.request("GET", "/api/v1/users")
            error = caught.exception
            self.assertEqual((error.status, error.code, error.details[0]["field"]), (status, "Text", "f"))
            self.assertEqual(len(requests), 1)

    def test_five_attempts_are_the_most(self):
        with stub([(500,)] * 9) as (url, requests), Patchbay(url, "k", retries=FAST) as client:
            with self.assertRaises(PatchbayError):
                client.send(SEND)
        self.assertEqual(len(requests), 5)

    def test_a_request_that_could_take_effect_twice_is_not_repeated_without_an_answer(self):
        with stub([(0,), (0,)]) as (url, requests), Patchbay(url, "k", retries=FAST) as client:
            with self.assertRaises(httpx.TransportError):
                client.request("POST", "/api/v1/teams", body={"name": "Sales"})
        self.assertEqual(len(requests), 1)

    def test_the_gateways_get_their_header_and_paths_are_escaped(self):
        with stub() as (url, requests), Patchbay(url, "k") as client:
            client.request("POST", "/sms/getBalance")
            client.request("POST", "/smsbatch/sms", body={"message": "a b", "cell": "1"})
            client.request("GET", "/api/v1/clients/{clientRef}", path={"clientRef": "a/b"})
        self.assertEqual(requests[0]["headers"]["x-api-key"], "k")
        self.assertEqual(requests[1]["body"], b"message=a+b&cell=1")
        self.assertEqual(requests[2]["path"], "/api/v1/clients/a%2Fb")


def secret_of(text):
    return "whsec_" + base64.b64encode(text).decode()


SECRET = secret_of(b"a secret of the tests")


def signed(body, secret=SECRET, age=0):
    timestamp = int(time.time()) - age
    signature = sign(secret, f"id-1.{timestamp}.".encode() + body).decode()
    return {"Webhook-Id": "id-1", "Webhook-Timestamp": str(timestamp), "Webhook-Signature": f"v1,AAAA {signature}"}


class Webhooks(unittest.TestCase):
    def test_a_webhook_is_verified_with_the_present_or_a_replaced_secret(self):
        body = b'{"gstId":"1","status":"READ"}'
        for secret in (SECRET, [secret_of(b"another"), SECRET]):
            webhook = verify_webhook("messageStatus", signed(body), body, secret)
            self.assertEqual((webhook.id, webhook.body["status"]), ("id-1", "READ"))

    def test_a_webhook_that_is_altered_unsigned_foreign_or_old_is_refused(self):
        attempts = [
            (signed(b"{}"), b'{"a":1}'),
            ({**signed(b"{}"), "Webhook-Id": "id-2"}, b"{}"),
            (signed(b"{}", secret_of(b"x")), b"{}"),
            (signed(b"{}", age=301), b"{}"),
            ({}, b"{}"),
        ]
        for headers, body in attempts:
            with self.assertRaises(WebhookVerificationError):
                verify_webhook("messageStatus", headers, body, SECRET)


if __name__ == "__main__":
    unittest.main()
