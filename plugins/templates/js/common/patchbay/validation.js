// Judges configurations beyond their schema. It needs `validates = true` in plugin.toml.

/**
 * Makes a function the judge of configurations: `export const validation = configCheck((config) => [...])`. It gets the
 * configuration of an activation and returns its faults, each with `field`, a place such as `topics/0/title` (empty for
 * the whole configuration), and `message`, one sentence. If there are faults, the activation is refused.
 */
export function configCheck(check) {
  return { validate: (config) => check(JSON.parse(config)) };
}
