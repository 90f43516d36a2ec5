// Messages that the server has not stored yet. They are kept in the browser and sent again after each reconnection under the same
// key, so each is stored once. Tabs of one page share them.
function outbox(kept, link, changed) {
  const MOST = 50;
  function all() {
    return kept.read("outbox") || [];
  }
  function keep(items) {
    kept.write("outbox", items.slice(-MOST));
    changed();
  }
  function send(item) {
    return link().say(item.frame);
  }
  return {
    all: all,
    add: function (frame, shown) {
      frame.key = newKey();
      const item = { frame: frame, shown: shown, failed: null };
      keep(all().concat([item]));
      send(item);
      return frame.key;
    },
    flush: function () {
      for (const item of all()) if (!item.failed) send(item);
    },
    taken: function (key) {
      const left = all().filter(function (item) { return item.frame.key !== key; });
      if (left.length !== all().length) keep(left);
    },
    refused: function (key, reason, later) {
      if (later) {
        window.setTimeout(function () {
          for (const item of all()) if (item.frame.key === key && !item.failed) send(item);
        }, later);
        return;
      }
      keep(all().map(function (item) {
        return item.frame.key === key ? Object.assign({}, item, { failed: reason }) : item;
      }));
    },
    retry: function (key) {
      keep(all().map(function (item) {
        return item.frame.key === key ? Object.assign({}, item, { failed: null }) : item;
      }));
      for (const item of all()) if (item.frame.key === key) send(item);
    },
    forget: function () { keep([]); },
  };
}
