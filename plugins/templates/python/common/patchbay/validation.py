"""Judges configurations beyond their schema. It needs `validates = true` in plugin.toml."""

import json
from typing import Any, Callable, Iterable, List, Optional, Tuple

from wit_world.exports.validation import Finding

Check = Callable[[Any], Iterable[Tuple[str, str]]]
_check: Optional[Check] = None


def config_check(check: Check) -> Check:
    """Makes a function the judge of configurations.

    It gets the configuration of an activation and returns its faults, each a place such as "topics/0/title" and one
    sentence. The place of a fault of the whole configuration is "". If there are faults, the activation is refused.
    """
    global _check
    _check = check
    return check


class Validation:
    """The function that the host calls."""

    def validate(self, config: str) -> List[Finding]:
        if _check is None:
            raise RuntimeError("no function has the decorator @config_check")
        return [Finding(field, message) for field, message in _check(json.loads(config))]
