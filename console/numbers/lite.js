// The session of a Lite number: its state, pairing, and the pace of its messages.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { known, t } from "#app/i18n.js";
import { useLoad, useRefresh } from "#app/load.js";
import { fullTime } from "#app/time.js";
import { Button, Tag } from "#ui/controls.js";
import { confirm } from "#ui/dialog.js";
import { Loaded } from "#ui/states.js";
import { FormDialog } from "../developers/form.js";
import { attempt, Fact } from "../developers/parts.js";
import { PairDialog } from "./pair.js";

const SESSIONS = "/messaging-service/WhatsApp/WhatsAppLiteSessions";
const AGAIN_MS = 3000;
/** @type {Record<string, string>} */
const TONES = { success: "success", connecting: "info", disconnected: "warning" };

/** @param {{id: string, number: string}} props */
export function LiteSession({ id, number }) {
  const path = `${SESSIONS}/${id}`;
  const load = useLoad((signal) => api.get(path, undefined, { signal }), [id]);
  const [pairing, setPairing] = useState(false);
  const [pace, setPace] = useState(/** @type {any} */ (null));
  useRefresh(load, AGAIN_MS);
  const change = (/** @type {string} */ how, /** @type {string} */ done) => attempt(async () => load.replace(await api.post(`${path}/${how}`)), done);
  const connect = async () => {
    if (await change("connect", "")) setPairing(true);
  };
  const logOut = async () => {
    if (await confirm({ title: t("numbers.logOutTitle", { number }), text: t("numbers.logOutText"), action: t("numbers.logOut"), danger: true })) await change("logout", t("numbers.loggedOut"));
  };
  return html`<${Loaded} load=${load}>${(/** @type {any} */ session) => html`
    <dl class="facts"><${Fact} label=${t("numbers.connection")}><${Tag} tone=${TONES[session.statusType] ?? ""}>${known(`numbers.states.${session.statusType}`) ?? t("numbers.states.none")}<//> ${session.statusType && session.status && html`<span class="soft small">${session.status}</span>`}<//>
      <${Fact} label=${t("numbers.paired")} value=${t(session.paired ? "developers.yes" : "developers.no")} />
      <${Fact} label=${t("numbers.changed")} value=${session.changedTime && fullTime(session.changedTime)} />
      <${Fact} label=${t("numbers.banned")} value=${session.bannedUntil && fullTime(session.bannedUntil)} /></dl>
    <div class="row wrap">${session.statusType === "success"
      ? html`<${Button} kind="small" icon="pause" onClick=${() => change("disconnect", t("numbers.disconnected"))}>${t("numbers.disconnect")}<//>`
      : html`<${Button} kind="small primary" icon=${session.paired ? "play" : "phone"} onClick=${session.qrWaits ? () => setPairing(true) : connect}>${t(session.paired ? "numbers.connect" : "numbers.pair")}<//>`}
      <${Button} kind="small" icon="clock" onClick=${() => attempt(async () => setPace(await api.get(`${path}/messageProcessing`)))}>${t("numbers.pace")}<//>
      ${session.paired && html`<${Button} kind="small danger" icon="logout" onClick=${logOut}>${t("numbers.logOut")}<//>`}</div>
    ${pairing && !session.paired && html`<${PairDialog} path=${path} number=${number} onClose=${() => setPairing(false)} onPaired=${() => (setPairing(false), load.reload())} />`}
    ${pace && html`<${PaceDialog} path=${path} pace=${pace} onClose=${() => setPace(null)} />`}`}<//>`;
}

/** @param {{path: string, pace: any, onClose: () => void}} props */
function PaceDialog({ path, pace, onClose }) {
  const save = (/** @type {Record<string, any>} */ values) => api.put(`${path}/messageProcessing`, {
    batchSize: values.batchSize === "" ? null : Number(values.batchSize), throttleDelayMillis: values.throttleDelayMillis === "" ? null : Number(values.throttleDelayMillis),
    dailyStart: values.dailyStart || null, dailyEnd: values.dailyEnd || null,
  });
  return html`<${FormDialog} title=${t("numbers.pace")} text=${t("numbers.paceText", { zone: pace.timeZone })} save=${save} onClose=${onClose}
    values=${{ batchSize: String(pace.batchSize ?? ""), throttleDelayMillis: String(pace.throttleDelayMillis ?? ""), dailyStart: (pace.dailyStart ?? "").slice(0, 5), dailyEnd: (pace.dailyEnd ?? "").slice(0, 5) }}
    fields=${[{ key: "batchSize", label: t("numbers.batchSize"), type: "number", min: 1 }, { key: "throttleDelayMillis", label: t("numbers.delay"), type: "number", min: 0 },
      { key: "dailyStart", label: t("numbers.from"), type: "time" }, { key: "dailyEnd", label: t("numbers.to"), type: "time" }]} />`;
}
