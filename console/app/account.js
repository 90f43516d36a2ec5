// The viewer's account: open sessions, and the password.
import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { ApiError, faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { logOut } from "#app/session.js";
import { fullTime, since } from "#app/time.js";
import { Button, Tag, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Fault, Loaded } from "#ui/states.js";
import { report, reportFault } from "#ui/toast.js";

/** @typedef {{id: string, createdAt: string, lastUsedAt: string, current: boolean}} OpenSession */

export const accountOpen = signal(false);

export function Account() {
  if (!accountOpen.value) return null;
  return html`<${Dialog} title=${t("account.title")} onClose=${() => (accountOpen.value = false)}><${Sessions} /><${Password} /><//>`;
}

/** The open sessions of the viewer, or for an ADMIN those of another user. A server without sessions has none to show. @param {{userId?: string}} props */
export function Sessions({ userId }) {
  const load = useLoad(async (signal) => {
    try {
      return (await api.get("/api/v1/sessions", { userId }, { signal })).sessions;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return [];
      throw error;
    }
  }, [userId]);
  const close = async (/** @type {OpenSession} */ session) => {
    if (session.current) {
      accountOpen.value = false;
      return logOut();
    }
    await api.remove(`/api/v1/sessions/${session.id}`).then(load.reload, reportFault);
  };
  return html`<section class="stack"><h3>${t("account.sessions")}</h3><${Loaded} load=${load} skeleton=${html`<span class="skeleton w2"></span>`}>${(/** @type {OpenSession[]} */ sessions) => html`<ul class="list">${sessions.map((session) => html`<li key=${session.id} class="row list-row">
    <span class="grow stack tight"><span class="small">${t("account.since", { time: fullTime(session.createdAt) })}</span><span class="tiny soft">${t("account.used", { ago: since(session.lastUsedAt) })}</span></span>
    ${session.current && html`<${Tag} tone="accent">${t("account.thisOne")}<//>`}<${Button} kind="small" onClick=${() => close(session)}>${t("account.end")}<//></li>`)}</ul>
    ${!sessions.length && html`<p class="small soft">${t("common.none")}</p>`}`}<//></section>`;
}

function Password() {
  const empty = { currentPassword: "", newPassword: "" };
  const [form, setForm] = useState(empty);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const faults = faultsByField(error);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await api.put("/api/v1/users/me/password", form);
      setForm(empty);
      report(t("account.changed"));
    } catch (fault) {
      setError(fault);
    }
    setBusy(false);
  };
  return html`<form class="stack" onSubmit=${submit}><h3>${t("account.password")}</h3>
    ${error && !Object.keys(faults).length && html`<${Fault} error=${error} />`}
    <${TextField} label=${t("account.present")} type="password" autocomplete="current-password" required value=${form.currentPassword} fault=${faults.currentPassword} onValue=${(/** @type {string} */ currentPassword) => setForm({ ...form, currentPassword })} />
    <${TextField} label=${t("account.next")} hint=${t("account.nextHint")} type="password" autocomplete="new-password" minlength="8" required value=${form.newPassword} fault=${faults.newPassword} onValue=${(/** @type {string} */ newPassword) => setForm({ ...form, newPassword })} />
    <div><${Button} type="submit" busy=${busy}>${t("account.change")}<//></div></form>`;
}
