/**
 * The session and the socket, with reconnection.
 * @param {string} base @param {string} site @param {Store} kept @param {Hears} hears @returns {Connection}
 */
function connection(base, site, kept, hears) {
  const query = "?site=" + encodeURIComponent(site);
  /** @type {Session | null} */
  let session = null;
  /** @type {WebSocket | null} */
  let socket = null;
  /** @type {Identity | null} */
  let identity = null;
  // The number of the user. A session that was asked for the user before is not taken.
  let turn = 0;
  let tries = 0;
  let timer = 0;
  let wanted = false;

  /** @param {string} path @param {RequestInit} options */
  function call(path, options) {
    return fetch(base + path, Object.assign({ method: "POST", credentials: "omit", referrerPolicy: "origin" }, options));
  }

  /** Begins a session. Returns the status of a refusal, and 0 without one. */
  async function begin() {
    const asked = turn;
    const answer = await call("/web-chat/sessions" + query, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: kept.read("token") || undefined, identity: identity || undefined }),
    });
    if (!answer.ok) return asked === turn ? answer.status : 0;
    /** @type {Session} */
    const began = await answer.json();
    if (asked !== turn) return 0;
    session = began;
    kept.write("token", began.token);
    hears.session(began);
    return 0;
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
    const asked = turn;
    let refusal = 0;
    try {
      if (!session) refusal = await begin();
    } catch (failed) {
      if (asked === turn) again();
      return;
    }
    // A page that may not show the widget does not try again.
    if (refusal === 403 || refusal === 400) { wanted = false; hears.refused(); return; }
    if (refusal) { again(); return; }
    if (!session || socket || !wanted || asked !== turn) return;
    open(session.token);
  }

  /** @param {string} token */
  function open(token) {
    const made = new WebSocket(base.replace(/^http/, "ws") + "/web-chat/socket" + query, "patchbay.web-chat.v1");
    socket = made;
    made.onopen = function () {
      const read = hears.position();
      made.send(JSON.stringify({ type: "hello", token: token, chat: read.chat, after: read.after }));
    };
    made.onmessage = function (message) {
      /** @type {ServerFrame} */
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

  function cut() {
    const made = socket;
    socket = null;
    if (made) made.close();
  }

  function now() {
    window.clearTimeout(timer);
    timer = 0;
    if (wanted) connect();
  }

  window.addEventListener("online", function () {
    if (!wanted || socket) return;
    tries = 0;
    now();
  });
  window.addEventListener("offline", function () {
    if (socket) { cut(); again(); }
  });

  return {
    start: async function () { wanted = true; await connect(); },
    // For another user of the page: begins another session on another socket.
    identify: function (who) {
      identity = who;
      turn += 1;
      session = null;
      if (!who) kept.write("token", null);
      cut();
      now();
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
