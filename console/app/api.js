// The client of the public API. Every call of the console goes through here.
import { ApiError } from "#app/faults.js";

/** @typedef {Record<string, string | number | boolean | undefined | null>} Query */
/** @typedef {{query?: Query, body?: unknown, headers?: Record<string, string>, signal?: AbortSignal, anonymous?: boolean}} CallOptions */

let key = "";
/** @type {(error: ApiError) => void} */
let refused = () => {};

/** The key of the following calls. `onRefused` hears when the server no longer takes it. @param {string} next @param {(error: ApiError) => void} onRefused */
export function useKey(next, onRefused) {
  key = next;
  refused = onRefused;
}

/** @param {string} path @param {Query} [query] */
function address(path, query) {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search ? `${path}?${search}` : path;
}

/** @param {number} status @param {string} text @param {Headers | {get: (name: string) => string | null}} headers */
function fault(status, text, headers) {
  /** @type {any} */
  let body = {};
  try {
    body = JSON.parse(text);
  } catch {
    body = { message: text.slice(0, 300) };
  }
  return new ApiError({ ...body, status, requestId: body.requestId ?? headers.get("x-request-id") ?? "", retryAfter: Number(headers.get("retry-after")) || 0 });
}

/**
 * Makes a call and returns the answer with its headers.
 * @param {string} method
 * @param {string} path
 * @param {CallOptions} [options]
 * @returns {Promise<Response>}
 */
export async function call(method, path, { query, body, headers, signal, anonymous = false } = {}) {
  const form = body instanceof FormData || body instanceof Blob;
  const used = key;
  /** @type {Record<string, string>} */
  const all = { accept: "application/json", ...headers };
  if (used && !anonymous) all.authorization = used;
  if (body !== undefined && !form) all["content-type"] = "application/json";
  /** @type {Response} */
  let answer;
  try {
    const sent = body === undefined || form ? /** @type {BodyInit | undefined} */ (body) : JSON.stringify(body);
    answer = await fetch(address(path, query), { method, headers: all, body: sent, signal, credentials: "omit", cache: "no-store" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError({ status: 0 });
  }
  if (answer.ok) return answer;
  const error = fault(answer.status, await answer.text(), answer.headers);
  if (error.status === 401 && !anonymous && used === key) refused(error);
  throw error;
}

/** Makes a call and returns the JSON of the answer, or `undefined` if it has none. @param {string} method @param {string} path @param {CallOptions} [options] @returns {Promise<any>} */
async function json(method, path, options) {
  const answer = await call(method, path, options);
  const text = await answer.text();
  return text ? JSON.parse(text) : undefined;
}

export const api = {
  /** @param {string} path @param {Query} [query] @param {Omit<CallOptions, "query">} [options] */
  get: (path, query, options) => json("GET", path, { ...options, query }),
  /** @param {string} path @param {unknown} [body] @param {CallOptions} [options] */
  post: (path, body, options) => json("POST", path, { ...options, body }),
  /** @param {string} path @param {unknown} [body] @param {CallOptions} [options] */
  put: (path, body, options) => json("PUT", path, { ...options, body }),
  /** @param {string} path @param {CallOptions} [options] */
  remove: (path, options) => json("DELETE", path, options),
};

/**
 * Uploads a form and reports its progress from 0 to 1. `fetch` cannot do that.
 * @param {string} path
 * @param {FormData} form
 * @param {(share: number) => void} onProgress
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function upload(path, form, onProgress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const used = key;
    request.open("POST", path);
    request.setRequestHeader("authorization", used);
    request.upload.onprogress = (event) => onProgress(event.lengthComputable ? event.loaded / event.total : 0);
    request.onerror = () => reject(new ApiError({ status: 0 }));
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    request.onload = () => {
      if (request.status < 400) return resolve(JSON.parse(request.responseText || "null"));
      const error = fault(request.status, request.responseText, { get: (name) => request.getResponseHeader(name) });
      if (error.status === 401 && used === key) refused(error);
      reject(error);
    };
    signal?.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

/**
 * Fetches a file that needs the key, and hands it to the viewer under a name.
 * @param {string} path
 * @param {Query} query
 * @param {string} name
 */
export async function download(path, query, name) {
  const answer = await call("GET", path, { query, headers: { accept: "*/*" } });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
