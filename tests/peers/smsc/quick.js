// An SMSC on the npm package `smpp` that answers every submit at once and says nothing: what it can take is a matter of the
// package alone. Start: node quick.js FOLDER_WITH_NODE_MODULES; it prints its port and ends with its standard input.
'use strict';

const path = require('path');

const [, , modules] = process.argv;
const smpp = require(path.join(modules, 'node_modules', 'smpp'));

let submits = 0;

const server = smpp.createServer((session) => {
  for (const kind of ['bind_transceiver', 'bind_transmitter', 'bind_receiver']) {
    session.on(kind, (pdu) => session.send(pdu.response({ system_id: 'quick' })));
  }
  session.on('submit_sm', (pdu) => {
    submits += 1;
    session.send(pdu.response({ message_id: `Q-${process.pid}-${submits}` }));
  });
  session.on('enquire_link', (pdu) => session.send(pdu.response()));
  session.on('unbind', (pdu) => {
    session.send(pdu.response());
    session.close();
  });
  // A client that hangs up is no fault of ours.
  session.on('error', () => {});
});

process.stdin.on('end', () => process.exit(0)).resume();
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
