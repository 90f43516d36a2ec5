"""The client of one server with one key."""

import re
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Self
from urllib.parse import quote

import httpx

from . import schema
from .errors import PatchbayError
from .live_events import LiveEvent, follow_events
from .retry import RetryPolicy, is_retryable

SENDS = {
    "/whatsapp-api-service/v2/messages",
    "/whatsapp-api-service/v2/channels/whatsapp",
    "/whatsapp-api-service/v2/channels/sms",
    "/whatsapp-api-service/v2/json",
}


class Patchbay:
    """A client of the API.

    `url` is the address of the server, such as `https://chat.example.com`, and `key` the API key (36 characters).
    `timeout` is for one attempt, in seconds. Threads can share a client.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        retries: RetryPolicy = RetryPolicy(),
        timeout: float = 30.0,
        transport: httpx.BaseTransport | None = None,
    ):
        self._url = url.rstrip("/")
        self._key = key
        self._retries = retries
        self._http = httpx.Client(timeout=timeout, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def send(self, body: schema.UnifiedSend, *, idempotency_key: str | None = None) -> schema.SendAccepted:
        """Sends a WhatsApp message or an SMS through the unified endpoint."""
        return self.request("POST", "/whatsapp-api-service/v2/messages", body=body, idempotency_key=idempotency_key)

    def message(self, gst_id: str) -> schema.MessageStory:
        """Returns a message with all its events."""
        return self.request("GET", "/messaging-service/WhatsApp/messages/{gstId}", path={"gstId": gst_id})

    def items(
        self, path: str, *, query: Mapping[str, Any] | None = None, path_values: Mapping[str, Any] | None = None
    ) -> Iterator[Any]:
        """Iterates over all items of a list, page by page."""
        number = 0
        while True:
            page = self.request("GET", path, path=path_values, query={**(query or {}), "page": number})
            yield from page["content"]
            if page["last"]:
                return
            number += 1

    def live_events(self, after: int | None = None) -> Iterator[LiveEvent]:
        """Follows the live events of the client, and continues after a broken connection."""
        return follow_events(self._url, self._key, after, self._retries)

    def request(
        self,
        method: str,
        path_template: str,
        *,
        path: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        files: Any = None,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Calls any operation of the API.

        `body` is JSON, `bytes`, or the fields of a form of the batch gateway. `files` is a form of httpx. The answer is
        JSON, text, bytes, or None. An error raises `PatchbayError`.
        """
        if path_template in SENDS:
            idempotency_key = idempotency_key or str(uuid.uuid4())
        # Without an answer, only a request that cannot take effect twice is repeated.
        is_repeatable = method.upper() != "POST" or idempotency_key is not None
        for attempt in range(1, self._retries.attempts + 1):
            is_last = attempt == self._retries.attempts
            retry_after = None
            try:
                answer = self._http.request(
                    method.upper(),
                    self._url + fill(path_template, path or {}),
                    params={name: text(value) for name, value in (query or {}).items() if value is not None},
                    headers={**self._headers(path_template, idempotency_key, body), **(headers or {})},
                    files=files,
                    **encode(path_template, body),
                )
            except httpx.TransportError:
                if is_last or not is_repeatable:
                    raise
            else:
                content = read(answer)
                if answer.is_success:
                    return content
                if is_last or not is_retryable(answer.status_code):
                    raise PatchbayError(answer.status_code, content, answer.headers.get("x-request-id"))
                retry_after = answer.headers.get("retry-after")
            time.sleep(self._retries.delay_after(attempt, retry_after))
        raise AssertionError("the last attempt returns or raises")

    def _headers(self, path_template: str, idempotency_key: str | None, body: Any) -> dict[str, str]:
        is_gateway = path_template.startswith(("/sms/", "/smsbatch/"))
        headers = {"X-API-Key" if is_gateway else "Authorization": self._key}
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        if isinstance(body, bytes):
            is_plugin = "/plugins" in path_template
            headers["Content-Type"] = "application/wasm" if is_plugin else "application/octet-stream"
        return headers


def fill(template: str, values: Mapping[str, Any]) -> str:
    return re.sub(r"\{(\w+)\}", lambda part: quote(str(values[part[1]]), safe=""), template)


def text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def encode(template: str, body: Any) -> dict[str, Any]:
    if body is None:
        return {}
    if isinstance(body, bytes):
        return {"content": body}
    return {"data": body} if template.startswith("/smsbatch/") else {"json": body}


def read(answer: httpx.Response) -> Any:
    kind = answer.headers.get("content-type", "")
    if kind.startswith("application/json"):
        return answer.json()
    if kind.startswith(("text/", "application/xml", "application/x-ndjson")):
        return answer.text
    return answer.content or None
