// What every plugin has: log lines, the configuration, errors.

import { get } from 'patchbay:plugin/config@0.2.1';
import { write } from 'patchbay:plugin/log@0.2.1';

/** Lines for the author of the plugin, kept with the trace of the call. Do not write personal data here. */
export const log = {
  debug: (message) => write('debug', message),
  info: (message) => write('info', message),
  warn: (message) => write('warn', message),
  error: (message) => write('error', message),
};

/** The settings given when the plugin was activated; `{}` when none were given. */
export function config() {
  return JSON.parse(get());
}

/** Throw it to say that the plugin cannot answer: nothing that the call did takes effect. */
export class PluginError extends Error {
  /**
   * `code` is a short word for programs, such as `bad-config`; `retry` says whether the same call may succeed a little
   * later.
   */
  constructor(code, message, retry = false) {
    super(message);
    this.code = code;
    this.retry = retry;
  }
}

/** What the host is told about something that was thrown. */
export function failure(thrown) {
  if (thrown instanceof PluginError)
    return { code: thrown.code, message: thrown.message, retry: thrown.retry };
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}\n${thrown.stack ?? ''}` : String(thrown);
  log.error(message);
  return { code: 'failed', message, retry: false };
}
