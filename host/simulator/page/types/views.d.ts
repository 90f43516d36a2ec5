// The events of `GET /simulator/live`, by their names (`host/simulator/src/live_views.rs`), for `tsc --checkJs`.
import type { GraphBody, LetterBody } from "./whatsapp.js";
import type { PageBody } from "./messenger.js";
import type { BotMessage } from "./telegram.js";

export interface Views {
  world: WorldView;
  whatsapp: PhoneView;
  sms: PhoneView;
  messenger: MessengerView;
  telegram: TelegramView;
}

export interface WorldView {
  faults: Faults;
  numbers: { number: string; verifiedName: string; phoneNumberId: string }[];
  /** Numbers of Lite devices. */
  devices: string[];
  pages: { pageId: string; name: string; echoes: boolean }[];
  bots: Bot[];
  sites: { siteKey: string; name: string; script: string }[];
  phones: SimulatedPhone[];
  people: PageVisitor[];
  hasClock: boolean;
  /** Newest first. */
  requests: LoggedRequest[];
  callbacks: CallbackAttempt[];
}

/** `/simulator/faults`. */
export interface Faults {
  duplicateCallbacks: boolean;
  reorderCallbacks: boolean;
  batchCallbacks: boolean;
  delayMillis: number;
  skipDelivered: boolean;
  holdAnswersMillis: number;
  statusBeforeAnswer: boolean;
  mediaUrls: boolean;
  messengerWithoutMids: boolean;
  enforceWindow: boolean;
  enforceLimits: boolean | null;
  newTemplateStatus: string | null;
  smscThrottle: number;
  smscQueueFull: number;
  smscRate: number | null;
  smscSilent: boolean;
  smscNonsense: number;
  smscReceiptDelayMillis: number | null;
  smscReceiptBeforeResponse: boolean;
  smscReceiptState: string | null;
  smscHexIds: boolean;
}

export interface LoggedRequest {
  time: string;
  path: string;
  kind: string;
  status: number;
  code: number | null;
}

export interface CallbackAttempt {
  time: string;
  /** One label per event of the body. */
  events: string[];
  /** Null without an answer. */
  status: number | null;
}

/** `/phones/{msisdn}`. */
export interface SimulatedPhone {
  msisdn: string;
  onWhatsApp: boolean;
  name: string;
  hidePhone: boolean;
  autoRead: boolean;
  autoDeliver: boolean;
  failWith: number | null;
  rejectWith: Rejection | null;
  timeout: boolean;
  smsState: string | null;
  typing: boolean;
}

export interface Rejection {
  status: number;
  code: number;
  times?: number;
}

export interface PhoneView {
  phone: SimulatedPhone;
  inbox: PhoneRecord[];
  outbox: PhoneLetter[];
}

type PhoneChannel = "WHATSAPP" | "SMS";
type MessageState = "accepted" | "sent" | "delivered" | "read" | "played" | "failed";

/** A message that a phone has received. */
export interface PhoneRecord {
  id: string;
  channel: PhoneChannel;
  from: string;
  type: string;
  text: string;
  buttons?: PhoneButton[];
  /** The request of the sender. Null if it is no JSON, such as that of an SMS. */
  body: GraphBody | null;
  /** Texts of the cards of a carousel. */
  cards?: string[];
  receivedTime: string;
  status: MessageState;
  parts?: number;
}

export interface PhoneButton {
  kind: "quick_reply" | "reply" | "row" | "local";
  index: number;
  title: string;
  id: string;
  description?: string;
  card?: number;
}

/** A message that a phone has written. */
export interface PhoneLetter {
  id: string;
  channel: PhoneChannel;
  to: string;
  type: string;
  body: LetterBody;
  sentTime: string;
  readByBusiness: boolean;
}

export interface MessengerView {
  person: PageVisitor;
  messages: ThreadEntry[];
}

/** `/messenger/phones/{psid}`. */
export interface PageVisitor {
  psid: string;
  firstName: string;
  lastName: string;
  named: boolean;
  available: boolean;
  autoDeliver: boolean;
  autoRead: boolean;
  rejectWith: Rejection | null;
  timeout: boolean;
  typing: boolean;
  seen: boolean;
}

export interface ThreadEntry {
  id: string;
  pageId: string;
  /** True: the person wrote it. */
  mine: boolean;
  text: string;
  buttons?: { title: string; payload: string }[];
  body: PageBody;
  time: string;
  status: MessageState;
  reaction?: string;
  pageReaction?: string;
}

export interface TelegramView {
  person: { id: number; firstName: string; lastName: string | null; username: string | null };
  /** The bot of the chat. Null if there is none. */
  bot: number | null;
  chat: BotChat;
}

export interface BotChat {
  messages: BotMessage[];
  typing: boolean;
  /** Absent before the first message. */
  blocked?: boolean;
  /** By the number of their message. */
  reactions: Record<string, { emoji?: string }[]>;
  ownReactions: Record<string, string>;
}

/** `/simulator/telegram/{bot}`. */
export interface Bot {
  id: number;
  username: string;
  revoked: boolean;
  silent: boolean;
  enforceLimits: boolean;
}
