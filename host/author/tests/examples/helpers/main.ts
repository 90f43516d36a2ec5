// Uses each helper of interface 0.3 for the conversations in `helpers.yaml`, and draws numbers for `randomness.rs`: one program,
// because each takes long to build. JavaScript has the same.

import { decode, encode } from './patchbay/bytes';
import {
  attribute, cancelTemplate, cancelTimer, chatbot, choiceOf, choiceValue, dateValue, fileOf, finishedOf, markRead, react,
  removeAttribute, removeTag, reply, scheduleTemplate, setAttribute, setState, startTimer, tag, textOf, typing,
} from './patchbay/chatbot';
import { history, tags, timers } from './patchbay/conversation';
import { parts, read, readAll, write } from './patchbay/files';
import { Response, start } from './patchbay/http';
import { PluginError } from './patchbay/index';

const names = ['plan', 'visits', 'vip', 'born', 'city'];
const atTheBuild = Math.random();

export const bot = chatbot((event, session) => {
  const finished = finishedOf(event);
  if (finished !== undefined) {
    const { job, result } = finished;
    const words = result instanceof Response ? `${result.status} ${result.text()}` : result.message;
    return [reply.text(`${job === session.state ? 'the same' : 'another'} job: ${words}`)];
  }
  const file = fileOf(event);
  if (file !== undefined) {
    const { messageId, media } = file;
    switch (media.caption) {
      case 'whole':
        try {
          return [reply.text(`${media.filename}: ${decode(readAll(messageId, 22))}`)];
        } catch (fault) {
          if (!(fault instanceof PluginError)) throw fault;
          return [reply.text(`${fault.code}: ${fault.message}`)];
        }
      case 'parts': {
        const sizes = Array.from(parts(messageId), (part) => `${part.length} ${decode(part.subarray(0, 1))}`);
        return [reply.text(sizes.join(', '))];
      }
      case 'part':
        return [reply.text(`[${decode(read(messageId, 10, 3))}] [${decode(read(messageId, 22, 3))}]`)];
      case 'back': return [reply.file('document', 'copy.pdf', readAll(messageId, 1024 * 1024), 'Yours')];
      default: return [];
    }
  }
  const choice = choiceOf(event);
  if (choice !== undefined) return [reply.text(`chosen ${choice}`)];
  const done = reply.text('done');
  switch (textOf(event)) {
    case 'attributes': return [reply.text(names.map((name) => attribute(session, name) ?? '-').join(' '))];
    case 'set': return [
      setAttribute('plan', choiceValue('gold')), setAttribute('visits', 7.5), setAttribute('vip', false),
      setAttribute('born', dateValue('1991-01-02')), setAttribute('city', 'Cape Town'), done,
    ];
    case 'remove': return [removeAttribute('plan'), done];
    case 'tag': return [tag('vip'), startTimer('reminder', 60), done];
    case 'untag': return [removeTag('vip'), cancelTimer('reminder'), done];
    case 'facts': return [reply.text([
      tags().join(','), timers().map((timer) => timer.name).join(','), history(3).map((said) => said.text).join('; '),
    ].join(' | '))];
    case 'later': return [
      scheduleTemplate('step', 86400, { id: '7', name: 'order_ready', parameters: ['Zo', '1001'] }), done,
    ];
    case 'not later': return [cancelTemplate('step'), done];
    case 'signs': {
      if (event.kind.tag !== 'message') return [];
      const { id } = event.kind.val;
      return [typing(), markRead(), react(id, '😀'), react(id), react(id, '👍'), done];
    }
    case 'list': return [reply.list('Choose.', 'Open', { a: 'First', b: 'Second' })];
    case 'file': return [reply.media('image', 'https://files.example/a.png', 'A picture')];
    case 'two files': return [
      reply.file('document', 'one.pdf', '%PDF-1.4 one'), reply.media('document', write('', encode('%PDF-1.4 two')), 'Two'),
    ];
    case 'a text file': return [reply.file('document', 'one.pdf', 'of no type')];
    case 'ask': {
      const headers = { authorization: 'Bearer key', 'content-type': 'application/json' };
      const body = JSON.stringify({ question: 'ask' });
      const job = start('https://ai.example/chat', { method: 'POST', headers, body, timeoutMs: 90000 });
      return [typing(), setState(job)];
    }
    case 'Hello': return [reply.text(JSON.stringify(numbers()))];
    default: return [];
  }
});

function numbers() {
  const zero = performance.now();
  const values = crypto.getRandomValues(new Uint8Array(65536));
  const drawn = {
    random: [Math.random(), Math.random()],
    uuid: crypto.randomUUID(),
    values: Array.from(values.slice(0, 8)),
    shuffled: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [Math.random(), n]).sort(([a = 0], [b = 0]) => a - b),
  };
  const fixed = [atTheBuild, zero, drawn.uuid.length, drawn.uuid[14], drawn.random.every((n) => n >= 0 && n < 1)];
  return { drawn, fixed, time: [Date.now(), new Date().getTime()] };
}
