// The types of the widget for `tsc --checkJs`: the bodies and frames of `docs/web-chat.md`, and the objects that its files share.

/** The values of the design, which `tokens.rs` puts before the files. */
declare const TOKENS: { light: string; dark: string };

interface Window {
  /** The calls of the page. */
  Patchbay?: { site: string; open(): void; close(): void; identify(who: Identity | null): void };
}

interface Identity {
  userId: string;
  hash: string;
}

/** The answer of `POST /web-chat/sessions`. */
interface Session {
  token: string;
  visitor: string;
  expiresTime: string;
  site: { name: string; look: Look; texts: Record<string, string>; form?: SiteForm | null };
  chat: ChatState | null;
  formDue: boolean;
  maxFileBytes: number;
}

/** A message of the console to the preview: the parts of a session that are shown, and the messages of its frames. */
interface Previewed {
  site: Session["site"];
  chat: ChatState | null;
  formDue: boolean;
  messages: ChatMessage[];
  open: boolean;
}

interface Look {
  color: string;
  textColor: string;
  side: "START" | "END";
  scheme: "AUTO" | "LIGHT" | "DARK";
  direction: "AUTO" | "LTR" | "RTL";
  language: string;
}

interface SiteForm {
  fields: FormField[];
}

interface FormField {
  key: string;
  label: string;
  type: "TEXT" | "EMAIL" | "PHONE" | "CHOICE" | "CONSENT";
  required: boolean;
  options?: string[];
}

/** Answers by the key of their field. */
type Answers = Record<string, string>;

interface ChatState {
  /** The name of the numbering of the messages. */
  chat: string;
  newest: number;
  state: "bot" | "queued" | "active" | "closed";
  agent: string | null;
  afterHours: boolean;
  seen: boolean;
}

interface ChatMessage {
  id: string;
  sequence: number;
  from: "visitor" | "bot" | "agent";
  author?: string;
  /** The key of the visitor's own post. */
  key?: string;
  quotes?: { id: string; text: string | null };
  time: string;
  content: Content;
}

interface Choice {
  id: string;
  title: string;
  description?: string | null;
}

interface Card {
  text: string | null;
  image: string | null;
  choices: Choice[];
}

interface FileContent {
  kind: "file";
  media: "image" | "video" | "audio" | "document";
  url: string | null;
  name: string | null;
  caption: string | null;
}

interface PlaceContent {
  kind: "place";
  latitude: number;
  longitude: number;
  name: string | null;
  address: string | null;
}

interface Worded {
  header: string | null;
  text: string;
  footer: string | null;
}

type Content =
  | { kind: "text"; text: string }
  | FileContent
  | PlaceContent
  | (Worded & { kind: "buttons" | "rating"; choices: Choice[] })
  | (Worded & { kind: "list"; button: string; sections: { title: string | null; choices: Choice[] }[] })
  | { kind: "cards"; text: string | null; image: string | null; cards: Card[]; choices: Choice[] };

/** A message of the visitor on its way. */
type Post =
  | { type: "text"; text: string }
  | { type: "tap"; message: string; choice: string }
  | { type: "file"; file: string }
  | { type: "form"; answers: Answers };
type KeyedPost = Post & { key: string };

/** A frame to the server. */
type WidgetFrame =
  | KeyedPost
  | { type: "hello"; token: string; chat?: string; after: number }
  | { type: "history"; before: number }
  | { type: "typing" }
  | { type: "progress"; delivered: number; read: number };

interface RefusedFrame {
  type: "refused";
  key: string | null;
  status: number;
  message: string;
  details: { field: string; message: string }[] | null;
  /** Seconds. */
  retryAfter: number | null;
}

/** A frame of the server. */
type ServerFrame =
  | { type: "ready"; resumed: boolean; chat: ChatState | null }
  | { type: "messages" | "history"; items: ChatMessage[]; more: boolean }
  | { type: "state"; chat: ChatState }
  | { type: "taken"; key: string; id: string; sequence: number }
  | { type: "typing" | "pong" }
  | RefusedFrame;

type TextKey = keyof typeof TEXTS;
type Wording = (key: TextKey, values?: Record<string, string | number>) => string;

/** A post in the outbox: its frame, the words that the visitor sees, and the reason of a refusal. */
interface OutboxItem {
  frame: KeyedPost;
  shown: string;
  failed: string | null;
}

/** The data that outlives the page. */
interface Kept {
  token: string | null;
  /** Number of the last message that the visitor read. */
  seen: number;
  outbox: OutboxItem[];
}
type Store = ReturnType<typeof store>;
type Outbox = ReturnType<typeof outbox>;

interface Connection {
  start(): Promise<void>;
  identify(who: Identity | null): void;
  /** False if the frame cannot be sent now. */
  say(frame: WidgetFrame): boolean;
  upload(file: File): Promise<{ file: string; mimeType: string; bytes: number; url: string }>;
}

/** The listener of a connection. */
interface Hears {
  session(began: Session): void;
  /** The last message that the widget has, and its numbering. */
  position(): { chat?: string; after: number };
  open(): void;
  lost(): void;
  refused(): void;
  frame(frame: ServerFrame): void;
}

type Choose = (choice: Choice, button: HTMLButtonElement) => void;

/** The acts of the visitor. */
interface Acts {
  close(): void;
  text(words: string): void;
  file(file: File): void;
  retry(key: string): void;
  earlier(): void;
  types(): void;
  choose(message: ChatMessage, choice: Choice, button: HTMLButtonElement): void;
}

/** Attributes of an element, its text and its listeners. False, null and undefined set nothing. */
type Properties = {
  [attribute in
    | "id" | "type" | "class" | "text" | "role" | "dir" | "src" | "href" | "alt" | "loading" | "referrerpolicy" | "target" | "rel" | "preload"
    | "for" | "name" | "value" | "autocomplete" | "placeholder" | "enterkeyhint" | "accept" | "datetime" | "tabindex" | `aria-${string}`]?:
    string | null;
} & {
  hidden?: boolean;
  required?: boolean;
  controls?: boolean;
  rows?: number;
  maxlength?: number | null;
  onclick?: (event: MouseEvent) => void;
  onfocusin?: (event: FocusEvent) => void;
  onsubmit?: (event: SubmitEvent) => void;
};
