// The memory of a conversation that is tried out: state, timers, key-values and the choices that can be tapped.

/** @typedef {{text: string, from: "customer" | "bot" | "system", choices?: Array<{id: string, title: string}>, detail?: any, fault?: boolean}} Entry */
/** @typedef {{state: string, timers: Record<string, number>, values: Record<string, any>, over: string, entries: Entry[]}} Conversation */

/** @returns {Conversation} */
export function begin() {
  return { state: "", timers: {}, values: {}, over: "", entries: [] };
}

/** The text of an action for people. @param {any} action */
function textOf(action) {
  if (action.type === "reply-media") return [action.caption, action.url ?? action.media?.url].filter(Boolean).join("\n");
  if (action.type === "reply-location") return [action.location?.name, action.location?.address, `${action.location?.latitude}, ${action.location?.longitude}`].filter(Boolean).join("\n");
  if (action.type === "reply-template") return [action.name, ...(action.parameters ?? [])].join(" · ");
  return [action.header, action.text, action.footer].filter(Boolean).join("\n");
}

/** The conversation after the answer to a call. @param {Conversation} before @param {any} answer @returns {Conversation} */
export function after(before, answer) {
  const next = { ...before, timers: { ...before.timers }, values: { ...before.values }, entries: [...before.entries] };
  const add = (/** @type {Entry} */ entry) => next.entries.push(entry);
  if (answer.error) add({ from: "system", fault: true, text: `${answer.error.kind}: ${answer.error.message}`, detail: answer.stderr });
  for (const action of answer.actions ?? []) {
    if (action.type.startsWith("reply-")) {
      const choices = action.buttons ?? action.sections?.flatMap((/** @type {any} */ section) => section.rows) ?? [];
      add({ from: "bot", text: textOf(action), choices, detail: action });
      continue;
    }
    if (action.type === "set-state") next.state = action.state;
    if (action.type === "start-timer") next.timers[action.name] = action.afterSeconds;
    if (action.type === "cancel-timer") delete next.timers[action.name ?? action.timer];
    if (action.type === "hand-over" || action.type === "close") next.over = action.type;
    add({ from: "system", text: action.type, detail: action });
  }
  for (const write of answer.writes ?? []) {
    const name = `${write.scope}/${write.key}`;
    if (write.value === null || write.value === undefined) delete next.values[name];
    else next.values[name] = write.value;
    add({ from: "system", text: "kv", detail: write });
  }
  for (const line of answer.logs ?? []) add({ from: "system", text: "log", detail: line });
  return next;
}
