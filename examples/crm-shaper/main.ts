// Writes webhooks as the activities of a CRM: texts and choices of customers, and failed messages. No other events are
// sent.

import type { IncomingMessageEvent, StatusEvent } from 'patchbay:plugin/shaper@0.3.0';
import { config, log } from './patchbay';
import { shaper as make } from './patchbay/shaper';

interface Settings {
  source?: string;
  deliveries?: boolean;
}

export const shaper = make((event) => {
  const { source = 'patchbay', deliveries = true } = config<Settings>();
  switch (event.tag) {
    case 'incoming': return { source, ...received(event.val) };
    case 'status': return deliveries && event.val.status === 'FAILED' ? { source, ...failed(event.val) } : undefined;
    default:
      log.debug(`not sent: ${event.tag}`);
      return undefined;
  }
});

function received(message: IncomingMessageEvent) {
  return {
    activity: message.buttonPayload == null ? 'message' : 'choice',
    at: message.sentTime ?? undefined,
    contact: { phone: phone(message.sender), externalId: message.senderUserId ?? undefined, name: message.profileName ?? undefined },
    subject: words(message),
    details: {
      payload: message.buttonPayload ?? undefined,
      file: message.mediaUrl ?? undefined,
      place: message.latitude == null ? undefined : `${message.latitude},${message.longitude}`,
      campaign: message.templateName ?? undefined,
    },
  };
}

function failed(status: StatusEvent) {
  return {
    activity: 'undelivered',
    contact: { phone: phone(status.receiver), externalId: status.recipientUserId ?? undefined },
    subject: `A message was not delivered: ${status.errorCodeString ?? 'no reason given'}`,
    details: { reference: status.ctId ?? status.gstId, code: status.errorCode ?? undefined },
  };
}

/** The customer's action in one line. */
function words(message: IncomingMessageEvent): string {
  const said = message.text ?? message.buttonText ?? message.caption;
  if (said != null && said !== '') return said.length > 120 ? `${said.slice(0, 119)}…` : said;
  return `Sent: ${message.messageContentType.toLowerCase()}`;
}

/** The CRM requires phone numbers with a plus sign. */
const phone = (number: string | null | undefined) => (number == null ? undefined : `+${number}`);
