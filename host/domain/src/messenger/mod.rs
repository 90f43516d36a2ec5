//! The rules of Messenger (PROVIDERS B): when a page may write, and the content of one message.

mod content;
mod window;

pub use content::{
    FILE_MAX, MOST_QUICK_REPLIES, PAYLOAD_MAX, Splitting, TEXT_MAX, TITLE_MAX, in_messages, place_text, quick_replies,
    title,
};
pub use window::{HUMAN_WINDOW, OUTSIDE_WINDOW, WINDOW, WindowPermission, permission, window_end};
