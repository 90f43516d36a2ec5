// The parts of messages of WhatsApp that the page shows. Businesses write any JSON, so every part may be absent.

/** The files of a part, by their kind. */
export interface Files {
  image?: File;
  video?: File;
  audio?: File;
  document?: File;
  sticker?: File;
}

/** A request to the Graph API, or of a Lite device. */
export interface GraphBody extends Files {
  type?: string;
  context?: { message_id?: string };
  interactive?: Interactive;
  template?: { components?: Component[] };
  location?: Location;
  contacts?: Contact[];
  reaction?: Reaction;
  /** Of a device: the address of a file, and the quoted message or the one with the reaction. */
  url?: string;
  quoted?: string;
  reactedTo?: string;
}

/** A message of a phone, in the form of a callback. */
export interface LetterBody extends Files {
  context?: { id?: string; forwarded?: boolean };
  text?: { body?: string };
  button?: { text?: string };
  interactive?: { button_reply?: Reply; list_reply?: Reply };
  location?: Location;
  contacts?: Contact[];
  order?: { text?: string; product_items?: { quantity?: number; product_retailer_id?: string }[] };
  reaction?: Reaction;
}

export interface File {
  id?: string;
  link?: string;
  url?: string;
  filename?: string;
  caption?: string;
  voice?: boolean;
}

export interface Location {
  latitude: number | string;
  longitude: number | string;
  name?: string;
  address?: string;
}

export interface Contact {
  name?: { formatted_name?: string; first_name?: string };
  phones?: { phone?: string }[];
}

export interface Reaction {
  message_id?: string;
  emoji?: string;
}

export interface Reply {
  title?: string;
  description?: string;
}

/** The header of an interactive message, or a parameter of that of a template. */
export interface Header extends Files {
  type?: string;
  text?: string;
}

export interface Interactive {
  type?: string;
  header?: Header;
  body?: { text?: string };
  footer?: { text?: string };
  action?: { button?: string; sections?: { title?: string; rows?: unknown[] }[] };
}

/** A part of a template, or of a card of its carousel. */
export interface Component {
  type?: string;
  parameters?: Header[];
  cards?: { card_index?: number; components?: Component[] }[];
}
