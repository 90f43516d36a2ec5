// Routers: helpers to write decisions, each with the reason that is stored with it.

import { failure } from './index';

/** Makes a function the router: `export const routing = router((inbound) => ...)`. */
export function router(route) {
  return {
    route(inbound) {
      try {
        return route(inbound);
      } catch (thrown) {
        throw failure(thrown);
      }
    },
  };
}

/** The destination of a conversation. `note` is for the agent. */
export const to = {
  defaultBot: (reason) => ({ target: { tag: 'bot', val: null }, reason, note: null }),
  bot: (name, reason) => ({ target: { tag: 'bot', val: name }, reason, note: null }),
  team: (name, reason, note) => ({
    target: { tag: 'team', val: name },
    reason,
    note: note ?? null,
  }),
  agent: (id, reason, note) => ({
    target: { tag: 'agent', val: id },
    reason,
    note: note ?? null,
  }),
  queue: (reason, note) => ({ target: { tag: 'queue' }, reason, note: note ?? null }),
};
