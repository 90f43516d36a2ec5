// If the sender asked for a fallback, sends the sender's own text; if there is none, that of the template.

import type { Decision, Undeliverable } from 'patchbay:plugin/fallback@0.3.0';

export const fallback = {
  decide({ requested, autoText }: Undeliverable): Decision {
    if (!requested.sendFallback) return { tag: 'skip', val: 'not asked for' };
    const text = requested.text ?? autoText;
    if (text == null) return { tag: 'skip', val: 'there is no text' };
    return { tag: 'send', val: { text, unicode: requested.unicode, sender: null } };
  },
};
