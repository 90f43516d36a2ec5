// An SMSC on the npm package `smpp` that answers every submit at once. Its rate depends only on the package.
// Start: node quick.js FOLDER_WITH_NODE_MODULES; it prints its port and ends with its standard input. A line there asks it:
//   count      how many submits it has taken
//   waits      how long texts took that begin with the moment of their sending in microseconds: a list of microseconds
//   order      the first words of all texts, in order
//   receipts   delivers a receipt for every submit, 64 at a time, and says how many when the last is answered
//   forget     forgets all of that
'use strict';

const path = require('path');
const readline = require('readline');

const [, , modules] = process.argv;
const smpp = require(path.join(modules, 'node_modules', 'smpp'));

const AT_ONCE = 64;

let submits = 0;
let taken = [];
// Binds that take receipts, the newest last.
let receivers = [];

const now = () => (performance.timeOrigin + performance.now()) * 1000;

function deliver(ids, done) {
  let [next, answered] = [0, 0];
  const receiver = receivers.at(-1);
  const one = () => {
    if (next === ids.length) return;
    const id = ids[next];
    next += 1;
    receiver.deliver_sm(
      {
        esm_class: 0x04,
        source_addr: '27820000001',
        destination_addr: 'PATCHBAY',
        short_message: `id:${id} sub:001 dlvrd:001 submit date:2611202140 done date:2611202141 stat:DELIVRD err:000 text:x`,
      },
      () => {
        answered += 1;
        if (answered === ids.length) done(answered);
        else one();
      },
    );
  };
  if (ids.length === 0) return done(0);
  for (let started = 0; started < AT_ONCE; started += 1) one();
}

const server = smpp.createServer((session) => {
  for (const kind of ['bind_transceiver', 'bind_transmitter', 'bind_receiver']) {
    session.on(kind, (pdu) => {
      session.send(pdu.response({ system_id: 'quick' }));
      if (kind !== 'bind_transmitter') receivers.push(session);
    });
  }
  session.on('submit_sm', (pdu) => {
    submits += 1;
    const id = `Q-${process.pid}-${submits}`;
    session.send(pdu.response({ message_id: id }));
    taken.push([id, String(pdu.short_message.message).split(' ', 1)[0], now()]);
  });
  session.on('enquire_link', (pdu) => session.send(pdu.response()));
  session.on('unbind', (pdu) => {
    session.send(pdu.response());
    session.close();
  });
  session.on('close', () => {
    receivers = receivers.filter((other) => other !== session);
  });
  // A client that hangs up is no fault of ours.
  session.on('error', () => {});
});

const say = (line) => process.stdout.write(`${line}\n`);

const asked = {
  count: () => say(submits),
  waits: () => say(JSON.stringify(taken.map(([, word, at]) => Math.round(at - Number(word))))),
  order: () => say(JSON.stringify(taken.map(([, word]) => word))),
  receipts: () => deliver(taken.map(([id]) => id), say),
  forget: () => {
    [submits, taken] = [0, []];
    say('forgotten');
  },
};

readline
  .createInterface({ input: process.stdin })
  .on('line', (line) => asked[line]())
  .on('close', () => process.exit(0));

server.listen(0, '127.0.0.1', () => say(server.address().port));
