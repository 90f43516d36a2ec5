"""Files of this conversation: those that the customer sent, and those that the bot sends.

If a function fails, it raises PluginError."""

from typing import Iterator, Union

from componentize_py_types import Err
from wit_world.imports import files as _files

from patchbay import PluginError

_PART = 256 << 10


def read_all(message_id: str, most: int) -> bytes:
    """The whole file of a message.

    If the file has more than `most` bytes, the error has the code `file-too-large`."""
    content = bytearray()
    for part in parts(message_id):
        if len(content) + len(part) > most:
            raise PluginError("file-too-large", f"the file has more than {most} bytes")
        content += part
    return bytes(content)


def parts(message_id: str) -> Iterator[bytes]:
    """The file of a message, part by part. A call reads at most 8 MiB."""
    offset = 0
    while part := read(message_id, offset):
        yield part
        offset += len(part)


def read(message_id: str, offset: int = 0, most: int = _PART) -> bytes:
    """The bytes of the file of a message from `offset` on: at most `most`, and never more than 256 KiB.

    An empty part is the end of the file."""
    try:
        return bytes(_files.read(message_id, offset, most))
    except Err as fault:
        raise _told(fault.value) from None


def write(name: str, content: Union[str, bytes]) -> str:
    """Takes a file for this answer, and returns the `url` for `chatbot.media`. The name may be empty.

    The file has at most 2 MiB and a type that agents may send; a call writes at most 4. A file that no reply names is
    dropped."""
    try:
        return _files.write(name, content.encode() if isinstance(content, str) else bytes(content))
    except Err as fault:
        raise _told(fault.value) from None


def _told(fault: _files.Error) -> PluginError:
    match fault:
        case _files.Error_NotFound():
            return PluginError("file-not-found", "no message of the customer in this conversation has this file")
        case _files.Error_Unavailable():
            return PluginError("file-unavailable", "the file cannot be read yet", retry=True)
        case _files.Error_TooMuch(most):
            return PluginError("file-too-much", f"a call reads at most {most} bytes of files")
        case _files.Error_Refused(rule):
            return PluginError("file-refused", rule)
        case _files.Error_Other(reason):
            return PluginError("file", reason)
    raise AssertionError(fault)
