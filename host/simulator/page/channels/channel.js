// The interface of a channel to the phone that shows it.

/**
 * @typedef {import("./model.js").Message} Message
 * @typedef {import("./model.js").Media["kind"]} FileKind
 *
 * @typedef {{label: string, hint?: string}} Named
 * @typedef {{id: string, label: string}[]} Options
 * @typedef {Named & {kind: "heading"}} Heading
 * @typedef {Named & {kind: "action", set: () => unknown}} ActionSetting
 * @typedef {Named & {kind: "switch", value: boolean, set: (on: boolean) => unknown}} SwitchSetting
 * @typedef {Named & {kind: "number", value: number|null|undefined, set: (given: number|null) => unknown}} NumberSetting
 * @typedef {Named & {kind: "text", value: string, options?: Options, set: (given: string) => unknown}} TextSetting
 * @typedef {Named & {kind: "choice", value: string, options: Options, set: (given: string) => unknown}} ChoiceSetting
 * @typedef {Heading|ActionSetting|SwitchSetting|NumberSetting|TextSetting|ChoiceSetting} Setting
 *
 * @typedef {{kind: FileKind, base64?: string, mimeType?: string, filename?: string}} FileDraft without bytes: a sample of the simulator
 * @typedef {{kind: "text", text: string}|{kind: "place", place: import("./model.js").Place}|{kind: "contact", contact: {name: string, phone: string}}
 *   |{kind: "order"|"dice"|"link"|"menu"|"unsupported"}|FileDraft} Draft a message that a person sends
 * @typedef {Exclude<Draft["kind"], "text"|"audio">} MenuKind
 * @typedef {{message: Message, editing?: boolean}} Reply the message that the next one answers, or that is edited
 * @typedef {(deed: () => unknown) => Promise<boolean>} Act runs a deed of the person and shows its failure; true if it succeeded
 *
 * @typedef {{id: string, title: string, line: string}} Peer
 * @typedef {{peers: Peer[], peer: Peer|null, typing: boolean, messages: Message[], barred: string|null, notice?: string|null}} ChannelState
 *
 * @typedef {object} Channel
 * @property {string} id
 * @property {string} title
 * @property {MenuKind[]} kinds kinds of messages that a person can send, apart from text
 * @property {boolean} reacts
 * @property {boolean} quotes
 * @property {string[]} hints first words to the bot
 * @property {string} [empty] text of a chat without messages
 * @property {() => {id: string, label: string}} person
 * @property {() => ChannelState|null} state null before the first view
 * @property {(id: string) => void} choosePeer
 * @property {(what: Draft & {quote?: string}, peer: Peer|null) => Promise<unknown>} send
 * @property {(message: Message, emoji: string|null, peer: Peer|null) => Promise<unknown>} [react]
 * @property {(message: Message, text: string, peer: Peer|null) => Promise<unknown>} [edit]
 * @property {() => Promise<unknown>} [read]
 * @property {(message: Message) => Promise<unknown>} [play]
 * @property {() => Promise<unknown>} [deliver]
 * @property {() => Setting[]|null} settings null before the first view
 */
export {};
