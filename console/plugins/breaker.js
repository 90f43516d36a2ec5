// The state of the circuit breaker of a version: its last change, and the failures of the latest calls.
import { html } from "htm/preact";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { fullTime, since } from "#app/time.js";
import { Tag } from "#ui/controls.js";
import { addressOf, failed } from "./facts.js";

const CIRCUIT = ["CIRCUIT_OPENED", "CIRCUIT_CLOSED"];

/** @param {{name: string, version: number | null}} props */
export function Breaker({ name, version }) {
  const load = useLoad(async (signal) => {
    const [events, calls] = await Promise.all([
      api.get(addressOf(name, "/events"), { size: 100 }, { signal }),
      api.get(addressOf(name, "/invocations"), { size: 40 }, { signal }),
    ]);
    return { events: events.content, calls: calls.content };
  }, [name]);
  if (!load.data) return null;
  const mine = (/** @type {any} */ one) => (one.version ?? null) === version;
  const last = load.data.events.find((/** @type {any} */ one) => CIRCUIT.includes(one.kind) && mine(one));
  if (last?.kind === "CIRCUIT_OPENED") return html`<${Tag} tone="danger" icon="pause" title=${`${fullTime(last.time)} ${last.reason ?? ""}`}>${t("plugins.suspended")}<//>`;
  const calls = load.data.calls.filter((/** @type {any} */ one) => mine(one) && one.mode !== "shadow");
  const good = calls.findIndex((/** @type {any} */ one) => !failed(one.outcome));
  const failures = good < 0 ? calls.length : good;
  if (failures > 0) return html`<${Tag} tone="warning" icon="alert" title=${calls[0].error ?? undefined}>${t("plugins.failuresInARow", { count: failures })}<//>`;
  return calls.length ? html`<${Tag} tone="success" icon="check" title=${t("plugins.lastCall", { time: since(calls[0].time) })}>${t("plugins.working")}<//>` : null;
}
