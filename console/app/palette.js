// The command palette (`Ctrl+K`): pages, actions of the shell and of the page, and results that pages add.
import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { useSettled } from "#app/load.js";
import { Keys } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";

/** @typedef {{text: string, hint?: string, icon?: string, keys?: string, run: () => void}} Command */
/** @typedef {{title: string, commands?: () => Command[], search?: (text: string, signal: AbortSignal) => Promise<Command[]>}} CommandSource */

export const paletteOpen = signal(false);
/** @type {Set<CommandSource>} */
const sources = new Set();

/** Adds commands to the palette. @param {CommandSource} source @returns {() => void} removes them */
export function addCommands(source) {
  sources.add(source);
  return () => void sources.delete(source);
}

/** Adds commands to the palette while a component is shown. @param {CommandSource} source */
export function useCommands(source) {
  const box = useRef(source);
  box.current = source;
  useLayoutEffect(() => {
    /** @type {CommandSource} */
    const added = {
      get title() { return box.current.title; },
      commands: () => box.current.commands?.() ?? [],
      search: (text, abort) => box.current.search?.(text, abort) ?? Promise.resolve([]),
    };
    return addCommands(added);
  }, []);
}

/** @param {string} text */
function folded(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Whether each word of the search begins somewhere in the text. @param {string} text @param {string} wanted */
function fits(text, wanted) {
  const whole = folded(text);
  return folded(wanted).split(/\s+/).every((word) => whole.includes(word));
}

/** @param {string} text @returns {Array<{title: string, commands: Command[]}>} */
function fixed(text) {
  return [...sources].reverse()
    .map((source) => ({ title: source.title, commands: (source.commands?.() ?? []).filter((one) => !text || fits(one.text, text)) }))
    .filter((group) => group.commands.length);
}

export function Palette() {
  return paletteOpen.value ? html`<${PaletteDialog} />` : null;
}

function PaletteDialog() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [found, setFound] = useState(/** @type {Array<{title: string, commands: Command[]}>} */ ([]));
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useId();
  const settled = useSettled(text.trim(), 180);
  // Before the next key arrives, which would otherwise be a shortcut of the page.
  useLayoutEffect(() => element.current?.showModal(), []);
  useEffect(() => {
    const control = new AbortController();
    setFound([]);
    // A digit may be the whole number of a ticket.
    if (settled.length > 1 || /^\d$/.test(settled)) {
      for (const source of sources) {
        source.search?.(settled, control.signal).then((commands) => {
          if (commands.length && !control.signal.aborted) setFound((before) => [...before, { title: source.title, commands }]);
        }, () => {});
      }
    }
    return () => control.abort();
  }, [settled]);
  const groups = [...fixed(text.trim()), ...found];
  const all = groups.flatMap((group) => group.commands);
  const chosen = Math.min(at, all.length - 1);
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const close = () => {
    element.current?.close();
    paletteOpen.value = false;
  };
  const run = (/** @type {Command | undefined} */ command) => {
    close();
    command?.run();
  };
  const move = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowDown") setAt((chosen + 1) % Math.max(1, all.length));
    else if (event.key === "ArrowUp") setAt((chosen - 1 + all.length) % Math.max(1, all.length));
    else if (event.key === "Enter") run(all[chosen]);
    else return;
    event.preventDefault();
  };
  let index = -1;
  return html`<dialog ref=${element} class="dialog palette" aria-label=${t("palette.title")} onCancel=${close} onClose=${close}
    onMouseDown=${(/** @type {any} */ event) => event.target === element.current && close()}>
    <div class="palette-field"><${Icon} name="search" />
      <input role="combobox" aria-expanded="true" aria-controls=${id} aria-activedescendant=${all.length ? `${id}-${chosen}` : undefined} aria-autocomplete="list"
        aria-label=${t("palette.title")} placeholder=${t("palette.placeholder")} value=${text} autofocus spellcheck=${false} autocomplete="off" onKeyDown=${move}
        onInput=${(/** @type {any} */ event) => (setText(event.currentTarget.value), setAt(0))} /></div>
    <div id=${id} role="listbox" aria-label=${t("palette.title")} class="palette-list scroll" tabindex="-1">
      ${groups.map((group, number) => html`<div key=${number} role="group" aria-label=${group.title}><div class="menu-title" aria-hidden="true">${group.title}</div>
        ${group.commands.map((command) => {
          index += 1;
          const mine = index;
          return html`<div key=${mine} id=${`${id}-${mine}`} role="option" class="menu-item" aria-selected=${String(mine === chosen)} onClick=${() => run(command)} onMouseMove=${() => setAt(mine)}>
            <${Icon} name=${command.icon ?? "chevronRight"} /><span class="grow clip">${command.text}</span>
            ${command.hint && html`<span class="soft tiny clip">${command.hint}</span>`}${command.keys && html`<${Keys} keys=${command.keys} />`}</div>`;
        })}</div>`)}
      ${all.length === 0 && html`<p class="soft small palette-none" role="option" aria-selected="false">${t("palette.none")}</p>`}
    </div></dialog>`;
}
