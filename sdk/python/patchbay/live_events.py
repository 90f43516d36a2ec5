"""The live events of a client, with resumption after a broken connection."""

import json
import time
from collections.abc import Iterator
from typing import Any, Literal, NotRequired, TypedDict

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import connect

from . import schema
from .errors import LiveEventsEnded, PatchbayError
from .retry import RetryPolicy, is_retryable

KEY_ENDED = 4001
"""Close code: the key was replaced, or its user may not see chats."""
LONGEST_SILENCE = 60
"""The server sends at least a position every 20 seconds. A longer silence is a broken connection."""


class LiveChat(schema.ChatParticipantResponse, total=False):
    """The chat of an event."""

    state: Literal["BOT", "QUEUED", "ACTIVE", "CLOSED"]
    inbox: str


class LiveEvent(TypedDict):
    """An event. `docs/live-events.md` describes the types.

    Load the lists after `hello`. After `resync` some events are lost: load the lists again.
    """

    type: str
    sequence: int
    time: NotRequired[str]
    chat: NotRequired[LiveChat]
    message: NotRequired[schema.MessageResponse]
    status: NotRequired[schema.ReportedState]
    reopened: NotRequired[bool]
    reason: NotRequired[str]
    rating: NotRequired[Literal["POOR", "AVERAGE", "EXCELLENT"]]
    ticket: NotRequired[dict[str, Any]]


def follow_events(server: str, key: str, after: int | None, retries: RetryPolicy) -> Iterator[LiveEvent]:
    address = "ws" + server.removeprefix("http") + "/chat-service/api/v2/events"
    failures = 0
    while True:
        is_resumed = after is not None
        try:
            resumed = f"{address}?after={after}" if is_resumed else address
            with connect(resumed, additional_headers={"Authorization": key}, max_size=None) as socket:
                while True:
                    event = json.loads(socket.recv(timeout=LONGEST_SILENCE))
                    failures, after = 0, event["sequence"]
                    if is_visible(event["type"], is_resumed):
                        yield event
        except ConnectionClosed as closed:
            if closed.rcvd and closed.rcvd.code == KEY_ENDED:
                raise LiveEventsEnded("The key does not open live events any more") from None
        except InvalidStatus as refused:
            status = refused.response.status_code
            if not is_retryable(status):
                raise PatchbayError(status, error_body(refused), refused.response.headers.get("x-request-id")) from None
        except (OSError, TimeoutError, WebSocketException):
            pass
        failures += 1
        time.sleep(retries.delay_after(failures, None))


def error_body(refused: InvalidStatus) -> Any:
    try:
        return json.loads(refused.response.body or b"null")
    except ValueError:
        return None


def is_visible(kind: str, is_resumed: bool) -> bool:
    """A `hello` after a resumption says that nothing was missed."""
    return kind not in ("position", "resume") and not (kind == "hello" and is_resumed)
