import type { components } from "./schema.js";

type ErrorBody = components["schemas"]["Error"];

/** An answer with status 400 or above, after the last attempt. */
export class PatchbayError extends Error {
  override readonly name = "PatchbayError";

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** The body: JSON, or the text of another type. */
    readonly body: unknown,
    /** The header `X-Request-Id`. Give it to the operator of the server. */
    readonly requestId: string | null,
  ) {
    const { message } = asBody(body);
    super(message ? `${status}: ${message}` : `The server answered ${status}`);
  }

  /** The stable text of the error, such as `Bad Request`. */
  get code(): string | undefined {
    return asBody(this.body).error;
  }

  /** The fields at fault. */
  get details(): ErrorBody["details"] {
    return asBody(this.body).details ?? [];
  }
}

function asBody(body: unknown): Partial<ErrorBody> {
  return typeof body === "object" && body !== null ? (body as Partial<ErrorBody>) : {};
}
