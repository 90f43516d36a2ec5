"""Outgoing HTTP, to the hosts that the activation allows."""

import json as _json
from typing import Any, Mapping, Optional, Union

from componentize_py_types import Err
from wit_world.imports import http as _http

from patchbay import PluginError


class Response:
    """The response, with any status."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def ok(self) -> bool:
        """True if the status is 200 to 299."""
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return _json.loads(self.body)


def get(url: str, headers: Mapping[str, str] = {}, timeout_ms: Optional[int] = None) -> Response:
    """Sends a GET request and waits for the response. Raises PluginError if none comes."""
    return request("GET", url, headers, timeout_ms=timeout_ms)


def post(
    url: str, json: Any, headers: Mapping[str, str] = {}, timeout_ms: Optional[int] = None
) -> Response:
    """Posts a value as JSON and waits for the response. Raises PluginError if none comes."""
    headers = {"content-type": "application/json", **headers}
    return request("POST", url, headers, _json.dumps(json), timeout_ms)


def request(
    method: str,
    url: str,
    headers: Mapping[str, str] = {},
    body: Union[str, bytes, None] = None,
    timeout_ms: Optional[int] = None,
) -> Response:
    """Sends any request and waits for the response. Raises PluginError if none comes."""
    body = body.encode() if isinstance(body, str) else body
    try:
        answer = _http.send(_http.Request(method, url, list(headers.items()), body, timeout_ms))
    except Err as fault:
        raise unanswered(fault.value) from None
    return received(answer)


def start(
    method: str,
    url: str,
    headers: Mapping[str, str] = {},
    body: Union[str, bytes, None] = None,
    timeout_ms: Optional[int] = None,
) -> str:
    """Sends a request after this call, with a deadline of 1 to 120 seconds, and returns the id of its job.

    The response comes as the event `http-finished`, see `chatbot.finished_of`."""
    body = body.encode() if isinstance(body, str) else body
    try:
        return _http.start(_http.Request(method, url, list(headers.items()), body, timeout_ms))
    except Err as fault:
        raise unanswered(fault.value) from None


def received(answer: _http.Response) -> Response:
    """The response of the host."""
    return Response(answer.status, dict(answer.headers), bytes(answer.body))


def unanswered(fault: _http.Error) -> PluginError:
    """The reason why there is no response."""
    match fault:
        case _http.Error_NotGranted(reason):
            return PluginError("http-not-granted", reason)
        case _http.Error_InvalidRequest(reason):
            return PluginError("http-invalid-request", reason)
        case _http.Error_TimedOut():
            return PluginError("http-timed-out", "no response in time", retry=True)
        case _http.Error_TooLarge(most):
            return PluginError("http-too-large", f"the response is larger than {most} bytes")
        case _http.Error_Failed(reason):
            return PluginError("http-failed", reason, retry=True)
    raise AssertionError(fault)
