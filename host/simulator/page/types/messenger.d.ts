// The parts of messages of Messenger that the page shows. Pages write any JSON, so every part may be absent.

export interface PageBody {
  text?: string;
  reply_to?: { mid?: string };
  /** Of a person. */
  attachments?: Attachment[];
  /** Of a page. */
  attachment?: Attachment;
}

export interface Attachment {
  type?: string;
  title?: string;
  url?: string;
  payload?: Payload | null;
}

export interface Payload {
  url?: string;
  text?: string;
  sticker_id?: number;
  coordinates?: { lat?: number; long?: number };
  elements?: { title?: string; subtitle?: string; image_url?: string; buttons?: PageButton[] }[];
  buttons?: PageButton[];
}

export interface PageButton {
  type?: string;
  title: string;
  url?: string;
  payload?: string;
}
