"""Client of the Patchbay API: sends, pages, webhooks and live events."""

from .client import Patchbay
from .errors import LiveEventsEnded, PatchbayError, WebhookVerificationError
from .retry import RetryPolicy
from .webhooks import Webhook, verify_webhook

__all__ = [
    "LiveEventsEnded",
    "Patchbay",
    "PatchbayError",
    "RetryPolicy",
    "Webhook",
    "WebhookVerificationError",
    "verify_webhook",
]
