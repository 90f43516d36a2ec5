"""Webhook shapers: write the body of an event as a value."""

from typing import Any, Callable, Optional

from wit_world.exports.shaper import (
    WebhookEvent,
    WebhookEvent_Chatbot,
    WebhookEvent_Incoming,
    WebhookEvent_Other,
    WebhookEvent_Partner,
    WebhookEvent_SessionStatus,
    WebhookEvent_Status,
)

Shape = Callable[[WebhookEvent], Any]
_shape: Optional[Shape] = None


# The body that the host writes without a plugin.
UNCHANGED = object()


def shaper(shape: Shape) -> Shape:
    """Makes a function the shaper. It returns the body, UNCHANGED, or None if the event is not sent."""
    global _shape
    _shape = shape
    return shape
