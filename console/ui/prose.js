// Texts of the server, which name fields and commands between grave accents.
import { html } from "htm/preact";

/** A text whose parts between grave accents are code. @param {{text: string}} props */
export function Prose({ text }) {
  const parts = text.split("`");
  // An accent without its partner is a character of the text.
  if (parts.length % 2 === 0) return text;
  return parts.map((part, index) => (index % 2 ? html`<code key=${index}>${part}</code>` : part));
}
