"""SMS routers: helpers to write decisions."""

from typing import Callable, Optional

from wit_world.exports import sms_routing
from wit_world.exports.sms_routing import Decision, Sms

Decide = Callable[[Sms], Decision]
_decide: Optional[Decide] = None


def router(decide: Decide) -> Decide:
    """Makes a function the router. It is called for each message."""
    global _decide
    _decide = decide
    return decide


def is_outgoing(sms: Sms) -> bool:
    """True if it goes to a subscriber."""
    return sms.direction == sms_routing.Direction.OUTGOING


def as_is() -> Decision:
    """The message is sent unchanged."""
    return sms_routing.Decision_AsIs()


def change(
    bind: Optional[str] = None,
    source: Optional[str] = None,
    priority: Optional[int] = None,
    validity_seconds: Optional[int] = None,
    text: Optional[str] = None,
    reason: Optional[str] = None,
) -> Decision:
    """The message is sent with changes. Absent fields stay unchanged."""
    return sms_routing.Decision_Change(sms_routing.Change(bind, source, priority, validity_seconds, text, reason))


def refuse(reason: str) -> Decision:
    """Refuses the message, for this reason."""
    return sms_routing.Decision_Refuse(reason)
