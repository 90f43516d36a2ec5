"""The functions that the host calls."""

from patchbay import failure, sms_router


class SmsRouting:
    def decide_sms(self, messages):
        try:
            return [sms_router._decide(sms) for sms in messages]
        except Exception as error:
            raise failure(error)
