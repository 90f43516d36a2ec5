"""Verification of webhooks (Standard Webhooks) and their typed bodies."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, Literal, TypeVar, overload

from . import schema
from .errors import WebhookVerificationError

Body = TypeVar("Body")


@dataclass(frozen=True)
class Webhook(Generic[Body]):
    """A webhook whose signature was verified."""

    id: str
    """The same for each attempt. Remember it: a webhook can arrive twice."""
    sent_at: datetime
    """The time of the attempt."""
    body: Body


@overload
def verify_webhook(
    name: Literal["incomingMessage"], headers: Mapping[str, str], body: bytes, secret: str | Sequence[str], tolerance: float = ...
) -> Webhook[schema.IncomingMessage]: ...
@overload
def verify_webhook(
    name: Literal["messageStatus"], headers: Mapping[str, str], body: bytes, secret: str | Sequence[str], tolerance: float = ...
) -> Webhook[schema.MessageStatus]: ...
@overload
def verify_webhook(
    name: Literal["sessionStatus"], headers: Mapping[str, str], body: bytes, secret: str | Sequence[str], tolerance: float = ...
) -> Webhook[schema.SessionStatus]: ...
@overload
def verify_webhook(
    name: Literal["partnerEvent"], headers: Mapping[str, str], body: bytes, secret: str | Sequence[str], tolerance: float = ...
) -> Webhook[schema.PartnerEvent]: ...
@overload
def verify_webhook(
    name: Literal["chatbotEvent"], headers: Mapping[str, str], body: bytes, secret: str | Sequence[str], tolerance: float = ...
) -> Webhook[schema.ChatbotEventV2]: ...
def verify_webhook(
    name: str, headers: Mapping[str, str], body: bytes, secret: str | Sequence[str], tolerance: float = 300
) -> Webhook:
    """Verifies the signature of a webhook and parses its body.

    `name` is the webhook that the address is for. `body` is the body exactly as it came. `secret` is the secret of the
    configuration (`whsec_...`), or several during a rotation. `tolerance` is the number of seconds that the time of the
    attempt may differ from now. Raises `WebhookVerificationError`.
    """
    given = {known.lower(): value for known, value in headers.items()}
    try:
        id, timestamp, signatures = (given[f"webhook-{part}"] for part in ("id", "timestamp", "signature"))
        sent_at = datetime.fromtimestamp(int(timestamp), UTC)
    except KeyError as missing:
        raise WebhookVerificationError(f"The header {missing} is missing") from None
    except (ValueError, OverflowError):
        raise WebhookVerificationError("webhook-timestamp is no number of seconds") from None
    if abs(time.time() - sent_at.timestamp()) >= tolerance:
        raise WebhookVerificationError(f"The webhook {name} was sent too long ago, or its clock is wrong")
    secrets = [secret] if isinstance(secret, str) else secret
    expected = [sign(one, f"{id}.{timestamp}.".encode() + body) for one in secrets]
    if not any(hmac.compare_digest(one.encode(), known) for one in signatures.split() for known in expected):
        raise WebhookVerificationError(f"No signature of the webhook {name} fits")
    return Webhook(id, sent_at, json.loads(body))


def sign(secret: str, signed: bytes) -> bytes:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
