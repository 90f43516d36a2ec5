// The send under way. Its requests go out one after the other, also while the viewer looks at other pages.
import { signal } from "@preact/signals";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { leavingPage } from "#app/session.js";
import { report } from "#ui/toast.js";

/** @typedef {{number: string, reason: string}} Rejected */
/** Each request has a key of its own, so a repeated one sends nothing twice. @typedef {{key: string, size: number, body: object}} SendRequest */
/** `at`: the number of requests that are stored. @typedef {{title: string, requests: SendRequest[], at: number, batches: string[], rejected: Rejected[], error: unknown}} SendJob */

/** @type {import("@preact/signals").Signal<SendJob | null>} */
export const job = signal(null);
let watched = false;

/** Whether all is stored. @param {SendJob} one */
export function isOver(one) {
  return one.at === one.requests.length;
}

/** The messages of the first requests. @param {SendJob} one @param {number} [count] */
export function sizeOf({ requests }, count = requests.length) {
  return requests.slice(0, count).reduce((sum, request) => sum + request.size, 0);
}

/** @param {string} title @param {SendRequest[]} requests */
export function startJob(title, requests) {
  job.value = { title, requests, at: 0, batches: [], rejected: [], error: null };
  addEventListener("beforeunload", ask);
  void run();
}

/** Goes on after a fault. */
export function continueJob() {
  const now = job.peek();
  if (!now?.error) return;
  job.value = { ...now, error: null };
  void run();
}

/** Forgets the send. Requests that are not stored are not made. */
export function endJob() {
  job.value = null;
  removeEventListener("beforeunload", ask);
}

/** Notes that the viewer looks at the send. A result that was seen is forgotten, if no recipient was rejected. @returns {() => void} ends that */
export function watchJob() {
  watched = true;
  return () => {
    watched = false;
    const now = job.peek();
    if (now && isOver(now) && !now.rejected.length) endJob();
  };
}

/** @param {Event} event */
function ask(event) {
  event.preventDefault();
}

// Without a session the send cannot go on: a question would leave the viewer on a page that does nothing.
leavingPage.addEventListener("end", () => removeEventListener("beforeunload", ask));

async function run() {
  const mine = job.peek()?.requests;
  for (let now = job.peek(); now && now.requests === mine && !isOver(now); now = job.peek()) {
    const request = now.requests[now.at];
    try {
      const answer = await api.post("/whatsapp-api-service/v2/channels/whatsapp", request.body, { headers: { "idempotency-key": request.key } });
      if (job.peek() !== now) return;
      job.value = { ...now, at: now.at + 1, batches: [...now.batches, answer.batchId], rejected: [...now.rejected, ...answer.rejectedRecipients] };
    } catch (error) {
      if (job.peek() === now) job.value = { ...now, error };
      return;
    }
  }
  removeEventListener("beforeunload", ask);
  if (watched) return;
  report(t("sends.handedOver"));
  // Rejected recipients stay until the viewer has seen them.
  if (!job.peek()?.rejected.length) job.value = null;
}
