// The session and the socket, with reconnection. It calls `session`, `open`, `frame`, `lost` and `refused` of `hears`.
function connection(base, site, kept, hears) {
  const query = "?site=" + encodeURIComponent(site);
  let session = null;
  let socket = null;
  let identity = null;
  let tries = 0;
  let timer = 0;
  let wanted = false;

  function call(path, options) {
    return fetch(base + path, Object.assign({ method: "POST", credentials: "omit", referrerPolicy: "origin" }, options));
  }

  async function begin() {
    const body = {};
    const token = kept.read("token");
    if (token) body.token = token;
    if (identity) body.identity = identity;
    const answer = await call("/web-chat/sessions" + query, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw Object.assign(new Error("refused"), { status: answer.status });
    session = await answer.json();
    kept.write("token", session.token);
    hears.session(session);
  }

  function again() {
    if (!wanted || timer) return;
    hears.lost();
    const wait = Math.min(30000, 500 * Math.pow(2, tries)) * (0.5 + Math.random() / 2);
    tries += 1;
    timer = window.setTimeout(function () { timer = 0; connect(); }, wait);
  }

  async function connect() {
    if (socket) return;
    // The browser is offline. It fires an event when it is online again.
    if (navigator.onLine === false) { again(); return; }
    try {
      if (!session) await begin();
    } catch (failed) {
      // A page that may not show the widget does not try again.
      if (failed.status === 403 || failed.status === 400) { wanted = false; hears.refused(); return; }
      again();
      return;
    }
    if (socket || !wanted) return;
    const made = new WebSocket(base.replace(/^http/, "ws") + "/web-chat/socket" + query, "patchbay.web-chat.v1");
    socket = made;
    made.onopen = function () {
      const read = hears.position();
      made.send(JSON.stringify({ type: "hello", token: session.token, chat: read.chat, after: read.after }));
    };
    made.onmessage = function (message) {
      const frame = JSON.parse(message.data);
      if (frame.type === "ready") { tries = 0; hears.open(); }
      hears.frame(frame);
    };
    made.onclose = function (closed) {
      if (socket !== made) return;
      socket = null;
      if (closed.code === 4401) session = null;
      if (closed.code === 4403) { wanted = false; hears.refused(); return; }
      again();
    };
  }

  window.addEventListener("online", function () {
    if (!wanted || socket) return;
    window.clearTimeout(timer);
    timer = 0;
    tries = 0;
    connect();
  });
  window.addEventListener("offline", function () {
    if (socket) { const cut = socket; socket = null; cut.close(); again(); }
  });

  return {
    start: async function () { wanted = true; await connect(); },
    // For another user of the page: begins another session on another socket.
    identify: function (who) {
      identity = who;
      session = null;
      if (!who) kept.write("token", null);
      if (socket) { const cut = socket; socket = null; cut.close(); }
      window.clearTimeout(timer);
      timer = 0;
      if (wanted) connect();
    },
    say: function (frame) {
      if (!socket || socket.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(frame));
      return true;
    },
    upload: async function (file) {
      if (!session) throw new Error("offline");
      const answer = await call("/web-chat/files" + query + "&name=" + encodeURIComponent(file.name), {
        headers: { "content-type": file.type || "application/octet-stream", "x-visitor-token": session.token },
        body: file,
      });
      const said = await answer.json();
      if (!answer.ok) throw new Error(said.message || String(answer.status));
      return said;
    },
  };
}
