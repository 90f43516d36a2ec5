// A visitor of a web site: a browser that shows a page of the site with the real chat widget.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { choose, selection, views } from "./live.js";
import { Caption, StatusBar } from "./phone.js";

function NoSite() {
  return html`<div class="empty"><p>No site shows its chat here. Add one for the origin of this page:</p>
    <code>patchbay site add --client REF --name Shop --origin ${location.origin}</code>
    <p>The simulator takes it at its next start.</p></div>`;
}

export function VisitorPhone() {
  const [round, setRound] = useState(0);
  const sites = views.world.value?.sites || [];
  const site = sites.find((one) => one.siteKey === selection.value.site) || sites[0];
  return html`<section class="phone web" id="web" aria-labelledby="web-title">
    <${Caption} id="web" title="Web" detail="a visitor" />
    <div class="device"><div class="screen"><${StatusBar} />
      <div class="browser">
        ${sites.length > 1
          ? html`<select aria-label="Site" value=${site?.siteKey} onChange=${(/** @type {EventOf<HTMLSelectElement>} */ event) => choose({ site: event.currentTarget.value })}>
              ${sites.map((one) => html`<option key=${one.siteKey} value=${one.siteKey}>${one.name}</option>`)}</select>`
          : html`<span class="address">${site ? `${site.name.toLowerCase().replace(/\W+/g, "-")}.example` : "no site"}</span>`}
        <button class="round" aria-label="Load the page again" disabled=${!site} onClick=${() => setRound(round + 1)}>⟳</button>
      </div>
      ${site ? html`<iframe key=${`${site.siteKey}-${round}`} title=${`A page of ${site.name} with its chat`} src=${`/web?site=${encodeURIComponent(site.siteKey)}`}></iframe>` : html`<${NoSite} />`}
    </div></div>
  </section>`;
}
