// Messages that the server has not stored yet. They are kept in the browser and sent again after each reconnection under the same
// key, so each is stored once. Tabs of one page share them.
/** @param {Store} kept @param {(frame: KeyedPost) => boolean} say @param {() => void} changed */
function outbox(kept, say, changed) {
  const MOST = 50;
  function all() {
    return kept.read("outbox") || [];
  }
  /** @param {OutboxItem[]} items */
  function keep(items) {
    kept.write("outbox", items.slice(-MOST));
    changed();
  }
  /** @param {string} key @param {string | null} reason */
  function mark(key, reason) {
    keep(all().map(function (item) {
      return item.frame.key === key ? { frame: item.frame, shown: item.shown, failed: reason } : item;
    }));
  }
  return {
    all: all,
    /** @param {Post} post @param {string} shown the words that the visitor sees */
    add: function (post, shown) {
      const frame = Object.assign({ key: newKey() }, post);
      keep(all().concat([{ frame: frame, shown: shown, failed: null }]));
      say(frame);
    },
    flush: function () {
      for (const item of all()) if (!item.failed) say(item.frame);
    },
    /** @param {string} key */
    taken: function (key) {
      const left = all().filter(function (item) { return item.frame.key !== key; });
      if (left.length !== all().length) keep(left);
    },
    /** @param {string} key @param {string} reason @param {number} later milliseconds until it is sent again; 0: never */
    refused: function (key, reason, later) {
      if (later) {
        window.setTimeout(function () {
          for (const item of all()) if (item.frame.key === key && !item.failed) say(item.frame);
        }, later);
        return;
      }
      mark(key, reason);
    },
    /** @param {string} key */
    retry: function (key) {
      mark(key, null);
      for (const item of all()) if (item.frame.key === key) say(item.frame);
    },
    forget: function () { keep([]); },
  };
}
