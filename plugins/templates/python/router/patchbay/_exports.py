"""The functions that the host calls."""

from patchbay import failure, router


class Routing:
    def route(self, inbound):
        try:
            return router._route(inbound)
        except Exception as error:
            raise failure(error)
