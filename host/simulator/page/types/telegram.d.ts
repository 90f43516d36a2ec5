// The messages of the Bot API that the page shows.

export interface BotMessage {
  message_id: number;
  from: { id: number; is_bot: boolean };
  /** Seconds. */
  date: number;
  edit_date?: number;
  text?: string;
  caption?: string;
  /** All sizes, the largest last. */
  photo?: BotFile[];
  video?: BotFile;
  animation?: BotFile;
  video_note?: BotFile;
  audio?: BotFile;
  voice?: BotFile;
  document?: BotFile;
  sticker?: BotFile;
  location?: { latitude: number; longitude: number };
  venue?: { title: string; address: string };
  contact?: { phone_number: string; first_name: string; last_name?: string };
  dice?: { emoji: string; value: number };
  reply_markup?: { inline_keyboard?: BotButton[][] };
  reply_to_message?: BotMessage;
}

export interface BotFile {
  file_id: string;
  file_name?: string;
  title?: string;
}

/** It has `callback_data` or `url`. */
export interface BotButton {
  text: string;
  callback_data?: string;
  url?: string;
}
