// The parts of messages. Text is always text; addresses were checked by the channel.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { Icon } from "./icons.js";

/**
 * @typedef {import("./channels/model.js").Media} Media
 * @typedef {import("./channels/model.js").Choice} Choice
 * @typedef {import("./channels/channel.js").Act} Act
 */

/** @param {{media: Media}} props */
function Broken({ media }) {
  return html`<div class="file"><${Icon} name=${media.kind === "document" ? "file" : "photo"} /><span>${media.name || "A file that this page cannot show"}</span></div>`;
}

/** @param {{media: Media, onPlay?: (() => void)|null}} props */
export function MediaView({ media, onPlay }) {
  const [broken, setBroken] = useState(false);
  if (broken || !media.url) return html`<${Broken} media=${media} />`;
  const fail = () => setBroken(true);
  if (media.kind === "photo") return html`<img class="photo" src=${media.url} alt=${media.name || "Photo"} onError=${fail} />`;
  if (media.kind === "sticker") return html`<img class="sticker" src=${media.url} alt="Sticker" onError=${fail} />`;
  if (media.kind === "video") return html`<video class="photo" controls preload="metadata" src=${media.url} aria-label=${media.name || "Video"} onError=${fail}></video>`;
  if (media.kind === "document") {
    return html`<a class="file" href=${media.url} target="_blank" rel="noreferrer noopener"><${Icon} name="file" /><span>${media.name || "Document"}</span></a>`;
  }
  return html`<div class=${`sound ${media.kind}`}><${Icon} name="voice" />
    <audio controls preload="metadata" src=${media.url} aria-label=${media.kind === "voice" ? "Voice note" : media.name || "Audio"} onPlay=${onPlay} onError=${fail}></audio></div>`;
}

/** @param {number} value */
const degrees = (value) => (Number.isFinite(value) ? value.toFixed(4) : "?");

/** A place on a drawn map: nothing is loaded from a server of maps. @param {{place: import("./channels/model.js").Place}} props */
export function PlaceView({ place }) {
  return html`<div class="place">
    <svg class="map" viewBox="0 0 240 110" aria-hidden="true" focusable="false" preserveAspectRatio="xMidYMid slice">
      <rect class="land" width="240" height="110" /><path class="park" d="M0 70c40-20 70 10 100 0s40 40 40 40H0z" />
      <path class="water" d="M160 0c-10 30 40 50 80 46V0z" /><path class="road" d="M-5 40c60 0 90 30 130 26s70-30 120-20M80-5c0 40 20 70 10 120M170-5c-8 40 10 80 30 120" />
    </svg>
    <span class="marker"><${Icon} name="pin" /></span>
    <span class="where"><b dir="auto">${place.name || "Place"}</b>${place.address && html`<span dir="auto">${place.address}</span>`}
      <span class="degrees">${degrees(place.latitude)}, ${degrees(place.longitude)}</span></span>
  </div>`;
}

/** @param {{people: {name: string, phone?: string}[]}} props */
export function PeopleView({ people }) {
  return people.map((one, index) => html`<div class="contact" key=${index}><span class="avatar" aria-hidden="true"><${Icon} name="person" /></span>
    <span><b dir="auto">${one.name}</b>${one.phone && html`<span>${one.phone}</span>`}</span></div>`);
}

/** One choice: a button, a link, or a note of something that stays on the phone. @param {{choice: Choice, act: Act, onTap?: () => void}} props */
export function ChoiceView({ choice, act, onTap }) {
  if (!choice.local) {
    const tap = () => {
      onTap?.();
      act(choice.tap);
    };
    return html`<button onClick=${tap}>${choice.title}${choice.description && html`<small>${choice.description}</small>`}</button>`;
  }
  if (choice.href) {
    return html`<a href=${choice.href} target="_blank" rel="noreferrer noopener"><${Icon} name="link" />${choice.title}<span class="unseen"> (opens a new tab)</span></a>`;
  }
  return html`<span class="local">${choice.title}${choice.note && html`<small>${choice.note}</small>`}</span>`;
}

/** @param {{choices: Choice[], act: Act}} props */
export function Choices({ choices, act }) {
  return html`<div class="choices">${choices.map((choice) => html`<${ChoiceView} key=${choice.id} choice=${choice} act=${act} />`)}</div>`;
}

/** @param {{cards: import("./channels/model.js").Card[], label: string, act: Act}} props */
export function Cards({ cards, label, act }) {
  return html`<div class="cards" role="group" aria-label=${`Cards of: ${label}`} tabindex="0">
    ${cards.map((card, index) => html`<div class="card" key=${index} role="group" aria-label=${card.title || card.text || `Card ${index + 1}`}>
      ${card.media && html`<${MediaView} media=${card.media} />`}
      ${card.title && html`<b dir="auto">${card.title}</b>`}
      ${card.text && html`<p dir="auto">${card.text}</p>`}
      <${Choices} choices=${card.choices} act=${act} />
    </div>`)}
  </div>`;
}
