//! Live chat: what customers write goes into their chat ([`receive`]), and whoever has the chat answers. What waits for a
//! chatbot is worked off participant by participant ([`work`]): a router decides who answers ([`routing`]), a chatbot has
//! its turn ([`bot_turn`]). What these share is in `conversation`; what is said to the customer goes through [`say`].

pub mod bot_turn;
pub mod by_itself;
mod conversation;
pub mod desk;
pub mod long_lived;
pub mod raise;
pub mod receive;
pub mod routing;
pub mod say;
pub mod visitor_typing;
mod work;

pub use work::work;
