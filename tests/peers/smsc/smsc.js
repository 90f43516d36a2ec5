// An SMSC on the npm package `smpp`, steered over standard input and telling what happens on standard output, one JSON
// object per line. Start: node smsc.js FOLDER_WITH_NODE_MODULES [PORT [KEY CERTIFICATE]]; with the last two over TLS.
'use strict';

const fs = require('fs');
const path = require('path');
const readline = require('readline');

const [, , modules, port, key, certificate] = process.argv;
const smpp = require(path.join(modules, 'node_modules', 'smpp'));

const say = (event, fields) => process.stdout.write(JSON.stringify({ event, ...fields }) + '\n');

// How the SMSC behaves; the command {"do":"behave", ...} changes parts of it.
const behaviour = {
  system_id: 'esme',
  password: 'secret',
  refuse_transceiver: false,
  status: 0, // of submit_sm_resp
  times: Infinity, // how many submits get that status
  silent: false, // never answer a submit; a number: only so many are not answered
  receipt_first: false, // deliver the receipt before the answer to the submit
  ids: 'raw', // or 'hexdec': hexadecimal in the answer, decimal in the receipt; or 'none': none in the answer
};

const sessions = new Set();
let submits = 0;
let unanswered = 0;
let mostUnanswered = 0;

const receiver = () => [...sessions].reverse().find((session) => session.mode !== 'bind_transmitter');

// `over` is the place of a session in the order that they were bound in.
function deliver(fields, tag, over) {
  const session = over === undefined ? receiver() : [...sessions][over];
  if (!session) return say('error', { message: 'no session is bound to receive' });
  session.deliver_sm(fields, (answer) => say('delivered', { tag, status: answer.command_status }));
}

// `form`: the id and the state in the text or in parameters. `parameter_id`: a parameter with this id in addition.
function receiptFields({ id, stat = 'DELIVRD', state = 2, form = 'text', err = '000', parameter_id, source, destination }) {
  const fields = {
    esm_class: 0x04,
    source_addr: source || '27820000001',
    source_addr_ton: 1,
    source_addr_npi: 1,
    destination_addr: destination || 'PATCHBAY',
    data_coding: 0,
  };
  if (form === 'tlv') {
    fields.receipted_message_id = id;
    fields.message_state = state;
    fields.network_error_code = Buffer.from([3, 0, Number(err)]);
    fields.short_message = '';
  } else {
    fields.short_message =
      `id:${id} sub:001 dlvrd:001 submit date:2611202140 done date:2611202141 stat:${stat} err:${err} text:Hello`;
  }
  if (parameter_id) {
    fields.receipted_message_id = parameter_id;
    fields.message_state = state;
  }
  return fields;
}

function onSubmit(session, pdu) {
  submits += 1;
  unanswered += 1;
  mostUnanswered = Math.max(mostUnanswered, unanswered);
  const number = submits;
  const message = pdu.short_message;
  say('submit', {
    number,
    source_addr: pdu.source_addr,
    source_addr_ton: pdu.source_addr_ton,
    source_addr_npi: pdu.source_addr_npi,
    destination_addr: pdu.destination_addr,
    dest_addr_ton: pdu.dest_addr_ton,
    dest_addr_npi: pdu.dest_addr_npi,
    esm_class: pdu.esm_class,
    registered_delivery: pdu.registered_delivery,
    data_coding: pdu.data_coding,
    priority_flag: pdu.priority_flag,
    udh: (message.udh || []).map((element) => element.toString('hex')),
    text: message.message,
  });
  if (behaviour.silent === true) return;
  if (behaviour.silent > 0) return void (behaviour.silent -= 1);
  const forms = { raw: `M-${number}`, hexdec: (1000 + number).toString(16).toUpperCase(), none: '' };
  const answerId = forms[behaviour.ids];
  const receiptId = behaviour.ids === 'hexdec' ? String(1000 + number).padStart(10, '0') : answerId;
  let status = 0;
  if (behaviour.status && behaviour.times > 0) {
    status = behaviour.status;
    behaviour.times -= 1;
  }
  const answer = () => {
    unanswered -= 1;
    session.send(pdu.response(status ? { command_status: status } : { message_id: answerId }));
  };
  if (behaviour.receipt_first) {
    deliver(receiptFields({ id: receiptId, source: pdu.destination_addr, destination: pdu.source_addr }), 'receipt');
    setTimeout(answer, 300);
  } else {
    setTimeout(answer, 5);
  }
}

function onBind(session, pdu) {
  say('bind', { mode: pdu.command, system_id: pdu.system_id, version: pdu.interface_version });
  const answer = (status) => session.send(pdu.response({ command_status: status, system_id: 'peer' }));
  if (behaviour.refuse_transceiver && pdu.command === 'bind_transceiver') return answer(smpp.ESME_RINVCMDID);
  if (pdu.system_id !== behaviour.system_id) return answer(smpp.ESME_RINVSYSID);
  if (pdu.password !== behaviour.password) return answer(smpp.ESME_RINVPASWD);
  session.mode = pdu.command;
  sessions.add(session);
  return answer(0);
}

const tls = key ? { key: fs.readFileSync(key), cert: fs.readFileSync(certificate) } : {};
const server = smpp.createServer(tls, (session) => {
  for (const kind of ['bind_transceiver', 'bind_transmitter', 'bind_receiver']) {
    session.on(kind, (pdu) => onBind(session, pdu));
  }
  session.on('submit_sm', (pdu) => onSubmit(session, pdu));
  session.on('enquire_link', (pdu) => {
    say('enquire_link', {});
    session.send(pdu.response());
  });
  session.on('unbind', (pdu) => {
    say('unbind', {});
    session.send(pdu.response());
    session.close();
  });
  session.on('close', () => {
    sessions.delete(session);
    say('closed', {});
  });
  session.on('error', (error) => say('session_error', { message: String(error) }));
});

const commands = {
  behave: (wanted) => {
    const { do: _do, ...fields } = wanted;
    Object.assign(behaviour, fields);
    say('behaving', {});
  },
  receipt: (wanted) => deliver(receiptFields(wanted), wanted.tag || 'receipt'),
  // `hex` is the whole short_message, header included; `text` is encoded by the package. `parameters` are additional fields.
  mo: ({ from, to, text, hex, data_coding = 0, esm_class = 0, tag = 'mo', over, parameters = {} }) =>
    deliver(
      {
        source_addr: from,
        source_addr_ton: 1,
        source_addr_npi: 1,
        destination_addr: to,
        esm_class,
        data_coding,
        short_message: hex === undefined ? text : Buffer.from(hex, 'hex'),
        ...parameters,
      },
      tag,
      over,
    ),
  drop: () => sessions.forEach((session) => session.destroy()),
  unbind: () => sessions.forEach((session) => session.unbind()),
  window: () => say('window', { most: mostUnanswered }),
};

readline
  .createInterface({ input: process.stdin })
  .on('line', (line) => {
    const command = JSON.parse(line);
    commands[command.do](command);
  })
  .on('close', () => process.exit(0));

server.listen(Number(port || 0), '127.0.0.1', () => say('listening', { port: server.address().port }));
