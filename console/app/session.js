// The session of the viewer: its key in memory, and in `sessionStorage` for reloads of this tab. Never in a cookie.
import { computed, signal } from "@preact/signals";
import { api, useKey } from "#app/api.js";
import { ApiError } from "#app/faults.js";

const STORED = "patchbay.session";
const ENDED = "patchbay.ended";

/** @typedef {{id: string, name: string, email: string, role: string, team?: string | null, teamId?: string | null, available?: boolean}} User */
/** `id` is absent if the server has no sessions. `endsAt` is the end of a session that a link opened. @typedef {{key: string, id?: string, clientRef: string, endsAt?: string, user: User}} Session */
/** @type {import("@preact/signals").Signal<Session | null>} */
export const session = signal(null);
/** Why the last session ended: `expired`, or nothing. */
export const ended = sessionStorage.getItem(ENDED) ?? "";
let leaving = false;
export const viewer = computed(() => session.value?.user ?? null);

/** Whether the viewer has one of these roles. @param {...string} roles */
export function hasRole(...roles) {
  return roles.includes(viewer.value?.role ?? "");
}

/** Takes up the session of this tab, if there is one. */
export function resume() {
  try {
    const stored = sessionStorage.getItem(STORED);
    if (!stored) return;
    begin(JSON.parse(stored));
    // The role may have changed since the login. If this call fails, the next call of the page shows the fault.
    if (!hasRole("LINK", "OPERATOR")) refreshViewer().catch(() => {});
  } catch {
    sessionStorage.removeItem(STORED);
  }
}

/** @param {{clientRef: string, email: string, password: string}} login */
export async function logIn(login) {
  begin(await openSession(login));
}

/** Replaces a password before a login. @param {{clientRef: string, email: string, password: string}} login @param {string} newPassword */
export async function replacePassword(login, newPassword) {
  await api.post("/messaging-service/WhatsApp/authenticate/changePassword", { ...login, newPassword }, { anonymous: true });
}

/** Ends a login by OpenID Connect. @param {{code: string, state: string, secret: string}} back */
export async function logInByOpenid(back) {
  const opened = await api.post("/api/v1/sessions/openid/finish", back, { anonymous: true });
  begin({ key: opened.sessionKey, id: opened.id, clientRef: opened.user.clientRef, user: opened.user });
}

/** Opens the webhooks of a client, and nothing else, by a link that works once. @param {string} token */
export async function logInByLink(token) {
  const opened = await api.post("/api/v1/sessions/links/open", { token }, { anonymous: true });
  begin({ key: opened.sessionKey, id: opened.id, clientRef: opened.clientRef, endsAt: opened.endsAt, user: { id: opened.id, name: opened.clientRef, email: "", role: "LINK" } });
}

/** Opens the pages of operators. The key is none of a client. @param {string} key */
export async function logInAsOperator(key) {
  await api.get("/operator-service/api/v1/status", undefined, { anonymous: true, headers: { authorization: key } });
  begin({ key, clientRef: "", user: { id: "operator", name: "Operator", email: "", role: "OPERATOR" } });
}

/** Ends the session here, and at the server. */
export async function logOut() {
  const { id } = session.value ?? {};
  leaving = true;
  try {
    if (id) await api.remove("/api/v1/sessions/current");
  } catch {
    // The key expires by itself.
  }
  end("");
}

/** Reads the viewer again, after a change of the user. */
export async function refreshViewer() {
  const user = await api.get("/api/v1/users/me");
  if (session.value) keep({ ...session.value, user });
}

/**
 * Exchanges a login for a key. A server without sessions gives the key of the user.
 * @param {{clientRef: string, email: string, password: string}} login
 * @returns {Promise<Session>}
 */
async function openSession(login) {
  try {
    const opened = await api.post("/api/v1/sessions", login, { anonymous: true });
    return { key: opened.sessionKey, id: opened.id, clientRef: login.clientRef, user: opened.user };
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 405)) throw error;
  }
  const { apiKey } = await api.post("/messaging-service/WhatsApp/authenticate/retrieveApiKey", login, { anonymous: true });
  const user = await api.get("/api/v1/users/me", undefined, { anonymous: true, headers: { authorization: apiKey } });
  return { key: apiKey, clientRef: login.clientRef, user };
}

/** @param {Session} opened */
function begin(opened) {
  useKey(opened.key, () => end("expired"));
  sessionStorage.removeItem(ENDED);
  keep(opened);
}

/** @param {Session} changed */
function keep(changed) {
  session.value = changed;
  sessionStorage.setItem(STORED, JSON.stringify(changed));
}

/** Hears `end` before the page of an ended session is loaded again. */
export const leavingPage = new EventTarget();

/**
 * Ends the session in this tab. The page is loaded again, so that nothing of the session stays in its memory. Drafts outlive a session
 * that expired.
 * @param {string} reason
 */
export function end(reason) {
  // The server closes the live connection of a session that the viewer ends.
  if (leaving && reason) return;
  useKey("", () => {});
  if (reason) {
    sessionStorage.removeItem(STORED);
    sessionStorage.setItem(ENDED, reason);
  } else {
    sessionStorage.clear();
  }
  leavingPage.dispatchEvent(new Event("end"));
  location.reload();
}
