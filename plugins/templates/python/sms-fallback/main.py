"""If the sender asked for a fallback, sends the sender's own text; if there is none, that of the template."""

from patchbay.fallback import fallback, send, skip


@fallback
def decide(undeliverable):
    requested = undeliverable.requested
    if not requested.send_fallback:
        return skip("not asked for")
    text = requested.text or undeliverable.auto_text
    if text is None:
        return skip("there is no text")
    return send(text, requested.unicode)
