// Calls of the simulator's API.

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<unknown>} the body of the answer
 */
export async function call(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Error("The simulator does not answer. Is it running?");
  }
  const text = await answer.text();
  /** @type {{error?: string}|null} */
  let json = null;
  try {
    json = text ? JSON.parse(text) : null;
  } catch {
    throw new Error(`The simulator answered ${answer.status} with something else than JSON.`);
  }
  if (!answer.ok) throw new Error(json?.error || `The simulator answered ${answer.status}.`);
  return json;
}

/** The words of a failed deed. @param {unknown} error */
export function reasonOf(error) {
  return error instanceof Error ? error.message : String(error);
}
