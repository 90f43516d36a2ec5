// Texts as bytes in UTF-8 and back: QuickJS has no TextEncoder.

export function encode(text) {
  return Uint8Array.from(unescape(encodeURIComponent(text)), (character) => character.charCodeAt(0));
}

export function decode(bytes) {
  let escaped = '';
  for (const byte of bytes)
    escaped += String.fromCharCode(byte);
  return decodeURIComponent(escape(escaped));
}
