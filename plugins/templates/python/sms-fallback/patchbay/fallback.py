"""Rules of the SMS fallback: helpers to write decisions."""

from typing import Callable, Optional

from wit_world.exports import fallback as _fallback
from wit_world.exports.fallback import Decision, Undeliverable

Rule = Callable[[Undeliverable], Decision]
_rule: Optional[Rule] = None


def fallback(rule: Rule) -> Rule:
    """Makes a function the rule."""
    global _rule
    _rule = rule
    return rule


def send(text: str, unicode: bool = False, sender: Optional[str] = None) -> Decision:
    """Sends this SMS."""
    return _fallback.Decision_Send(_fallback.Sms(text, unicode, sender))


def skip(reason: str) -> Decision:
    """Sends nothing, for this reason."""
    return _fallback.Decision_Skip(reason)
