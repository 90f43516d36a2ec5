// Pairs a Lite number by its QR code. The code changes; the dialog follows it, and closes when the number is paired.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { api, call } from "#app/api.js";
import { ApiError } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { Dialog } from "#ui/dialog.js";
import { Fault } from "#ui/states.js";
import { report } from "#ui/toast.js";

const AGAIN_MS = 1500;
const SECOND_MS = 1000;

/** @typedef {{qr: string, picture: string, until: string}} Code */

const NONE = { qr: "", picture: "", until: "" };

/** @param {{path: string, number: string, onClose: () => void, onPaired: () => void}} props */
export function PairDialog({ path, number, onClose, onPaired }) {
  const [code, setCode] = useState(NONE);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  useEffect(() => {
    const control = new AbortController();
    let shown = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const look = async () => {
      try {
        const session = await api.get(path, undefined, { signal: control.signal });
        if (session.paired) {
          report(t("numbers.nowPaired", { number }));
          onPaired();
          return;
        }
        if (session.qrWaits) shown = await refresh(path, shown, control.signal, setCode);
        else setCode(NONE);
        setError(null);
      } catch (fault) {
        // Between two codes there is none.
        if (!control.signal.aborted && !(fault instanceof ApiError && (fault.status === 404 || fault.status === 409))) setError(fault);
      }
      if (!control.signal.aborted) timer = setTimeout(look, AGAIN_MS);
    };
    look();
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [path]);
  useEffect(() => () => URL.revokeObjectURL(code.picture), [code.picture]);
  return html`<${Dialog} title=${t("numbers.pairTitle", { number })} onClose=${onClose}>
    ${error && html`<${Fault} error=${error} />`}
    <ol class="steps"><li>${t("numbers.pairStep1")}</li><li>${t("numbers.pairStep2")}</li><li>${t("numbers.pairStep3")}</li></ol>
    <div class="qr" role="status">${code.picture ? html`<img src=${code.picture} alt=${t("numbers.qrAlt", { number })} data-code=${code.qr} width="264" height="264" />` : html`<span class="soft small">${t("numbers.qrWaits")}</span>`}</div>
    ${code.until && html`<${Validity} key=${code.qr} until=${code.until} />`}
    <p class="soft tiny">${t("numbers.pairText")}</p>
  <//>`;
}

/** How long a code is valid, second by second. @param {{until: string}} props */
function Validity({ until }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((new Date(until).getTime() - now) / SECOND_MS));
  return html`<p class="small code-validity">${t("numbers.qrValid", { seconds })}</p>`;
}

/** Fetches the picture if the code has changed. @param {string} path @param {string} shown @param {AbortSignal} signal @param {(code: Code) => void} show @returns {Promise<string>} */
async function refresh(path, shown, signal, show) {
  const { qr, expiresTime: until } = await api.get(`${path}/qr`, undefined, { signal });
  if (qr === shown) return shown;
  const answer = await call("GET", `${path}/qr.png`, { headers: { accept: "image/png" }, signal });
  show({ qr, picture: URL.createObjectURL(await answer.blob()), until });
  return qr;
}
