"""The stored facts of the conversation, as they are now: tags of the chat, running timers, the last messages."""

from wit_world.imports.conversation import Author, PastMessage, RunningTimer, history, tags, timers

__all__ = ["Author", "PastMessage", "RunningTimer", "history", "tags", "timers"]
