// The recipients that the server would reject now, such as those of the blocklist or beyond the tier of the number.
import { api } from "#app/api.js";

/**
 * The reasons by recipient. The requests are those of one send: the tier counts the recipients of the earlier ones.
 * @param {Array<{body: object}>} requests
 * @returns {Promise<Map<string, string>>}
 */
export async function rejections(requests) {
  /** @type {Map<string, string>} */
  const found = new Map();
  let countedBefore = 0;
  for (const { body } of requests) {
    const answer = await api.post("/whatsapp-api-service/v2/messages/check", { channel: "WHATSAPP", payload: body }, { query: { countedBefore } });
    for (const one of answer.rejectedRecipients) found.set(one.number, one.reason);
    countedBefore += answer.countedRecipients;
  }
  return found;
}
