// The form before the chat.
function formOf(asked, text, submit) {
  const inputs = {};
  const fields = asked.fields.map(function (field, at) {
    const id = "field" + at;
    const attributes = { id: id, name: field.key, required: field.required };
    let input;
    if (field.type === "CHOICE") {
      const options = [element("option", { value: "", text: text("choose") })];
      for (const option of field.options || []) options.push(element("option", { value: option, text: option }));
      input = element("select", attributes, options);
    } else {
      const types = { EMAIL: "email", PHONE: "tel", CONSENT: "checkbox" };
      const fills = { name: "name", email: "email", phone: "tel" };
      input = element("input", Object.assign(attributes, {
        type: types[field.type] || "text", autocomplete: fills[field.key], maxlength: field.type === "CONSENT" ? null : 500,
      }));
    }
    inputs[field.key] = input;
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
      const answers = {};
      for (const key of Object.keys(inputs)) {
        const input = inputs[key];
        const answer = input.type === "checkbox" ? (input.checked ? "yes" : "") : input.value.trim();
        if (answer) answers[key] = answer;
      }
      trouble.textContent = "";
      button.disabled = true;
      submit(answers);
    },
  }, [element("h3", { text: text("formTitle") })].concat(fields, [
    trouble, button,
  ]));
  return {
    root: form,
    sent: function () { return button.disabled; },
    trouble: function (said) { trouble.textContent = said; button.disabled = false; },
  };
}
