// The ready flows of the plugin. Their modules are made from `plugins/flow/flows` by `UPDATE=1 node tests/peers/console/ready-flows.mjs`.

/** @type {string[]} */
export const READY = ["faq", "appointment", "order-status", "lead-form", "survey", "opt-in", "complaint", "delivery-feedback", "newsletter", "opening-hours"];

/** A ready flow, without values for its secrets. @param {string} name @returns {Promise<import("./model.js").Flow>} */
export async function loadReady(name) {
  const { secrets: _, ...flow } = (await import(`./ready/${name}.js`)).default;
  return structuredClone(flow);
}
