// Random numbers and clocks of a plugin, drawn from the host in each call. The engine is initialised at the build, so its own
// generator would give the same numbers in each call, and `performance` would count from the time of the build.
import { getRandomBytes } from 'wasi:random/random@0.2.12';

const QUOTA = 65536;
const ofTheEngine = Math.random;
const clock = globalThis.performance;
let isLoaded = false;

/** Ends the loading of the plugin, which takes place at the build. */
export function finishLoading() {
  isLoaded = true;
}

function bytes(count) {
  if (!isLoaded) throw new Error('crypto gives no random values while a plugin is loaded: its build would keep them. Draw them in the call.');
  return getRandomBytes(count);
}

// sfc32, seeded at the first use in a call.
let isSeeded = false;
let a, b, c, counter;

function word() {
  if (!isSeeded) {
    [a, b, c, counter] = new Int32Array(Uint8Array.from(bytes(16)).buffer);
    isSeeded = true;
    for (let round = 0; round < 12; round++) word();
  }
  const mixed = (((a + b) | 0) + counter) | 0;
  counter = (counter + 1) | 0;
  a = b ^ (b >>> 9);
  b = (c + (c << 3)) | 0;
  c = (((c << 21) | (c >>> 11)) + mixed) | 0;
  return mixed >>> 0;
}

Math.random = function random() {
  if (!isLoaded) return ofTheEngine();
  return ((word() >>> 5) * 0x4000000 + (word() >>> 6)) / 0x20000000000000;
};

function getRandomValues(array) {
  if (!ArrayBuffer.isView(array) || array instanceof DataView || /^Float/.test(array[Symbol.toStringTag])) {
    throw new TypeError('crypto.getRandomValues takes an array of integers');
  }
  if (array.byteLength > QUOTA) throw new DOMException(`at most ${QUOTA} bytes at a time`, 'QuotaExceededError');
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(bytes(array.byteLength));
  return array;
}

function randomUUID() {
  const drawn = bytes(16);
  drawn[6] = (drawn[6] & 0x0f) | 0x40;
  drawn[8] = (drawn[8] & 0x3f) | 0x80;
  const hex = Array.from(drawn, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

// The first reading in a call is its zero.
let zero, began;

function start() {
  if (zero === undefined) [zero, began] = [clock.now(), Date.now()];
}

const performance = {
  now() {
    if (!isLoaded) return clock.now();
    start();
    return clock.now() - zero;
  },
  get timeOrigin() {
    if (!isLoaded) return clock.timeOrigin;
    start();
    return began;
  },
};

for (const [name, value] of Object.entries({ crypto: { getRandomValues, randomUUID }, performance })) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
}
