// Files of this conversation: those that the customer sent, and those that the bot sends. If a function fails, it throws
// a `PluginError`.

import * as files from 'patchbay:plugin/files@0.3.0';
import { encode } from './bytes';
import { PluginError } from './index';

/** The most that the host returns at once. */
const PART = 256 * 1024;

/**
 * The whole file of a message. If the file has more than `most` bytes, the error has the code `file-too-large`. `decode`
 * of `bytes` makes a text of it.
 */
export function readAll(messageId: string, most: number): Uint8Array {
  const found: Uint8Array[] = [];
  let length = 0;
  for (const part of parts(messageId)) {
    length += part.length;
    if (length > most) throw new PluginError('file-too-large', `the file has more than ${most} bytes`);
    found.push(part);
  }
  const content = new Uint8Array(length);
  let end = 0;
  for (const part of found) {
    content.set(part, end);
    end += part.length;
  }
  return content;
}

/** The file of a message, part by part: `for (const part of parts(messageId))`. A call reads at most 8 MiB. */
export function* parts(messageId: string): Generator<Uint8Array, void> {
  let offset = 0;
  while (true) {
    const part = read(messageId, offset);
    if (part.length === 0) return;
    yield part;
    offset += part.length;
  }
}

/**
 * The bytes of the file of a message from `offset` on: at most `most`, and never more than 256 KiB. An empty part is the
 * end of the file.
 */
export function read(messageId: string, offset = 0, most = PART): Uint8Array {
  return told(() => files.read(messageId, offset, most));
}

/**
 * Takes a file for this answer, a text or bytes, and returns the `url` for `reply.media`. The name may be empty. The file
 * has at most 2 MiB and a type that agents may send; a call writes at most 4. A file that no reply names is dropped.
 */
export function write(name: string, content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? encode(content) : content;
  return told(() => files.write(name, bytes));
}

function told<T>(work: () => T): T {
  try {
    return work();
  } catch (fault) {
    throw failed((fault as { payload?: files.Error }).payload ?? (fault as files.Error));
  }
}

function failed(fault: files.Error): PluginError {
  switch (fault.tag) {
    case 'not-found':
      return new PluginError('file-not-found', 'no message of the customer in this conversation has this file');
    case 'unavailable': return new PluginError('file-unavailable', 'the file cannot be read yet', true);
    case 'too-much': return new PluginError('file-too-much', `a call reads at most ${fault.val} bytes of files`);
    case 'refused': return new PluginError('file-refused', fault.val);
    case 'other': return new PluginError('file', fault.val);
    default: return new PluginError('file', String(fault));
  }
}
