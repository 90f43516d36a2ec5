// Judges configurations beyond their schema. It needs `validates = true` in plugin.toml.

import type { Finding } from 'patchbay:plugin/validation@0.3.0';

export type { Finding };

/**
 * Makes a function the judge of configurations: `export const validation = configCheck((config) => [...])`. It gets the
 * configuration of an activation and returns its faults, each a place such as `topics/0/title` (empty for the whole
 * configuration) and one sentence. If there are faults, the activation is refused.
 */
export function configCheck<T = Record<string, unknown>>(check: (config: T) => Finding[]) {
  return { validate: (config: string): Finding[] => check(JSON.parse(config) as T) };
}
