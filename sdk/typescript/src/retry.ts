/** When and how often a request is repeated. */
export interface RetryPolicy {
  /** Attempts in all, the first one included. */
  attempts: number;
  /** Longest pause before the first repetition, in milliseconds. It doubles each time. */
  firstDelay: number;
  /** Longest pause that the client chooses. A longer `Retry-After` is kept. */
  longestDelay: number;
}

export const DEFAULT_RETRIES: RetryPolicy = { attempts: 5, firstDelay: 500, longestDelay: 30_000 };

/** Only 429 and 5xx are worth a repetition. */
export function isRetryable(status: number): boolean {
  return status === 429 || status >= 500;
}

/**
 * The pause before a repetition, in milliseconds.
 *
 * @param attempt The failed attempt, from 1.
 * @param retryAfter The header `Retry-After` of its answer: seconds.
 */
export function delayAfter(attempt: number, retryAfter: string | null, policy: RetryPolicy): number {
  const ceiling = Math.min(policy.longestDelay, policy.firstDelay * 2 ** (attempt - 1));
  // A random part keeps clients that failed together from coming back together.
  const chosen = ceiling * (0.5 + Math.random() / 2);
  const asked = Number(retryAfter ?? 0) * 1000;
  return Number.isFinite(asked) ? Math.max(chosen, asked) : chosen;
}

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(finish, milliseconds);
    signal?.addEventListener("abort", finish, { once: true });
    function finish() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    }
  });
}
