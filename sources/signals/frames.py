"""Messages between a process and its child over pipes: a length, then JSON; it knows no message."""

import struct
from typing import IO, Any, Final

import orjson

_LENGTH: Final = struct.Struct("<I")


class Closed(Exception):  # noqa: N818  # the other side is gone: nothing was wrong here
    """The other side has closed the pipe, or died."""


def write(pipe: IO[bytes], message: object) -> None:
    """Send one message.

    Raises:
        Closed: nobody reads any more.
    """
    payload = orjson.dumps(message)
    try:
        pipe.write(_LENGTH.pack(len(payload)) + payload)
        pipe.flush()
    except (OSError, ValueError) as problem:  # ValueError: our own end was closed meanwhile
        raise Closed(str(problem)) from problem


def read(pipe: IO[bytes]) -> Any:  # noqa: ANN401  # whatever JSON the other side sent
    """Wait for one message.

    Raises:
        Closed: there will be none.
    """
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    try:
        return orjson.loads(_exactly(pipe, length))
    except orjson.JSONDecodeError as problem:
        raise Closed(f"the other side sent no message: {problem}") from problem


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    try:
        found = pipe.read(size)
    except (OSError, ValueError) as problem:
        raise Closed(str(problem)) from problem
    if len(found) < size:
        raise Closed("end of the pipe")
    return found
