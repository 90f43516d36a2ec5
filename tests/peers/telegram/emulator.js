// The Bot API of the npm package `telegram-test-api`, and the client of that package for one person who writes to one bot. It takes
// commands over standard input, prints one JSON object per line, and ends with its standard input.
// Start: node emulator.js FOLDER_WITH_NODE_MODULES TOKEN_OF_THE_BOT ID_OF_THE_PERSON. It prints:
//   {"event":"listening","port":N}
//   {"event":"called","method":"sendMessage","status":200}   a call of the bot and its answer
//   {"event":"heard", ...}                                   a message of the bot, as the client of the package gives it
// and takes:
//   {"do":"write","text":"..."}             a text, or a command if it begins with a slash
//   {"do":"tap","data":"...","on":{...}}    a tap on a button of this `heard` message
//
// Shims, because the package differs from the Bot API:
//   - It answers getUpdates at once, so that a bot would poll without a pause. Here the call waits for an update.
//   - Its taps do not name their message. Here they have its number, text and keyboard.
// It posts updates to a webhook without the secret of setWebhook, so only polling is tested. It has no files, no places, no reactions,
// no edits of customers and no sendChatAction: their calls are answered with 500 and a body that is not one of the Bot API.
'use strict';

const http = require('http');
const path = require('path');
const readline = require('readline');
const { setTimeout: delay } = require('timers/promises');

const [, , modules, token, user] = process.argv;
const TelegramServer = require(path.join(modules, 'node_modules', 'telegram-test-api'));

/** Longest wait for an update, in milliseconds. */
const POLL = 2000;

const emulator = new TelegramServer();
const say = (event, fields) => process.stdout.write(JSON.stringify({ event, ...fields }) + '\n');

const hasUpdate = () => emulator.storage.userMessages.some((update) => update.botToken === token && !update.isRead);

const server = http.createServer(async (request, response) => {
  const [, first, method] = request.url.split('/');
  if (first === `bot${token}`) {
    response.on('finish', () => say('called', { method, status: response.statusCode }));
    if (method === 'getUpdates' && !hasUpdate()) await Promise.race([emulator.waitUserMessage(), delay(POLL)]);
  }
  // An update that is given to a closed connection would be lost.
  if (!request.socket.destroyed) emulator.webServer(request, response);
});

function connect(port) {
  emulator.config.apiURL = `http://127.0.0.1:${port}`;
  const id = Number(user);
  return emulator.getClient(token, { userId: id, chatId: id, firstName: 'Zo', userName: 'zo', interval: 50, timeout: 600_000 });
}

async function listen(person) {
  for (;;) {
    const { result } = await person.getUpdates();
    for (const message of result) say('heard', message);
  }
}

function tap(person, { data, on }) {
  const { text, reply_markup } = on.message;
  const message = { message_id: on.messageId, date: Math.floor(on.time / 1000), text, reply_markup };
  return person.sendCallback(person.makeCallbackQuery(data, { message }));
}

function write(person, { text }) {
  if (text.startsWith('/')) return person.sendCommand(person.makeCommand(text));
  return person.sendMessage(person.makeMessage(text));
}

const commands = { tap, write };

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  const person = connect(port);
  readline
    .createInterface({ input: process.stdin })
    .on('line', (line) => {
      const command = JSON.parse(line);
      commands[command.do](person, command);
    })
    .on('close', () => process.exit(0));
  say('listening', { port });
  listen(person);
});
