"""The module `random`, seeded by the host in each call.

The interpreter is initialised at the build. Its own generators would give the same numbers in each call.
"""

import random

_is_loaded = False


def finish_loading() -> None:
    """Ends the loading of the plugin, which takes place at the build."""
    global _is_loaded
    _is_loaded = True
    _shared.gauss_next = None


class Random(random.Random):
    """A generator that was made without a seed at the build draws one at its first use in a call."""

    _has_seed = False

    def seed(self, a=None, version=2):
        super().seed(a, version)
        self._has_seed = a is not None or _is_loaded

    def setstate(self, state):
        super().setstate(state)
        self._has_seed = True

    def random(self):
        if _is_loaded and not self._has_seed:
            self.seed()
        return super().random()

    def getrandbits(self, k):
        if _is_loaded and not self._has_seed:
            self.seed()
        return super().getrandbits(k)


_old = random._inst
_shared = Random()
for _name, _value in list(vars(random).items()):
    if getattr(_value, "__self__", None) is _old:
        setattr(random, _name, getattr(_shared, _name))
random._inst = _shared
Random.__module__ = "random"
random.Random = Random
