//! Live chat: stores messages of customers in their chats ([`receive`]), and routes each chat to an agent or a plugin.
//!
//! The lane of a participant works off the events for plugins ([`work`]): a router decides who answers ([`routing`]),
//! and a chatbot has its turn ([`bot_turn`]). Shared code is in `conversation`. Messages to the customer go through
//! [`send_to_customer`].
//!
//! # Incoming messages
//!
//! `docs/ARCHITECTURE.md` 5.2 has the sequence. If more than four customers of an inbox write at once, several share a
//! transaction. It locks customers in the order of their messages. If it would wait long for a lock, each message is
//! taken alone. `answers` finds the message that a tap or a quote refers to. If it is not known and a call to the customer
//! has no outcome yet, the message is too early. `receive/taps.rs` closes the conversation that a tapped button ends.
//!
//! - An edit or a deletion (`receive/change.rs`) changes a message of the same author and keeps the old text. If the
//!   message is not known yet, the change is tried again every 5 s for 10 minutes.
//! - A message that the business sent with another app is added to the chat (`receive/import.rs`), unless its provider
//!   id is that of one of our messages. On a Lite number it waits while a call to the same customer is not settled.
//! - The origin of a customer who has not written yet waits in `waiting_referral` (`receive/referral.rs`).
//!
//! # A bot turn
//!
//! 1. [`work`] takes the next event of the participant: one at a time, in order. `ROUTE` goes to a router. Each other
//!    event is a turn (`bot_turn::turn`).
//! 2. `turn_context::load` reads the data of the turn. Then no transaction is open. `question::of` makes the types of `wit/`.
//! 3. `PluginHost::chatbot` calls the component in a fresh instance. Key-value reads are remembered with their versions
//!    (`plugins::calls::key_values::ValueSnapshot`), and writes are buffered. Files of the
//!    chat are read in parts, and written ones are buffered too. The random numbers (`CallSubject`) and the
//!    clock follow from the event, the same at each repetition.
//! 4. `attachments` gives the written files that replies name their addresses. `actions::effects` turns actions into effects.
//! 5. `attachments::store` stores these files, each with a note of its chat until a message names it. `effects::apply` is one
//!    transaction. It checks the lease and stops if
//!    `control_version` has changed. It writes key-values, or runs the turn again if a value that it read has changed (at
//!    most ten times). It queues each reply (`send_to_customer::send_to_customer`), writes state, timers, tags, hand-over
//!    or close, records events and removes the event. Then the lanes are woken.
//! 6. A failed turn is repeated after 1, 5 and 25 s, and the chat waits. Then the chat goes to the unassigned queue
//!    with the reason (`failure.rs`). It goes there at once if a repetition is useless (`calls::trace::is_final`): the
//!    chatbot says so, its answer cannot be carried out, or its file was deleted. If a canary fails, the live version
//!    answers at once. A host without room and a database outage (`storage::Error::is_outage`) are not failures: the
//!    lane is kept, and the chatbot is asked each second. Nor is a failure of the store of files: the lane is given back,
//!    so that other chats have their turns, and the turn begins again (ADR 0075).
//!
//! # A request that a chatbot starts
//!
//! 1. `http.start` gives the id of the job in the call. `effects::apply` stores the request sealed with the other effects
//!    ([`started_requests`]), in the queue `plugin_request`, where each request is a lane.
//! 2. [`started_requests::work`] sends it outside of transactions, until its deadline. After a kill the next owner of the
//!    lane sends it again with the same idempotency key.
//! 3. One transaction removes the row and appends the end to the events of the chat, behind all earlier ones. If the chat
//!    has changed hands (`control_version`), the end is dropped.
//!
//! # A template that a chatbot sends later
//!
//! `effects::apply` stores it with the other effects, in the queue `scheduled_template`, where each template is a lane.
//! When it is due, [`scheduled_templates::work`] makes a send request of it, with the id of the row as its idempotency key,
//! and then removes the row. So it is sent once, and by the rules of that moment. A refusal is an event of the plugin.
//!
//! # A router
//!
//! 1. If a router is active, `receive::chat::queue_bot_event` adds an event `ROUTE` before all others of a conversation.
//! 2. `routing::decide` calls the router under the lease of the participant without a transaction. `routing::apply` is
//!    one transaction: the named chatbot (`participant.bot_plugin`) gets the waiting events, or the chat goes to a
//!    team, an agent or the queue. It records `ChatChangedHands`.
//! 3. A canary answers first for its share. If it fails or decides something impossible, the live router decides.
//! 4. If a router fails, the chatbot of the client answers, or the chat goes to the queue. A `routing_decision` records
//!    the reason.

pub mod automation;
pub mod bot_turn;
mod conversation;
pub mod custom_events;
pub mod desk;
pub mod long_lived_conversations;
mod participant_queue;
pub mod receive;
pub mod routing;
pub mod scheduled_templates;
pub mod send_to_customer;
pub mod started_requests;
pub mod visitor_typing;

pub use participant_queue::work;
