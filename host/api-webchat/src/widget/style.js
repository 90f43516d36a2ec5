// The look of the widget: one constructed stylesheet, which strict policies allow, unlike inline styles. `TOKENS` are the values of the
// console's design (tokens.rs). The site adds its own colour and the one of texts on it. Positions use logical sides, so the text can
// run in both directions.
/** @param {Look} look */
function stylesheet(look) {
  const color = /^#[0-9a-f]{6}$/.test(look.color) ? look.color : "var(--accent)";
  const ink = /^#[0-9a-f]{6}$/.test(look.textColor) ? look.textColor : "var(--on-accent)";
  const side = look.side === "START" ? "inset-inline-start" : "inset-inline-end";
  // The variables belong to the two parts: a rule of the page could set those of the host element.
  const parts = ".launcher,.panel";
  const dark = TOKENS.dark + "color-scheme:dark";
  const css = [
    ":host{all:initial;position:fixed;inset-block-end:0;" + side + ":0;z-index:2147483000}",
    parts + "{" + TOKENS.light + "--brand:" + color + ";--on-brand:" + ink + ";color-scheme:light;",
    "font:400 var(--size-5)/var(--leading) var(--font)}",
    look.scheme === "DARK" ? parts + "{" + dark + "}" : "",
    look.scheme === "AUTO" ? "@media (prefers-color-scheme:dark){" + parts + "{" + dark + "}}" : "",
    "*{box-sizing:border-box}[hidden]{display:none!important}",
    "button,input,textarea,select{font:inherit;color:inherit}",
    // Controls are larger than those of the console, for fingers.
    "button{cursor:pointer;min-height:44px;min-width:44px;border:1px solid transparent;border-radius:var(--radius-large);background:none;padding:var(--space-2) var(--space-3)}",
    "button:disabled{opacity:.55;cursor:default}",
    ":focus-visible{outline:3px solid var(--text);outline-offset:2px;box-shadow:0 0 0 2px var(--surface)}",
    ".launcher{position:absolute;inset-block-end:20px;" + side + ":20px;width:60px;height:60px;border-radius:50%;padding:0;",
    "background:var(--brand);color:var(--on-brand);border:2px solid var(--surface);box-shadow:var(--shadow-2)}",
    ".launcher svg{width:28px;height:28px;display:block;margin:auto;fill:currentColor}",
    ".badge{position:absolute;inset-block-start:-4px;inset-inline-end:-4px;min-width:24px;height:24px;border-radius:12px;padding:0 6px;",
    "background:var(--danger);color:var(--on-danger);font-size:var(--size-3);line-height:24px;font-weight:600;text-align:center}",
    ".panel{position:absolute;inset-block-end:92px;" + side + ":20px;width:min(384px,calc(100vw - 40px));height:min(620px,calc(100vh - 120px));",
    "display:flex;flex-direction:column;background:var(--surface);color:var(--text);border:1px solid var(--edge);border-radius:var(--radius-large);",
    "overflow:hidden;box-shadow:var(--shadow-3)}",
    "@media (max-width:480px){.panel{position:fixed;inset:0;width:100%;height:100%;border:0;border-radius:0}}",
    ".head{display:flex;align-items:center;gap:var(--space-2);padding:var(--space-2) var(--space-3) var(--space-2) var(--space-4);background:var(--brand);color:var(--on-brand)}",
    ".head h2{flex:1;margin:0;font-size:var(--size-5);font-weight:600;overflow-wrap:anywhere}",
    ".head :focus-visible{outline-color:var(--on-brand);box-shadow:none}",
    ".status{padding:var(--space-2) var(--space-4);background:var(--hover);font-size:var(--size-4);overflow-wrap:anywhere}.status:empty{display:none}",
    ".log{flex:1;overflow-y:auto;padding:var(--space-3) var(--space-4);display:flex;flex-direction:column;gap:var(--space-3);overscroll-behavior:contain}",
    ".log ol{list-style:none;margin:0;padding:0;display:flex;flex-direction:column;gap:var(--space-3)}",
    ".message{max-width:85%;align-self:flex-start;display:flex;flex-direction:column;gap:var(--space-1)}",
    ".message.own{align-self:flex-end;align-items:flex-end}",
    ".bubble{padding:var(--space-2) var(--space-3);border-radius:var(--radius-large);background:var(--hover);white-space:pre-wrap;overflow-wrap:anywhere}",
    ".own .bubble{background:var(--brand);color:var(--on-brand)}",
    ".quote{margin:0;padding-inline-start:var(--space-2);border-inline-start:3px solid var(--edge);font-size:var(--size-4);color:var(--text-soft);",
    "display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden;overflow-wrap:anywhere}",
    ".meta{font-size:var(--size-3);color:var(--text-soft)}.alarm{color:var(--danger-text)}",
    ".choices{display:flex;flex-direction:column;gap:6px;border:0;margin:0;padding:0;min-width:0}.choices legend{padding:0}",
    ".choices button,.plain{border-color:var(--edge);background:var(--surface);color:var(--text);text-align:start;overflow-wrap:anywhere}",
    ".choices button:hover:not(:disabled),.plain:hover{background:var(--hover)}",
    ".choices small{display:block;color:var(--text-soft);font-size:var(--size-3)}",
    // Room around the cards, because a scrolling box cuts off focus outlines.
    ".cards{display:flex;gap:var(--space-2);overflow-x:auto;padding:6px;margin:-6px;scroll-padding:6px}.message:has(.cards){max-width:100%}",
    ".card{flex:0 0 200px;display:flex;flex-direction:column;gap:var(--space-2);border:1px solid var(--line);border-radius:var(--radius-large);padding:var(--space-2)}",
    ".card .choices{margin-block-start:auto}",
    "img,video{max-width:100%;max-height:240px;border-radius:var(--radius);display:block}audio{max-width:100%}",
    "a{color:inherit;display:inline-block;min-height:24px;overflow-wrap:anywhere}",
    ".compose{display:flex;gap:6px;align-items:flex-end;padding:var(--space-2);border-block-start:1px solid var(--line)}",
    "textarea,input:not([type=checkbox]),select{background:var(--surface);color:var(--text);border:1px solid var(--edge);border-radius:var(--radius-large);padding:var(--space-2) var(--space-3);width:100%;min-height:44px}",
    "textarea{flex:1;resize:none;max-height:130px}::placeholder{color:var(--text-soft);opacity:1}",
    ".primary{background:var(--brand);color:var(--on-brand);font-weight:600}",
    ".icon{padding:0;flex:none}.icon svg{width:22px;height:22px;display:block;margin:auto;fill:currentColor}",
    ".form{display:flex;flex-direction:column;gap:var(--space-3);padding:var(--space-4);overflow-y:auto;flex:1}.form h3{margin:0;font-size:var(--size-5)}",
    ".field{display:flex;flex-direction:column;gap:var(--space-1)}.tick{flex-direction:row;align-items:center;gap:var(--space-2)}.tick input{width:24px;height:24px;flex:none;accent-color:var(--brand)}",
    ".typing{min-height:0;font-size:var(--size-4);color:var(--text-soft);padding:0 var(--space-4) 6px}.typing:empty{display:none}",
    ".unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}",
    "@media (prefers-reduced-motion:no-preference){.panel{animation:rise var(--quick)}@keyframes rise{from{transform:translateY(12px);opacity:.4}}}",
    "@media (forced-colors:active){button,.bubble{border:1px solid}}",
  ].join("");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}
