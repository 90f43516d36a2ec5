"""Routers: helpers to write decisions, each with the reason that is stored with it."""

from typing import Callable, Optional

from wit_world.exports import routing
from wit_world.exports.routing import Decision, Inbound

Route = Callable[[Inbound], Decision]
_route: Optional[Route] = None


def router(route: Route) -> Route:
    """Makes a function the router."""
    global _route
    _route = route
    return route


def default_bot(reason: str) -> Decision:
    """The client's default chatbot answers."""
    return routing.Decision(routing.Target_Bot(None), reason, None)


def bot(name: str, reason: str) -> Decision:
    """The chatbot of this name answers."""
    return routing.Decision(routing.Target_Bot(name), reason, None)


def team(name: str, reason: str, note: Optional[str] = None) -> Decision:
    """The conversation waits for a team."""
    return routing.Decision(routing.Target_Team(name), reason, note)


def agent(id: str, reason: str, note: Optional[str] = None) -> Decision:
    """An agent answers."""
    return routing.Decision(routing.Target_Agent(id), reason, note)


def queue(reason: str, note: Optional[str] = None) -> Decision:
    """The conversation waits in the unassigned queue."""
    return routing.Decision(routing.Target_Queue(), reason, note)
