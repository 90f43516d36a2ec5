// The look of the widget: one constructed stylesheet, which strict policies allow, unlike inline styles. Colours of the site are the
// only variables. Positions use logical sides, so the text can run in both directions.
function stylesheet(look) {
  const color = /^#[0-9a-f]{6}$/.test(look.color) ? look.color : "#0a6c58";
  const ink = /^#[0-9a-f]{6}$/.test(look.textColor) ? look.textColor : "#ffffff";
  const side = look.side === "START" ? "inset-inline-start" : "inset-inline-end";
  const dark = "--ground:#16181b;--ink:#f2f3f4;--quiet:#b4bac1;--line:#7d858e;--soft:#2a2e33;--alarm:#ffb4ab;";
  const css = [
    ":host{all:initial;position:fixed;inset-block-end:0;" + side + ":0;z-index:2147483000;",
    "font:16px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;",
    "--brand:" + color + ";--on-brand:" + ink + ";",
    "--ground:#ffffff;--ink:#1b1d1f;--quiet:#565d64;--line:#80878f;--soft:#eef0f2;--alarm:#a4161a;color-scheme:light}",
    look.scheme === "DARK" ? ":host{" + dark + "color-scheme:dark}" : "",
    look.scheme === "AUTO" ? "@media (prefers-color-scheme:dark){:host{" + dark + "color-scheme:dark}}" : "",
    "*{box-sizing:border-box}[hidden]{display:none!important}",
    "button,input,textarea,select{font:inherit;color:inherit}",
    "button{cursor:pointer;min-height:44px;min-width:44px;border:1px solid transparent;border-radius:12px;background:none;padding:8px 14px}",
    "button:disabled{opacity:.55;cursor:default}",
    ":focus-visible{outline:3px solid var(--ink);outline-offset:2px;box-shadow:0 0 0 2px var(--ground)}",
    ".launcher{position:absolute;inset-block-end:20px;" + side + ":20px;width:60px;height:60px;border-radius:50%;padding:0;",
    "background:var(--brand);color:var(--on-brand);border:2px solid var(--ground);box-shadow:0 4px 16px rgba(0,0,0,.3)}",
    ".launcher svg{width:28px;height:28px;display:block;margin:auto;fill:currentColor}",
    ".badge{position:absolute;inset-block-start:-4px;inset-inline-end:-4px;min-width:24px;height:24px;border-radius:12px;padding:0 6px;",
    "background:#a4161a;color:#fff;font-size:13px;line-height:24px;font-weight:600;text-align:center}",
    ".panel{position:absolute;inset-block-end:92px;" + side + ":20px;width:min(384px,calc(100vw - 40px));height:min(620px,calc(100vh - 120px));",
    "display:flex;flex-direction:column;background:var(--ground);color:var(--ink);border:1px solid var(--line);border-radius:16px;",
    "overflow:hidden;box-shadow:0 12px 40px rgba(0,0,0,.3)}",
    "@media (max-width:480px){.panel{position:fixed;inset:0;width:100%;height:100%;border:0;border-radius:0}}",
    ".head{display:flex;align-items:center;gap:8px;padding:10px 12px 10px 16px;background:var(--brand);color:var(--on-brand)}",
    ".head h2{flex:1;margin:0;font-size:17px;font-weight:600;overflow-wrap:anywhere}",
    ".head :focus-visible{outline-color:var(--on-brand);box-shadow:none}",
    ".status{padding:8px 16px;background:var(--soft);font-size:14px;overflow-wrap:anywhere}.status:empty{display:none}",
    ".log{flex:1;overflow-y:auto;padding:12px 16px;display:flex;flex-direction:column;gap:10px;overscroll-behavior:contain}",
    ".log ol{list-style:none;margin:0;padding:0;display:flex;flex-direction:column;gap:10px}",
    ".message{max-width:85%;align-self:flex-start;display:flex;flex-direction:column;gap:4px}",
    ".message.own{align-self:flex-end;align-items:flex-end}",
    ".bubble{padding:9px 13px;border-radius:14px;background:var(--soft);white-space:pre-wrap;overflow-wrap:anywhere}",
    ".own .bubble{background:var(--brand);color:var(--on-brand)}",
    ".quote{margin:0;padding-inline-start:10px;border-inline-start:3px solid var(--line);font-size:14px;color:var(--quiet);",
    "display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden;overflow-wrap:anywhere}",
    ".meta{font-size:13px;color:var(--quiet)}.alarm{color:var(--alarm)}",
    ".choices{display:flex;flex-direction:column;gap:6px;border:0;margin:0;padding:0;min-width:0}.choices legend{padding:0}",
    ".choices button,.plain{border-color:var(--line);background:var(--ground);color:var(--ink);text-align:start;overflow-wrap:anywhere}",
    ".choices button:hover:not(:disabled),.plain:hover{background:var(--soft)}",
    ".choices small{display:block;color:var(--quiet);font-size:13px}",
    // Room around the cards, because a scrolling box cuts off focus outlines.
    ".cards{display:flex;gap:8px;overflow-x:auto;padding:6px;margin:-6px;scroll-padding:6px}.message:has(.cards){max-width:100%}",
    ".card{flex:0 0 200px;display:flex;flex-direction:column;gap:8px;border:1px solid var(--line);border-radius:12px;padding:8px}",
    ".card .choices{margin-block-start:auto}",
    "img,video{max-width:100%;max-height:240px;border-radius:10px;display:block}audio{max-width:100%}",
    "a{color:inherit;display:inline-block;min-height:24px;overflow-wrap:anywhere}",
    ".compose{display:flex;gap:6px;align-items:flex-end;padding:10px;border-block-start:1px solid var(--line)}",
    "textarea,input:not([type=checkbox]),select{background:var(--ground);color:var(--ink);border:1px solid var(--line);border-radius:12px;padding:9px 12px;width:100%;min-height:44px}",
    "textarea{flex:1;resize:none;max-height:130px}::placeholder{color:var(--quiet);opacity:1}",
    ".primary{background:var(--brand);color:var(--on-brand);font-weight:600}",
    ".icon{padding:0;flex:none}.icon svg{width:22px;height:22px;display:block;margin:auto;fill:currentColor}",
    ".form{display:flex;flex-direction:column;gap:12px;padding:16px;overflow-y:auto;flex:1}.form h3{margin:0;font-size:16px}",
    ".field{display:flex;flex-direction:column;gap:4px}.tick{flex-direction:row;align-items:center;gap:10px}.tick input{width:24px;height:24px;flex:none}",
    ".typing{min-height:0;font-size:14px;color:var(--quiet);padding:0 16px 6px}.typing:empty{display:none}",
    ".unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}",
    "@media (prefers-reduced-motion:no-preference){.panel{animation:rise .18s ease-out}@keyframes rise{from{transform:translateY(12px);opacity:.4}}}",
    "@media (forced-colors:active){button,.bubble{border:1px solid}}",
  ].join("");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}
