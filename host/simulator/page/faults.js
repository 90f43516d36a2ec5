// The faults of `POST /simulator/faults`, in groups, with words for people. A test compares them with the simulator.

/**
 * @typedef {import("./types/views.js").Faults} Faults
 * @typedef {{key: keyof Faults, label: string, hint?: string}} Fault
 * @typedef {Fault & {kind: "switch"|"number"}} PlainFault
 * @typedef {Fault & {kind: "choice", options: {id: string, label: string}[]}} ChoiceFault
 */

const STATES = ["DELIVRD", "UNDELIV", "EXPIRED", "REJECTD", "DELETED", "UNKNOWN", "NONE"];
/** @param {string[]} ids @param {string} usual */
const choice = (ids, usual) => [{ id: "", label: usual }, ...ids.map((id) => ({ id, label: id }))];

/** @type {{title: string, faults: (PlainFault|ChoiceFault)[]}[]} */
export const GROUPS = [
  {
    title: "Callbacks to Patchbay",
    faults: [
      { key: "duplicateCallbacks", kind: "switch", label: "Each callback comes twice" },
      { key: "reorderCallbacks", kind: "switch", label: "Callbacks come out of order" },
      { key: "batchCallbacks", kind: "switch", label: "Several events in one callback" },
      { key: "delayMillis", kind: "number", label: "Delay of callbacks, ms" },
      { key: "skipDelivered", kind: "switch", label: "No “delivered” status", hint: "From sent to read." },
      { key: "statusBeforeAnswer", kind: "switch", label: "Status before the answer" },
      { key: "mediaUrls", kind: "switch", label: "Files come with addresses" },
      { key: "messengerWithoutMids", kind: "switch", label: "Messenger reports no message ids" },
    ],
  },
  {
    title: "Sends of Patchbay",
    faults: [
      { key: "holdAnswersMillis", kind: "number", label: "Delay of answers, ms" },
      { key: "enforceWindow", kind: "switch", label: "24-hour window is enforced", hint: "Free text outside it fails with 131047." },
      { key: "enforceLimits", kind: "choice", label: "Rate limits", options: [
        { id: "", label: "per number" }, { id: "true", label: "per number and pair" }, { id: "false", label: "none" }] },
      { key: "newTemplateStatus", kind: "choice", label: "Status of new templates", options: choice(["PENDING", "REJECTED", "PAUSED", "DISABLED"], "APPROVED") },
    ],
  },
  {
    title: "SMS centre",
    faults: [
      { key: "smscThrottle", kind: "number", label: "Throttle the next submits" },
      { key: "smscQueueFull", kind: "number", label: "Queue full for the next submits" },
      { key: "smscNonsense", kind: "number", label: "Nonsense for the next submits" },
      { key: "smscRate", kind: "number", label: "Submits per second at most" },
      { key: "smscSilent", kind: "switch", label: "Submits are not answered" },
      { key: "smscReceiptBeforeResponse", kind: "switch", label: "Receipt before the response" },
      { key: "smscReceiptDelayMillis", kind: "number", label: "Delay of receipts, ms" },
      { key: "smscReceiptState", kind: "choice", label: "State in receipts", options: choice(STATES, "as usual") },
      { key: "smscHexIds", kind: "switch", label: "Ids in hex, in receipts decimal" },
    ],
  },
];

/** Faults that the simulator does not know how to leave out: their value without the fault. */
/** @type {(keyof Faults)[]} */
const ZERO = ["delayMillis", "holdAnswersMillis", "smscThrottle", "smscQueueFull", "smscNonsense"];

/** The value for the simulator. @param {keyof Faults} key @param {boolean|number|string|null} given */
export function valueOf(key, given) {
  if (key === "enforceLimits") return given === "" ? null : given === "true";
  if (given === "" || given === null) return ZERO.includes(key) ? 0 : null;
  return given;
}

/** The value for a field. @param {keyof Faults} key @param {Faults[keyof Faults]} value */
export function shownValue(key, value) {
  if (key === "enforceLimits") return value === null || value === undefined ? "" : String(value);
  return value === 0 ? null : value;
}

/** Names of the faults that are on. @param {Faults|undefined} faults */
export function activeFaults(faults) {
  return Object.entries(faults || {}).filter(([, value]) => value !== false && value !== 0 && value !== null).map(([key]) => key);
}
