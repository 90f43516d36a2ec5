"""A small store that outlives the call. Writes take effect together with the answer, or not at all."""

from typing import List, Optional, Union

from componentize_py_types import Err
from wit_world.imports import kv as _kv

from patchbay import PluginError

PARTICIPANT = _kv.Scope.PARTICIPANT
"""Values of this participant."""
CLIENT = _kv.Scope.CLIENT
"""Values that all participants of the client share."""


def get(key: str, scope: _kv.Scope = PARTICIPANT) -> Optional[str]:
    """The value of a key as text, or None."""
    try:
        value = _kv.get(scope, key)
    except Err as fault:
        raise _told(fault.value) from None
    return None if value is None else bytes(value).decode()


def set(key: str, value: Union[str, bytes], scope: _kv.Scope = PARTICIPANT) -> None:
    """Sets the value of a key."""
    try:
        _kv.set(scope, key, value.encode() if isinstance(value, str) else value)
    except Err as fault:
        raise _told(fault.value) from None


def set_expiring(key: str, value: Union[str, bytes], after_seconds: int, scope: _kv.Scope = PARTICIPANT) -> None:
    """Sets a value that expires after this number of seconds."""
    try:
        _kv.set_expiring(scope, key, value.encode() if isinstance(value, str) else value, after_seconds)
    except Err as fault:
        raise _told(fault.value) from None


def keys(prefix: str = "", after: Optional[str] = None, scope: _kv.Scope = PARTICIPANT) -> List[str]:
    """Up to a hundred keys that begin with `prefix` and come after `after`."""
    try:
        return list(_kv.list_keys(scope, prefix, after, 100))
    except Err as fault:
        raise _told(fault.value) from None


def delete(key: str, scope: _kv.Scope = PARTICIPANT) -> None:
    """Removes a key. It is no error if the key does not exist."""
    try:
        _kv.delete(scope, key)
    except Err as fault:
        raise _told(fault.value) from None


def _told(fault: _kv.Error) -> PluginError:
    match fault:
        case _kv.Error_InvalidKey():
            words = "a key is 1 to 128 bytes long and holds no NUL character"
        case _kv.Error_ValueTooLarge(most):
            words = f"a value is at most {most} bytes long"
        case _kv.Error_TooManyWrites(most):
            words = f"a call writes at most {most} keys"
        case _kv.Error_Other(reason):
            words = reason
    return PluginError("key-value", words)
