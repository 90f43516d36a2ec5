// Data that outlives the page: the token, the last read message, and unsent messages. Without storage the chat works too.
/** @param {string} site */
function store(site) {
  const prefix = "patchbay." + site + ".";
  /** @type {Partial<Kept>} */
  const memory = {};
  /** @template {keyof Kept} K @param {K} key @returns {Kept[K] | undefined} */
  function read(key) {
    try {
      const text = window.localStorage.getItem(prefix + key);
      return text === null ? memory[key] : JSON.parse(text);
    } catch (refused) {
      return memory[key];
    }
  }
  /** @template {keyof Kept} K @param {K} key @param {Kept[K]} value */
  function write(key, value) {
    memory[key] = value;
    try {
      window.localStorage.setItem(prefix + key, JSON.stringify(value));
    } catch (refused) {
      // In private windows, or if the disk is full, the data lasts as long as the page.
    }
  }
  return { read: read, write: write, prefix: prefix };
}

// A unique key for a message.
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, function (byte) { return byte.toString(16).padStart(2, "0"); }).join("");
}
