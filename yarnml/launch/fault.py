"""A fault, as the user reads it."""

from __future__ import annotations

import traceback

from yarnml.errors import DataError, YarnmlError

LAST_WORDS = 20  # lines of a log that an error quotes


def short(error: BaseException) -> str:
    """In one line, with the type unless the error was written for the user."""
    return str(error) if _on_purpose(error) else f"{type(error).__name__}: {error}"


def whole(error: BaseException) -> str:
    """As a log keeps it: where it was raised, unless the error was written for the user."""
    return short(error) if _on_purpose(error) else "".join(traceback.format_exception(error)).rstrip()


def quoting(message: str, log: str, where: str) -> str:
    """The message, and the last lines of a log that say more than it does."""
    lines = [line for line in log.splitlines()[-LAST_WORDS:] if line.strip() and line.strip() not in message]
    if not lines:
        return message
    return "\n".join([message, f"the end of {where}:", *(f"  | {line}" for line in lines)])


def _on_purpose(error: BaseException) -> bool:
    return isinstance(error, YarnmlError | DataError)
