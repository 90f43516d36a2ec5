"""The functions that the host calls."""

from patchbay import fallback


class Fallback:
    def decide(self, undeliverable):
        return fallback._rule(undeliverable)
