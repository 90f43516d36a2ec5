// The parts that every plugin needs: log lines, the configuration, errors.

import { get } from 'patchbay:plugin/config@0.3.0';
import { write } from 'patchbay:plugin/log@0.3.0';
import type { Error as Failure } from 'patchbay:plugin/types@0.3.0';

/** Log lines for the author of the plugin, stored with the trace of the call. Do not write personal data. */
export const log = {
  debug: (message: string): void => write('debug', message),
  info: (message: string): void => write('info', message),
  warn: (message: string): void => write('warn', message),
  error: (message: string): void => write('error', message),
};

/** The configuration of the activation. `{}` if there is none. */
export function config<T = Record<string, unknown>>(): T {
  return JSON.parse(get()) as T;
}

/** Throw it if the plugin cannot answer. The call then has no effect. */
export class PluginError extends Error {
  constructor(
    /** A short word for programs, such as `bad-config`. */
    readonly code: string,
    message: string,
    /** True if the same call may succeed a little later. */
    readonly retry = false,
  ) {
    super(message);
  }
}

/** A thrown value in the type of the host. */
export function failure(thrown: unknown): Failure {
  if (thrown instanceof PluginError) return { code: thrown.code, message: thrown.message, retry: thrown.retry };
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}\n${thrown.stack ?? ''}` : String(thrown);
  log.error(message);
  return { code: 'failed', message, retry: false };
}
