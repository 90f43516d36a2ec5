/** The content of a message as elements. @param {Content} content @param {Wording} text @param {Choose} choose @returns {(Node | null)[]} */
function contentOf(content, text, choose) {
  switch (content.kind) {
    case "file": return fileOf(content, text);
    case "place": return [placeOf(content, text)];
    case "buttons": return worded(content).concat([choices(content.choices, content.text, choose, false)]);
    case "rating": return [choices(content.choices, content.text || text("rate"), choose, true)];
    case "list": return worded(content).concat(content.sections.map(function (section) {
      return choices(section.choices, section.title || content.button, choose, Boolean(section.title));
    }));
    case "cards": return cardsOf(content, text, choose);
    // A newer server may have other kinds.
    case "text": default: return [bubble(content.text)];
  }
}

/** The words of a message for screen readers. @param {Content} content @param {Wording} text @returns {string} */
function spoken(content, text) {
  switch (content.kind) {
    case "file": return content.caption || text("download", { name: content.name || content.media });
    case "place": return nameOf(content, text);
    case "cards": return content.text || content.cards.map(function (card) { return card.text; }).filter(Boolean).join(", ");
    default: return content.text || "";
  }
}

/** @param {PlaceContent} place @param {Wording} text */
function nameOf(place, text) {
  return [place.name, place.address].filter(Boolean).join(", ") || text("location");
}

/** @param {PlaceContent} place @param {Wording} text */
function placeOf(place, text) {
  const map = "https://www.openstreetmap.org/?mlat=" + place.latitude + "&mlon=" + place.longitude;
  return linked(map, nameOf(place, text) + " (" + place.latitude + "," + place.longitude + ")");
}

/** @param {Extract<Content, {kind: "cards"}>} content @param {Wording} text @param {Choose} choose */
function cardsOf(content, text, choose) {
  const cards = content.cards.map(function (card) {
    const offered = card.choices.length ? choices(card.choices, card.text, choose, false) : null;
    return element("div", { class: "card" }, [picture(card.image, ""), card.text ? element("div", { dir: "auto", text: card.text }) : null, offered]);
  });
  /** @type {(Node | null)[]} */
  const shown = [picture(content.image, ""), content.text ? bubble(content.text) : null];
  if (cards.length) {
    shown.push(element("div", {
      class: "cards", role: "group", tabindex: "0", "aria-label": content.text || text("messages"), onfocusin: wholeCard,
    }, cards));
  }
  if (content.choices.length) shown.push(choices(content.choices, content.text, choose, false));
  return shown;
}

/** Shows the whole card that gets the focus: browsers do not scroll to a card that is half visible. @param {FocusEvent} event */
function wholeCard(event) {
  const card = event.target instanceof Element ? event.target.closest(".card") : null;
  if (card) card.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** @param {string | null} said */
function bubble(said) {
  return element("div", { class: "bubble", dir: "auto", text: said || "" });
}

/** The quote above a message. @param {ChatMessage["quotes"]} quotes */
function quoted(quotes) {
  if (!quotes || !quotes.text) return null;
  return element("blockquote", { class: "quote", dir: "auto", text: quotes.text });
}

/** @param {Worded} content @returns {Node[]} */
function worded(content) {
  const words = [content.header, content.text, content.footer].filter(Boolean).join("\n");
  return words ? [bubble(words)] : [];
}

/** Choices: a named group of buttons. @param {Choice[]} offered @param {string | null} label @param {Choose} choose @param {boolean} shown */
function choices(offered, label, choose, shown) {
  const buttons = offered.map(function (choice) {
    const description = choice.description ? element("small", { text: choice.description }) : null;
    const made = element("button", { type: "button", onclick: function () { choose(choice, made); } }, [
      element("span", { text: choice.title }), description,
    ]);
    return made;
  });
  return element("fieldset", { class: "choices" }, [element("legend", { class: shown ? "" : "unseen", text: label || "" }), ...buttons]);
}

/** @param {string | null} address @param {string} name */
function picture(address, name) {
  const safe = safeAddress(address);
  return safe ? element("img", { src: safe, alt: name, loading: "lazy", referrerpolicy: "no-referrer" }) : null;
}

/** @param {string | null} address @param {string} said */
function linked(address, said) {
  const safe = safeAddress(address);
  if (!safe) return bubble(said);
  return element("div", { class: "bubble" }, [
    element("a", { href: safe, target: "_blank", rel: "noopener noreferrer nofollow", text: said }),
  ]);
}

/** @param {FileContent} content @param {Wording} text */
function fileOf(content, text) {
  const safe = safeAddress(content.url);
  const name = content.name || content.media;
  /** @type {Node[]} */
  const shown = [];
  if (safe && content.media === "image") {
    shown.push(element("a", { href: safe, target: "_blank", rel: "noopener noreferrer nofollow" }, [
      picture(safe, content.caption || text("download", { name: name })),
    ]));
  } else if (safe && content.media === "video") {
    shown.push(element("video", { src: safe, controls: true, preload: "metadata", "aria-label": name }));
  } else if (safe && content.media === "audio") {
    shown.push(element("audio", { src: safe, controls: true, preload: "metadata", "aria-label": name }));
  } else {
    shown.push(linked(safe, text("download", { name: name })));
  }
  if (content.caption) shown.push(bubble(content.caption));
  return shown;
}
