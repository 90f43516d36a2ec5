"""The functions that the host calls."""

from patchbay import failure, fallback


class Fallback:
    def decide(self, undeliverable):
        try:
            return fallback._rule(undeliverable)
        except Exception as error:
            raise failure(error)
