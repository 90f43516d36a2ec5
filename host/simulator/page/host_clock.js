// The business clock of Patchbay, which can be moved forward for trials (`testing.clock`).
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { call, reasonOf } from "./call.js";
import { Icon } from "./icons.js";

const STEPS = [{ label: "+1 min", seconds: 60 }, { label: "+1 h", seconds: 3600 }, { label: "+1 day", seconds: 86400 }];

export function HostClock() {
  const [ahead, setAhead] = useState(0);
  const [, tick] = useState(0);
  const [problem, setProblem] = useState("");
  /** @param {() => Promise<unknown>} deed */
  const follow = async (deed) => {
    try {
      const { now } = /** @type {{now: string}} */ (await deed());
      setAhead(new Date(now).getTime() - Date.now());
      setProblem("");
    } catch (error) {
      setProblem(reasonOf(error));
    }
  };
  useEffect(() => {
    follow(() => call("GET", "/simulator/clock"));
    const timer = setInterval(() => tick((count) => count + 1), 5000);
    return () => clearInterval(timer);
  }, []);
  const now = new Date(Date.now() + ahead).toLocaleString([], { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  return html`<div class="host-clock" role="group" aria-label="Business clock of Patchbay" title=${problem || "Moves the clock of Patchbay, not that of the phones"}>
    <${Icon} name="clock" /><span class="whose">Clock of Patchbay</span><span class="now">${problem || now}</span>
    ${STEPS.map((step) => html`<button key=${step.label} aria-label=${`Move the clock: ${step.label}`} onClick=${() => follow(() => call("POST", "/simulator/clock", { seconds: step.seconds }))}>${step.label}</button>`)}
  </div>`;
}
