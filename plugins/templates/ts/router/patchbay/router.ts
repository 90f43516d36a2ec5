// Routers: helpers to write decisions, each with the reason that is stored with it.

import type { Decision, Inbound } from 'patchbay:plugin/routing@0.3.0';
import { failure } from './index';

export type { Decision, Inbound } from 'patchbay:plugin/routing@0.3.0';

/** Makes a function the router: `export const routing = router((inbound) => ...)`. */
export function router(route: (inbound: Inbound) => Decision) {
  return {
    route(inbound: Inbound): Decision {
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
  defaultBot: (reason: string): Decision => ({ target: { tag: 'bot', val: null }, reason, note: null }),
  bot: (name: string, reason: string): Decision => ({ target: { tag: 'bot', val: name }, reason, note: null }),
  team: (name: string, reason: string, note?: string): Decision => ({
    target: { tag: 'team', val: name },
    reason,
    note: note ?? null,
  }),
  agent: (id: string, reason: string, note?: string): Decision => ({
    target: { tag: 'agent', val: id },
    reason,
    note: note ?? null,
  }),
  queue: (reason: string, note?: string): Decision => ({ target: { tag: 'queue' }, reason, note: note ?? null }),
};
