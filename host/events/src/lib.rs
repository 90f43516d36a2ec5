//! Events, recorded once, in the transaction of their cause (ADR 0017). A use case records an event and knows no
//! reader.
//!
//! Each reader is one file in `readers`. An event without a reader costs no row and no statement. The events are in
//! `domain::event`.
//!
//! | event | recorded in | webhook |
//! |---|---|---|
//! | `MessageCame` | `chat/receive/event_list.rs` | incoming message, chatbot |
//! | `MessageSaid` | `chat/bot_turn/effects.rs`, `desk/send_message.rs` | chatbot |
//! | `MessageMoved` | `outbound/delivery.rs` | status update, for messages of the send endpoints and templates of chats |
//! | `ChatOpened` | `chat/receive/event_list.rs`, `bot_turn/effects.rs` | none |
//! | `ChatChangedHands`, `ChatClosed` | `chat`: `receive/`, `bot_turn/`, `routing/apply.rs`, `desk/moves.rs`, `automation/`, through `conversation/event_facts.rs` | chatbot, for assignments |
//! | `ChatMissed`, `ChatAfterHours` | `chat/automation/missed_chats.rs`, `arrivals.rs` | none |
//! | `ChatRated` | `chat/receive/event_list.rs` | none |
//! | `CustomerTypes` | `inbound/web_chat/typing.rs` | none |
//! | `NoteWritten`, `ChatViewed` | `chat/desk/notes.rs`, `viewers.rs` | none |
//! | `TemplateChanged`, `CustomerNumberChanged` | `inbound/callbacks/account.rs` | partner event |
//! | `PluginSwapped` | `plugins/administration/activate.rs`, `withdraw.rs` | partner event, if a canary was taken back |
//! | `PluginSuspended` | `plugins/calls/suspensions.rs` | partner event |
//! | `SessionChanged` | `inbound/lite/device_events.rs` | session status |
//! | `WebhookDisabled` | `webhooks/deliver/disable.rs` | partner event, unless it is the disabled address |
//! | `InboxQualityChanged` | `inbound/number_quality.rs`, `callbacks/number_news.rs` | partner event |
//! | `PreferenceChanged` | `inbound/callbacks/preferences.rs` | partner event |
//! | `TicketMoved` | `chat/conversation/ticketing.rs` | none |
//!
//! Readers: `provider_facts.rs` keeps tiers of numbers and marketing stops. `live_events.rs` writes chat events while an agent reads
//! them (ADR 0027; [`live_events`] sends them); use cases write `chat.updated` themselves
//! (`storage::live_events::chat_updates`). `chat_episodes.rs` keeps the times of episodes for figures. `waiting_customers.rs` writes
//! due times of chats (`chat_due`).
//! `webhooks/`: `told_by` maps an event to webhooks, `destination` finds an endpoint, `take` stores one `webhook_delivery`
//! for each. The program registers further readers in `Context` (`base::EventReader`, ADR 0056).

pub mod chat_facts;
pub mod live_events;
mod merged_chats;
mod readers;
mod record;

pub use domain::event::NewEvent;
pub use merged_chats::{of_folded, record_folded};
pub use readers::webhooks::{ChatbotReport, EventContext, ReportKind, WebhookReport, webhook_of_step};
pub use record::{record, record_with_webhook};
