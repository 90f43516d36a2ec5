// The flow as text, both ways: a change here changes the drawing as soon as the text is a flow, and the other way round.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { TextArea } from "#ui/controls.js";
import { shapeFault } from "./model.js";

/** @typedef {import("./model.js").Flow} Flow */

/** @param {Flow} flow */
function textOf(flow) {
  return JSON.stringify(flow, null, 2);
}

/** @param {{flow: Flow, selected: string, onFlow: (flow: Flow, field: string) => void}} props */
export function Source({ flow, selected, onFlow }) {
  const [text, setText] = useState(() => textOf(flow));
  const [wrong, setWrong] = useState("");
  const own = useRef(flow);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (own.current === flow) return;
    own.current = flow;
    setText(textOf(flow));
    setWrong("");
  }, [flow]);
  useEffect(() => {
    const field = box.current?.querySelector("textarea");
    const line = text.slice(0, text.indexOf(`\n    ${JSON.stringify(selected)}: {`) + 1).split("\n").length - 1;
    if (field && selected && line) field.scrollTop = (field.scrollHeight / text.split("\n").length) * Math.max(0, line - 2);
  }, [selected]);
  const change = (/** @type {string} */ next) => {
    setText(next);
    try {
      const read = JSON.parse(next);
      const part = shapeFault(read);
      if (part !== undefined) return setWrong(t("flows.noFlow", { part }));
      setWrong("");
      own.current = read;
      onFlow(read, "source");
    } catch (error) {
      setWrong(t("plugins.badJson", { message: /** @type {Error} */ (error).message }));
    }
  };
  return html`<div class="flow-source" ref=${box}><${TextArea} label=${t("flows.source")} value=${text} onValue=${change} fault=${wrong} class="mono" rows="24" spellcheck=${false} wrap="off" /></div>`;
}
