// The newest calls between Patchbay and the simulated providers, newest first.
import { html } from "htm/preact";

const SHOWN = 14;
/** @param {string} time */
const clock = (time) => new Date(time).toLocaleTimeString();
/** @type {Record<string, string>} */
const WORDS = { send: "send: message", read: "send: read mark", action: "send: action", upload: "send: file" };

/** @param {import("./types/views.js").LoggedRequest[]} requests @param {import("./types/views.js").CallbackAttempt[]} callbacks */
function lines(requests, callbacks) {
  const sends = requests.map((one) => ({
    time: one.time, from: true, status: one.status, good: one.status < 300,
    what: WORDS[one.kind] || one.kind, detail: one.code ? `error ${one.code}` : "",
  }));
  const posts = callbacks.map((one) => ({
    time: one.time, from: false, status: one.status ?? "no answer", good: one.status !== null && one.status >= 200 && one.status < 300,
    what: one.events.length > 1 ? `${one.events.length} events` : `callback: ${one.events[0]}`, detail: "",
  }));
  return [...sends, ...posts].sort((a, b) => new Date(b.time).getTime() - new Date(a.time).getTime()).slice(0, SHOWN);
}

/** @param {Pick<import("./types/views.js").WorldView, "requests"|"callbacks">} props */
export function Wire({ requests, callbacks }) {
  const shown = lines(requests, callbacks);
  return html`<section class="wire" aria-labelledby="wire-title"><h3 id="wire-title">On the wire</h3><p class="soft" aria-hidden="true">→ from Patchbay, ← to Patchbay</p>
    ${shown.length === 0 ? html`<p class="soft">Nothing yet. Calls of WhatsApp and Messenger appear here.</p>` : html`<ol tabindex="0" aria-labelledby="wire-title">
      ${shown.map((line, index) => html`<li key=${`${line.time}-${index}`} class=${line.from ? "out" : "in"}>
        <span class="arrow" aria-hidden="true">${line.from ? "→" : "←"}</span>
        <span class="what"><span class="unseen">${line.from ? "From Patchbay, " : "To Patchbay, "}</span>${line.what}${line.detail && html`<small>${line.detail}</small>`}</span>
        <span class=${line.good ? "good" : "bad"}>${line.status}</span><time>${clock(line.time)}</time></li>`)}
    </ol>`}</section>`;
}
