// The interface of a channel to the phone that shows it.

/**
 * @typedef {{kind: "switch"|"number"|"text"|"choice"|"heading"|"action", label: string, hint?: string, value?: any,
 *   options?: {id: string, label: string}[], set?: (value: any) => unknown}} Setting
 *
 * @typedef {object} Channel
 * @property {string} id
 * @property {string} title
 * @property {string[]} kinds kinds of messages that a person can send, apart from text
 * @property {boolean} reacts
 * @property {boolean} quotes
 * @property {string[]} hints first words to the bot
 * @property {string} [empty] text of a chat without messages
 * @property {() => {id: string, label: string}} person
 * @property {() => {peers: {id: string, title: string, line: string}[], peer: any, typing: boolean,
 *   messages: import("./model.js").Message[], barred: string|null, notice?: string|null}|null} state null before the first view
 * @property {(id: string) => void} choosePeer
 * @property {(what: any, peer: any) => Promise<unknown>} send
 * @property {(message: any, emoji: string|null, peer: any) => Promise<unknown>} [react]
 * @property {(message: any, text: string, peer: any) => Promise<unknown>} [edit]
 * @property {() => Promise<unknown>} [read]
 * @property {(message: any) => Promise<unknown>} [play]
 * @property {() => Promise<unknown>} [deliver]
 * @property {() => Setting[]|null} settings
 */
export {};
