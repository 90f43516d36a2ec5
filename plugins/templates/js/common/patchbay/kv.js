// A small store that outlives the call. Writes take effect together with the answer, or not at all.

import * as store from 'patchbay:plugin/kv@0.3.0';
import { PluginError } from './index';
import { decode, encode } from './bytes';

/** The value of a key as text, or `null`. */
export function get(key, scope = 'participant') {
  const value = told(() => store.get(scope, key));
  return value == null ? null : decode(value);
}

/** Sets the value of a key. */
export function set(key, value, scope = 'participant') {
  told(() => store.set(scope, key, encode(value)));
}

/** Sets a value that expires after this number of seconds. */
export function setExpiring(key, value, afterSeconds, scope = 'participant') {
  told(() => store.setExpiring(scope, key, encode(value), afterSeconds));
}

/** Up to a hundred keys that begin with `prefix` and come after `after`. */
export function keys(prefix = '', after = null, scope = 'participant') {
  return told(() => store.listKeys(scope, prefix, after, 100));
}

/** Removes a key. It is no error if the key does not exist. */
export function remove(key, scope = 'participant') {
  told(() => store.delete(scope, key));
}

function told(work) {
  try {
    return work();
  } catch (fault) {
    throw new PluginError('key-value', words(fault.payload ?? fault));
  }
}

function words(fault) {
  switch (fault.tag) {
    case 'invalid-key': return 'a key is 1 to 128 bytes long and holds no NUL character';
    case 'value-too-large': return `a value is at most ${fault.val} bytes long`;
    case 'too-many-writes': return `a call writes at most ${fault.val} keys`;
    default: return fault.val;
  }
}
