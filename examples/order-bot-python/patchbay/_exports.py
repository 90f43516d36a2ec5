"""The functions that the host calls."""

from patchbay import chatbot, failure


class Bot:
    def handle(self, event, session):
        try:
            return chatbot._handler(event, session)
        except Exception as error:
            raise failure(error)
