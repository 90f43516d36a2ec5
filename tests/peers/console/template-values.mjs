// The values of a template in a send: those of its header, its body, its buttons and its cards, each in its component.
import { deepStrictEqual } from "node:assert";
import { join } from "node:path";

const top = new URL("../../../console/", import.meta.url).pathname;
const { componentsOf, filled, isSendable, placeholders } = await import(join(top, "inbox/templates.js"));
const { check, guess, requests } = await import(join(top, "sends/plan.js"));

const template = {
  id: "1", name: "visit", language: "en", status: "APPROVED", category: "UTILITY", parameterFormat: "POSITIONAL",
  components: [
    { type: "HEADER", format: "TEXT", text: "Visit on {{1}}", example: { header_text: ["Monday"] } },
    { type: "BODY", text: "Hi {{1}}, we come at {{2}}.", example: { body_text: [["Thandi", "10:00"]] } },
    { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Fine" }, { type: "URL", text: "Move", url: "https://shop.example/{{1}}" }] },
  ],
};
const asked = placeholders(template);
deepStrictEqual(asked.map((one) => [one.part, one.label, one.example]), [["header", "1", "Monday"], ["body", "1", "Thandi"], ["body", "2", "10:00"], ["button", "Move", ""]]);

// The header and the body have a place 1 each.
const values = { "header-1": "Friday", "body-1": "Sipho", "body-2": "noon", "button-1": "a7" };
deepStrictEqual(filled("Visit on {{1}}", values, "header"), "Visit on Friday");
deepStrictEqual(filled("Hi {{1}}, we come at {{2}}. {{3}}", values), "Hi Sipho, we come at noon. {{3}}");
const components = [{ type: "header", parameters: ["Friday"] }, { type: "body", parameters: ["Sipho", "noon"] }, { type: "button", parameters: ["a7"] }];
deepStrictEqual(componentsOf(template, values, ""), components);

// A file in the header takes an address.
const withFile = { ...template, components: [{ type: "HEADER", format: "IMAGE" }, template.components[1]] };
deepStrictEqual(componentsOf(withFile, values, "https://shop.example/a.png"), [{ type: "header", format: "IMAGE", url: "https://shop.example/a.png" }, components[1]]);

// Each card of a carousel has a file and values of its own.
const card = { components: [{ type: "HEADER", format: "IMAGE" }, { type: "BODY", text: "Our {{1}} range" }] };
const carousel = { ...template, components: [{ type: "BODY", text: "Look:" }, { type: "CAROUSEL", cards: [card, card] }] };
deepStrictEqual(isSendable(carousel), true);
deepStrictEqual(placeholders(carousel).map((one) => [one.key, one.card]), [["card-0-file", 1], ["card-0-body-1", 1], ["card-1-file", 2], ["card-1-body-1", 2]]);
const cards = ["blue", "red"].map((colour) => ({ components: [{ type: "header", format: "IMAGE", url: `https://shop.example/${colour}.png` }, { type: "body", parameters: [colour] }] }));
const given = { "card-0-file": "https://shop.example/blue.png", "card-0-body-1": "blue", "card-1-file": "https://shop.example/red.png", "card-1-body-1": "red" };
deepStrictEqual(componentsOf(carousel, given, ""), [{ type: "carousel", cards }]);
deepStrictEqual(isSendable({ ...template, components: [{ type: "HEADER", format: "LOCATION" }] }), false);

// A row of a file whose columns are in the order of the values.
const row = ["27820000001", "Friday", "Sipho", "noon", "a7"];
const mapping = guess(template, ["phone", "day", "name", "time", "code"], row);
const [planned] = check(template, [row], mapping, 2, new Map());
deepStrictEqual(planned.faults, []);
const [request] = requests(template, [planned], { sender: "27110000001", fileUrl: "", fallback: false });
deepStrictEqual(request.body.messages, [{ recipients: [{ to: "27820000001" }], components }]);

// A value that is missing is a fault of the row, with its place: the header, the body, a button or a card.
const [bare] = check(template, [["27820000001", "", "Sipho", "noon", "a7"]], mapping, 2, new Map());
deepStrictEqual(bare.faults, [{ kind: "value", of: asked[0] }]);
const [half] = check(carousel, [["27820000001", "https://shop.example/blue.png", "blue", "https://shop.example/red.png", ""]], guess(carousel, [], ["27820000001", "", "", "", ""]), 1, new Map());
deepStrictEqual(half.faults.map(({ kind, of }) => [kind, of.card, of.part, of.label]), [["value", 2, "body", "1"]]);

// The recipient comes before the values, with the reason of the server if there is one.
const [none, once, twice] = check(template, [["12", "", "Sipho", "noon", "a7"], ...Array(2).fill(["27820000001", "Friday", "Sipho", "noon", "a7"])], mapping, 2, new Map([["27820000001", "blocked"]]));
deepStrictEqual([none, once, twice].map((one) => one.faults[0]), [{ kind: "number" }, { kind: "rejected", reason: "blocked" }, { kind: "twice" }]);
