"""Verifies webhooks with PyPI `standardwebhooks`.

Standard input: a JSON array of {"secret", "headers", "body"}. Standard output: a JSON array of `"ok"` or the reason why
the webhook is not genuine.
"""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def verdict(case):
    try:
        Webhook(case["secret"]).verify(case["body"], case["headers"])
    except WebhookVerificationError as error:
        return str(error)
    return "ok"


json.dump([verdict(case) for case in json.load(sys.stdin)], sys.stdout)
