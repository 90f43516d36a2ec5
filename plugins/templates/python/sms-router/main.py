"""Sends one-time pins first, refuses long texts of batches, and leaves all other messages unchanged."""

from patchbay.sms_router import as_is, change, is_outgoing, refuse, router


@router
def decide(sms):
    if is_outgoing(sms) and sms.traffic == "otp":
        return change(priority=3, validity_seconds=300, reason="a pin")
    if sms.product == "batch" and sms.segments > 6:
        return refuse("too long for a batch")
    return as_is()
