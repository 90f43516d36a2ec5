// What outlives the page: the token, how far was read, and what was not sent yet. A browser that keeps nothing still chats.
function store(site) {
  const prefix = "patchbay." + site + ".";
  const memory = {};
  function read(key) {
    try {
      const text = window.localStorage.getItem(prefix + key);
      return text === null ? memory[key] : JSON.parse(text);
    } catch (refused) {
      return memory[key];
    }
  }
  function write(key, value) {
    memory[key] = value;
    try {
      window.localStorage.setItem(prefix + key, JSON.stringify(value));
    } catch (refused) {
      // Private windows and full disks: the page remembers it while it lasts.
    }
  }
  return { read: read, write: write, prefix: prefix };
}

// A key that no other message has.
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, function (byte) { return byte.toString(16).padStart(2, "0"); }).join("");
}
