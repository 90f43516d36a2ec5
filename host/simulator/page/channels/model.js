// A message in the form in which each phone shows it. Every channel makes these from its own view.

/**
 * @typedef {{id: string, title: string, description?: string, local: false, tap: () => Promise<unknown>}} TapChoice
 * @typedef {{id: string, title: string, description?: string, local: true, href: string|null, note?: string}} LocalChoice stays on the phone
 * @typedef {TapChoice|LocalChoice} Choice
 * @typedef {{kind: "photo"|"video"|"voice"|"audio"|"document"|"sticker", url: string|null, name?: string}} Media
 * @typedef {{text: string, title?: string, media?: Media|null, choices: Choice[]}} Card
 * @typedef {{latitude: number, longitude: number, name?: string, address?: string}} Place
 *
 * @typedef {object} Message
 * @property {string} id
 * @property {boolean} own
 * @property {number} time milliseconds
 * @property {string} [header]
 * @property {string} [text]
 * @property {string} [footer]
 * @property {Media|null} [media]
 * @property {Place|null} [place]
 * @property {{name: string, phone?: string}[]} [people]
 * @property {Choice[]} [choices] buttons below the message
 * @property {{button: string, sections: {title?: string, choices: Choice[]}[]}|null} [list]
 * @property {Card[]} [cards]
 * @property {{id: string, title: string, tap: () => Promise<unknown>}[]} [chips] quick replies, which vanish with the next message
 * @property {string|null} [quote] id of the quoted message
 * @property {string} [quoted] text of the quoted message, if the message names it
 * @property {{own?: string|null, theirs?: string|null}} [reactions]
 * @property {"sent"|"delivered"|"read"|"waiting"|null} [state]
 * @property {boolean} [unread]
 * @property {boolean} [big] emoji of a die and the like
 * @property {string[]} [notes]
 * @property {boolean} [canEdit]
 */

const WORDS = {
  photo: "Photo", video: "Video", voice: "Voice note", audio: "Audio", document: "Document", sticker: "Sticker",
};

/** One line for quotes and labels. @param {Message} message */
export function summary(message) {
  const text = message.text || message.header || message.cards?.[0]?.title || message.cards?.[0]?.text;
  if (text) return text.length > 90 ? `${text.slice(0, 90)}…` : text;
  if (message.media) return message.media.name || WORDS[message.media.kind];
  if (message.place) return message.place.name || "Place";
  if (message.people?.length) return message.people[0].name;
  return "Message";
}

/** In the order of their times; equal times keep their order. @param {Message[]} messages */
export function inOrder(messages) {
  return messages.slice().sort((a, b) => a.time - b.time);
}
