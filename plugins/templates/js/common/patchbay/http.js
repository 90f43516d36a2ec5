// Outgoing HTTP, to the hosts that the activation allows.

import * as http from 'patchbay:plugin/http@0.3.0';
import { PluginError } from './index';
import { decode, encode } from './bytes';

/** The response, with any status. */
export class Response {
  status;
  headers;
  body;
  constructor(status, headers, body) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
  /** True if the status is 200 to 299. */
  get ok() {
    return this.status >= 200 && this.status < 300;
  }
  text() {
    return decode(this.body);
  }
  json() {
    return JSON.parse(this.text());
  }
}

/** Sends one request and waits for the response. Throws a `PluginError` if none comes. */
export function fetch(url, options = {}) {
  try {
    return received(http.send(request(url, options)));
  } catch (fault) {
    throw unanswered(fault.payload ?? fault);
  }
}

/**
 * Sends one request after this call, with a deadline of 1 to 120 seconds (`timeoutMs`, 60 seconds if absent). Returns
 * the id of its job. The response comes as the event `http-finished`, see `finishedOf`.
 */
export function start(url, options = {}) {
  try {
    return http.start(request(url, options));
  } catch (fault) {
    throw unanswered(fault.payload ?? fault);
  }
}

function request(url, options) {
  const { method = 'GET', headers = {}, body, timeoutMs = null } = options;
  const bytes = typeof body === 'string' ? encode(body) : body ?? null;
  return { method, url, headers: Object.entries(headers), body: bytes, timeoutMs };
}

/** The response of the host. */
export function received(answer) {
  return new Response(answer.status, new Map(answer.headers), answer.body);
}

/** The reason why there is no response. */
export function unanswered(fault) {
  switch (fault.tag) {
    case 'not-granted': return new PluginError('http-not-granted', fault.val);
    case 'invalid-request': return new PluginError('http-invalid-request', fault.val);
    case 'timed-out': return new PluginError('http-timed-out', 'no response in time', true);
    case 'too-large': return new PluginError('http-too-large', `the response is larger than ${fault.val} bytes`);
    case 'failed': return new PluginError('http-failed', fault.val, true);
    default: return new PluginError('http-failed', String(fault));
  }
}
