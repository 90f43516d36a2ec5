// The mark of the product.
import { html } from "htm/preact";

export function Logo() {
  return html`<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" />
    <circle cx="9.5" cy="10" r="2.6" /><circle cx="22.5" cy="22" r="2.6" /><path d="M12.2 10H17a4 4 0 0 1 4 4v4.8" /></svg>`;
}
