// Outgoing HTTP, to the hosts that the activation allows.

import * as http from 'patchbay:plugin/http@0.3.0';
import { PluginError } from './index';
import { decode, encode } from './bytes';

export interface Options {
  method?: string;
  headers?: Record<string, string>;
  /** A text, or bytes. */
  body?: string | Uint8Array;
  /** Longest wait. The host has an upper limit of its own. */
  timeoutMs?: number;
}

/** The response, with any status. */
export class Response {
  constructor(readonly status: number, readonly headers: Map<string, string>, readonly body: Uint8Array) {}

  /** True if the status is 200 to 299. */
  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  text(): string {
    return decode(this.body);
  }

  json<T = unknown>(): T {
    return JSON.parse(this.text()) as T;
  }
}

/** Sends one request and waits for the response. Throws a `PluginError` if none comes. */
export function fetch(url: string, options: Options = {}): Response {
  try {
    return received(http.send(request(url, options)));
  } catch (fault) {
    throw unanswered((fault as { payload?: http.Error }).payload ?? (fault as http.Error));
  }
}

/**
 * Sends one request after this call, with a deadline of 1 to 120 seconds (`timeoutMs`, 60 seconds if absent). Returns
 * the id of its job. The response comes as the event `http-finished`, see `finishedOf`.
 */
export function start(url: string, options: Options = {}): string {
  try {
    return http.start(request(url, options));
  } catch (fault) {
    throw unanswered((fault as { payload?: http.Error }).payload ?? (fault as http.Error));
  }
}

function request(url: string, options: Options): http.Request {
  const { method = 'GET', headers = {}, body, timeoutMs = null } = options;
  const bytes = typeof body === 'string' ? encode(body) : body ?? null;
  return { method, url, headers: Object.entries(headers), body: bytes, timeoutMs };
}

/** The response of the host. */
export function received(answer: http.Response): Response {
  return new Response(answer.status, new Map(answer.headers), answer.body);
}

/** The reason why there is no response. */
export function unanswered(fault: http.Error): PluginError {
  switch (fault.tag) {
    case 'not-granted': return new PluginError('http-not-granted', fault.val);
    case 'invalid-request': return new PluginError('http-invalid-request', fault.val);
    case 'timed-out': return new PluginError('http-timed-out', 'no response in time', true);
    case 'too-large': return new PluginError('http-too-large', `the response is larger than ${fault.val} bytes`);
    case 'failed': return new PluginError('http-failed', fault.val, true);
    default: return new PluginError('http-failed', String(fault));
  }
}
