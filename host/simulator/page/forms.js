// Forms of messages that have fields: a place, a contact.
import { html } from "htm/preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/**
 * @typedef {import("./channels/channel.js").Draft} Draft
 * @typedef {EventOf<HTMLInputElement>} FieldEvent
 */

const PLACES = [
  { name: "Table Mountain", address: "Cape Town", latitude: -33.9628, longitude: 18.4098 },
  { name: "Sandton City", address: "83 Rivonia Road, Sandton", latitude: -26.1087, longitude: 28.0567 },
  { name: "", address: "", latitude: -29.8587, longitude: 31.0218 },
];

/** @param {{onDone: (what: Draft) => void}} props */
export function PlaceForm({ onDone }) {
  const [place, setPlace] = useState(/** @type {{name: string, address: string, latitude: number|string, longitude: number|string}} */ (PLACES[0]));
  const first = useRef(/** @type {HTMLButtonElement|null} */ (null));
  useLayoutEffect(() => first.current?.focus(), []);
  /** @param {keyof typeof place} name @returns {(event: FieldEvent) => void} */
  const set = (name) => (event) => setPlace({ ...place, [name]: event.currentTarget.value });
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    const { name, address } = place;
    onDone({ kind: "place", place: {
      latitude: Number(place.latitude), longitude: Number(place.longitude), name: name || undefined, address: address || undefined,
    } });
  };
  return html`<form class="fields" onSubmit=${submit}>
    <div class="hints">${PLACES.map((one, index) => html`<button type="button" ref=${index ? undefined : first} key=${one.latitude} onClick=${() => setPlace(one)}>${one.name || "Only a point"}</button>`)}</div>
    <label>Name<input value=${place.name} onInput=${set("name")} /></label>
    <label>Address<input value=${place.address} onInput=${set("address")} /></label>
    <div class="pair">
      <label>Latitude<input type="number" step="any" min="-90" max="90" required value=${place.latitude} onInput=${set("latitude")} /></label>
      <label>Longitude<input type="number" step="any" min="-180" max="180" required value=${place.longitude} onInput=${set("longitude")} /></label>
    </div>
    <button class="primary">Send the place</button>
  </form>`;
}

/** @param {{onDone: (what: Draft) => void}} props */
export function ContactForm({ onDone }) {
  const [contact, setContact] = useState({ name: "Thandi Nkosi", phone: "+27 82 000 0009" });
  const first = useRef(/** @type {HTMLInputElement|null} */ (null));
  useLayoutEffect(() => first.current?.focus(), []);
  /** @param {keyof typeof contact} name @returns {(event: FieldEvent) => void} */
  const set = (name) => (event) => setContact({ ...contact, [name]: event.currentTarget.value });
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    onDone({ kind: "contact", contact });
  };
  return html`<form class="fields" onSubmit=${submit}>
    <label>Name<input ref=${first} required value=${contact.name} onInput=${set("name")} /></label>
    <label>Phone<input required value=${contact.phone} onInput=${set("phone")} /></label>
    <button class="primary">Send the contact</button>
  </form>`;
}
