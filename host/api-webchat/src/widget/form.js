/** The form before the chat. @param {SiteForm} asked @param {Wording} text @param {(answers: Answers) => void} submit */
function formOf(asked, text, submit) {
  /** @type {Record<string, string>} */
  const types = { EMAIL: "email", PHONE: "tel", CONSENT: "checkbox" };
  /** @type {Record<string, string>} */
  const fills = { name: "name", email: "email", phone: "tel" };
  /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
  const inputs = new Map();
  const fields = asked.fields.map(function (field, at) {
    const id = "field" + at;
    const attributes = { id: id, name: field.key, required: field.required };
    let input;
    if (field.type === "CHOICE") {
      const options = [element("option", { value: "", text: text("choose") })];
      for (const option of field.options || []) options.push(element("option", { value: option, text: option }));
      input = element("select", attributes, options);
    } else {
      input = element("input", Object.assign(attributes, {
        type: types[field.type] || "text", autocomplete: fills[field.key], maxlength: field.type === "CONSENT" ? null : 500,
      }));
    }
    inputs.set(field.key, input);
    const label = element("label", { for: id, text: field.label + (field.required ? " *" : "") });
    return field.type === "CONSENT"
      ? element("div", { class: "field tick" }, [input, label])
      : element("div", { class: "field" }, [label, input]);
  });
  const trouble = element("p", { class: "alarm", role: "alert" });
  const button = element("button", { type: "submit", class: "primary", text: text("formSubmit") });
  const form = element("form", {
    class: "form",
    "aria-label": text("formTitle"),
    onsubmit: function (event) {
      event.preventDefault();
      // The answers are on their way until the server refuses them.
      if (button.disabled) return;
      /** @type {Answers} */
      const answers = {};
      for (const [key, input] of inputs) {
        const answer = input instanceof HTMLInputElement && input.type === "checkbox" ? (input.checked ? "yes" : "") : input.value.trim();
        if (answer) answers[key] = answer;
      }
      trouble.textContent = "";
      button.disabled = true;
      submit(answers);
    },
  }, [element("h3", { text: text("formTitle") }), ...fields, trouble, button]);
  return {
    root: form,
    focus: function () {
      const first = inputs.values().next().value;
      if (first) first.focus();
    },
    sent: function () { return button.disabled; },
    /** @param {string} said */
    trouble: function (said) { trouble.textContent = said; button.disabled = false; },
  };
}
