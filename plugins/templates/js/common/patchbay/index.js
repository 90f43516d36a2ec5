// The parts that every plugin needs: log lines, the configuration, errors.

import { get } from 'patchbay:plugin/config@0.3.0';
import { write } from 'patchbay:plugin/log@0.3.0';

/** Log lines for the author of the plugin, stored with the trace of the call. Do not write personal data. */
export const log = {
  debug: (message) => write('debug', message),
  info: (message) => write('info', message),
  warn: (message) => write('warn', message),
  error: (message) => write('error', message),
};

/** The configuration of the activation. `{}` if there is none. */
export function config() {
  return JSON.parse(get());
}

/** Throw it if the plugin cannot answer. The call then has no effect. */
export class PluginError extends Error {
  /**
   * `code` is a short word for programs, such as `bad-config`; `retry` is true if the same call may succeed a little
   * later.
   */
  constructor(code, message, retry = false) {
    super(message);
    this.code = code;
    this.retry = retry;
  }
}

/** A thrown value in the type of the host. */
export function failure(thrown) {
  if (thrown instanceof PluginError)
    return { code: thrown.code, message: thrown.message, retry: thrown.retry };
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}\n${thrown.stack ?? ''}` : String(thrown);
  log.error(message);
  return { code: 'failed', message, retry: false };
}
