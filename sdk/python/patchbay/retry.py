"""When and how often a request is repeated."""

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class RetryPolicy:
    attempts: int = 5
    """Attempts in all, the first one included."""
    first_delay: float = 0.5
    """Longest pause before the first repetition, in seconds. It doubles each time."""
    longest_delay: float = 30.0
    """Longest pause that the client chooses. A longer `Retry-After` is kept."""

    def delay_after(self, attempt: int, retry_after: str | None) -> float:
        """The pause after a failed attempt (from 1), in seconds."""
        ceiling = min(self.longest_delay, self.first_delay * 2 ** (attempt - 1))
        # A random part keeps clients that failed together from coming back together.
        chosen = ceiling * random.uniform(0.5, 1)
        return max(chosen, float(retry_after)) if (retry_after or "").isdigit() else chosen


def is_retryable(status: int) -> bool:
    """Only 429 and 5xx are worth a repetition."""
    return status == 429 or status >= 500
