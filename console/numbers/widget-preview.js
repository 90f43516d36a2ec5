// The widget as visitors see it, with the settings that are being edited. It is the widget itself, in a frame that can make no call.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { number } from "#app/numbers.js";
import { Select } from "#ui/controls.js";

/** The texts that most sites change, with the widget's own defaults. @type {Record<string, string>} */
export const DEFAULT_TEXTS = {
  launcher: "Chat with us",
  title: "Chat",
  greeting: "Hello! How can we help?",
  placeholder: "Write a message",
  queued: "We are connecting you with an agent. You can continue to write.",
  afterHours: "We are not available now. Write to us, and we will answer when we are back.",
  rate: "How was our service?",
  formTitle: "Before we begin",
  formSubmit: "Begin chat",
};
const COLOR = /^#[0-9a-f]{6}$/;
const STATES = ["NEW", "QUEUED", "AFTER_HOURS", "CLOSED"];
const NOW = new Date().toISOString();

/** The lightness of a colour, by WCAG. @param {string} color */
function luminance(color) {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

/** @param {string} one @param {string} other */
function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((first, second) => first - second);
  return (high + 0.05) / (low + 0.05);
}

/** The colours that the server gives to widgets for a look. @param {Record<string, string>} look */
function colorsOf(look) {
  const [asked, ink] = [look.color ?? "", look.textColor ?? ""].map((one) => one.toLowerCase());
  const color = COLOR.test(asked) ? asked : "#0a6c58";
  const readable = contrast(color, "#ffffff") >= contrast(color, "#000000") ? "#ffffff" : "#000000";
  return { color, textColor: COLOR.test(ink) ? ink : readable };
}

/** The chat of a visitor in a state, in the shapes of the frames of the server. @param {string} state */
function chatOf(state) {
  if (state !== "QUEUED" && state !== "AFTER_HOURS") return { chat: null, messages: [] };
  const sample = { id: "1", sequence: 1, from: "visitor", time: NOW, content: { kind: "text", text: t("sites.sample") } };
  return { chat: { state: "queued", afterHours: state === "AFTER_HOURS", seen: false }, messages: [sample] };
}

/** @param {{look: Record<string, string>, texts: Record<string, string>, form: any}} props */
export function WidgetPreview({ look, texts, form }) {
  const [chosen, setChosen] = useState("");
  const frame = useRef(/** @type {HTMLIFrameElement | null} */ (null));
  // The server asks for answers only if one of them is required.
  const states = form?.fields.some((/** @type {{required?: boolean}} */ one) => one.required) ? ["FORM", ...STATES] : STATES;
  const state = states.includes(chosen) ? chosen : states[0];
  const colors = colorsOf(look);
  const ratio = contrast(colors.color, colors.textColor);
  const shown = { site: { look: { ...look, ...colors }, texts, form }, open: state !== "CLOSED", formDue: state === "FORM", ...chatOf(state) };
  // The frame has an origin of its own, which no address names.
  const show = () => frame.current?.contentWindow?.postMessage(shown, "*");
  useEffect(show, [JSON.stringify(shown)]);
  return html`<section class="stack" aria-label=${t("sites.preview")}><h2>${t("sites.preview")}</h2>
    <${Select} label=${t("sites.state")} value=${state} options=${states.map((one) => [one, t(`sites.states.${one}`)])} onValue=${setChosen} />
    ${ratio < 4.5 && html`<div class="banner danger rounded" role="status">${t("sites.contrast", { ratio: number(ratio, 1) })}</div>`}
    <div class="stage" inert><iframe ref=${frame} src="/web-chat/preview" sandbox="allow-scripts" title=${t("sites.preview")} onLoad=${show}></iframe></div></section>`;
}
