// Texts as bytes in UTF-8 and back: QuickJS has no TextEncoder.

export function encode(text: string): Uint8Array {
  return Uint8Array.from(unescape(encodeURIComponent(text)), (character) => character.charCodeAt(0));
}

export function decode(bytes: Uint8Array): string {
  let escaped = '';
  for (const byte of bytes) escaped += String.fromCharCode(byte);
  return decodeURIComponent(escape(escaped));
}
