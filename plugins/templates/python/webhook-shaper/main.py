"""Reports messages of customers in three fields, and no other events."""

from patchbay.shaper import WebhookEvent_Incoming, shaper


@shaper
def shape(event):
    # None: this event is not sent.
    if not isinstance(event, WebhookEvent_Incoming):
        return None
    message = event.value
    return {"from": message.sender, "to": message.receiver, "text": message.text}
