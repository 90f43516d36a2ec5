"""The parts that every plugin needs: log lines, the configuration, errors."""

import json
import traceback
from typing import Any

from componentize_py_types import Err
from wit_world.imports import config as _config
from wit_world.imports import log as _log
from wit_world.imports.types import Error as _Failure


class PluginError(Exception):
    """Raise it if the plugin cannot answer. The call then has no effect.

    `code` is a short word for programs, such as "bad-config"; `retry` says whether the same call may succeed a little
    later.
    """

    def __init__(self, code: str, message: str, retry: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry = retry


class log:
    """Log lines for the author of the plugin, stored with the trace of the call. Do not write personal data."""

    @staticmethod
    def debug(message: str) -> None:
        _log.write(_log.Level.DEBUG, message)

    @staticmethod
    def info(message: str) -> None:
        _log.write(_log.Level.INFO, message)

    @staticmethod
    def warn(message: str) -> None:
        _log.write(_log.Level.WARN, message)

    @staticmethod
    def error(message: str) -> None:
        _log.write(_log.Level.ERROR, message)


def config() -> Any:
    """The configuration of the activation. `{}` if there is none."""
    return json.loads(_config.get())


def failure(error: BaseException) -> Err:
    """A raised exception in the type of the host."""
    if isinstance(error, PluginError):
        return Err(_Failure(code=error.code, message=error.message, retry=error.retry))
    log.error("".join(traceback.format_exception(error)))
    return Err(_Failure(code="failed", message=f"{type(error).__name__}: {error}", retry=False))
