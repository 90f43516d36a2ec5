// Forms of messages that have fields: a place, a contact.
import { html } from "htm/preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const PLACES = [
  { name: "Table Mountain", address: "Cape Town", latitude: -33.9628, longitude: 18.4098 },
  { name: "Sandton City", address: "83 Rivonia Road, Sandton", latitude: -26.1087, longitude: 28.0567 },
  { name: "", address: "", latitude: -29.8587, longitude: 31.0218 },
];

export function PlaceForm({ onDone }) {
  const [place, setPlace] = useState(PLACES[0]);
  const first = useRef(null);
  useLayoutEffect(() => first.current?.focus(), []);
  const text = (name) => (event) => setPlace({ ...place, [name]: event.currentTarget.value });
  const number = (name) => (event) => setPlace({ ...place, [name]: Number(event.currentTarget.value) });
  const submit = (event) => {
    event.preventDefault();
    onDone({ kind: "place", place: { ...place, name: place.name || undefined, address: place.address || undefined } });
  };
  return html`<form class="fields" onSubmit=${submit}>
    <div class="hints">${PLACES.map((one, index) => html`<button type="button" ref=${index ? undefined : first} key=${one.latitude} onClick=${() => setPlace(one)}>${one.name || "Only a point"}</button>`)}</div>
    <label>Name<input value=${place.name} onInput=${text("name")} /></label>
    <label>Address<input value=${place.address} onInput=${text("address")} /></label>
    <div class="pair">
      <label>Latitude<input type="number" step="any" min="-90" max="90" required value=${place.latitude} onInput=${number("latitude")} /></label>
      <label>Longitude<input type="number" step="any" min="-180" max="180" required value=${place.longitude} onInput=${number("longitude")} /></label>
    </div>
    <button class="primary">Send the place</button>
  </form>`;
}

export function ContactForm({ onDone }) {
  const [contact, setContact] = useState({ name: "Thandi Nkosi", phone: "+27 82 000 0009" });
  const first = useRef(null);
  useLayoutEffect(() => first.current?.focus(), []);
  const set = (name) => (event) => setContact({ ...contact, [name]: event.currentTarget.value });
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
