// Addresses in messages. They come from strangers.

/** An address that a browser may open, or null. @param {string|undefined} url */
export function webAddress(url) {
  return typeof url === "string" && /^https?:\/\//i.test(url) ? url : null;
}

/** The address of a file of the simulator. @param {string|undefined} id */
export function fileAddress(id) {
  return id ? `/simulator/files/${encodeURIComponent(id)}` : null;
}

/** Files of Messenger have addresses that end after minutes. The page takes them by their id. @param {string|undefined} url */
export function messengerFile(url) {
  const id = /\/messenger\/files\/(\d+)\//.exec(String(url))?.[1];
  return id ? fileAddress(id) : webAddress(url);
}

/** `27820000001` as people read it. @param {string} text */
export function number(text) {
  if (!/^\d{10,13}$/.test(text)) return text;
  return `+${text.slice(0, 2)} ${text.slice(2, 4)} ${text.slice(4, 7)} ${text.slice(7)}`;
}

/** @param {string} time */
export const millis = (time) => new Date(time).getTime();
