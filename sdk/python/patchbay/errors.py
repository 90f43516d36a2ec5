"""The errors of the client."""

from typing import Any


class PatchbayError(Exception):
    """An answer with status 400 or above, after the last attempt."""

    def __init__(self, status: int, body: Any, request_id: str | None):
        fields = body if isinstance(body, dict) else {}
        message = fields.get("message")
        super().__init__(f"{status}: {message}" if message else f"The server answered {status}")
        self.status = status
        """The HTTP status."""
        self.body = body
        """The body: JSON, or the text of another type."""
        self.request_id = request_id
        """The header `X-Request-Id`. Give it to the operator of the server."""
        self.code: str | None = fields.get("error")
        """The stable text of the error, such as `Bad Request`."""
        self.details: list[dict[str, Any]] = fields.get("details") or []
        """The fields at fault."""


class WebhookVerificationError(Exception):
    """The webhook is not genuine, or too old."""


class LiveEventsEnded(Exception):
    """The key of a live connection does not open it any more."""
