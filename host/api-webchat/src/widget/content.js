// The content of a message as elements.
function contentOf(content, text, choose) {
  const kinds = {
    text: function () { return [bubble(content.text)]; },
    file: function () { return fileOf(content, text); },
    place: function () {
      const at = content.latitude + "," + content.longitude;
      const name = [content.name, content.address].filter(Boolean).join(", ") || text("location");
      return [linked("https://www.openstreetmap.org/?mlat=" + content.latitude + "&mlon=" + content.longitude, name + " (" + at + ")")];
    },
    buttons: function () { return worded(content).concat([choices(content.choices, content.text, choose)]); },
    rating: function () {
      return [choices(content.choices, content.text || text("rate"), choose, true)];
    },
    list: function () {
      const sections = (content.sections || []).map(function (section) {
        return choices(section.choices, section.title || content.button, choose, Boolean(section.title));
      });
      return worded(content).concat(sections);
    },
    cards: function () {
      const cards = (content.cards || []).map(function (card) {
        const offered = (card.choices || []).length ? choices(card.choices, card.text, choose) : null;
        return element("div", { class: "card" }, [picture(card.image, ""), card.text ? element("div", { dir: "auto", text: card.text }) : null, offered]);
      });
      const shown = [picture(content.image, ""), content.text ? bubble(content.text) : null];
      if (cards.length) {
        const named = { class: "cards", role: "group", tabindex: "0", "aria-label": content.text || text("messages") };
        shown.push(element("div", Object.assign(named, { onfocusin: wholeCard }), cards));
      }
      if ((content.choices || []).length) shown.push(choices(content.choices, content.text, choose));
      return shown;
    },
  };
  return (kinds[content.kind] || kinds.text)().filter(Boolean);
}

// Shows the whole card that gets the focus: browsers do not scroll to a card that is half visible.
function wholeCard(event) {
  const card = event.target.closest(".card");
  if (card) card.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function bubble(said) {
  return element("div", { class: "bubble", dir: "auto", text: said || "" });
}

// The quote above a message.
function quoted(quotes) {
  if (!quotes || !quotes.text) return null;
  return element("blockquote", { class: "quote", dir: "auto", text: quotes.text });
}

function worded(content) {
  const words = [content.header, content.text, content.footer].filter(Boolean).join("\n");
  return words ? [bubble(words)] : [];
}

// Choices: a named group of buttons.
function choices(offered, label, choose, shown) {
  const buttons = (offered || []).map(function (choice) {
    const description = choice.description ? element("small", { text: choice.description }) : null;
    const made = element("button", { type: "button", onclick: function () { choose(choice, made); } }, [
      element("span", { text: choice.title }), description,
    ]);
    return made;
  });
  const name = element("legend", { class: shown ? "" : "unseen", text: label || "" });
  return element("fieldset", { class: "choices" }, [name].concat(buttons));
}

function picture(address, name) {
  const safe = safeAddress(address);
  return safe ? element("img", { src: safe, alt: name, loading: "lazy", referrerpolicy: "no-referrer" }) : null;
}

function linked(address, said) {
  const safe = safeAddress(address);
  if (!safe) return bubble(said);
  return element("div", { class: "bubble" }, [
    element("a", { href: safe, target: "_blank", rel: "noopener noreferrer nofollow", text: said }),
  ]);
}

function fileOf(content, text) {
  const safe = safeAddress(content.url);
  const name = content.name || content.media;
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
