//! SMS: the JSON gateway (SPEC 4.8), the batch gateway and e-mail to SMS (SPEC 4.9), replies of subscribers, routers,
//! receipts of the SMSC and credits. Messages go out through `outbound` like those of all other channels. ADR 0056 has
//! the seams.
//!
//! # Accepting
//!
//! Each gateway checks its own wire format and makes an `SmsOrder`. `accept` checks, charges, stores and schedules the
//! orders of one client in one transaction. The gateways join orders that arrive together (`gateways.rs`). A mail has a
//! transaction of its own, because it ends when its sender no longer waits.
//!
//! # Sending
//!
//! [`SmsHook`] gives the dispatcher the rules of SMS:
//!
//! 1. Before a mark, `dispatch::mark` asks about the legs that go out next. `routing` asks the client's router and then
//!    the operator's, in one call per list. The decision is written with the mark (`outbound_leg.sms_route`, ADR 0036).
//! 2. In the transaction of the mark, recipients that stopped are left out, decisions are applied, and recipients of
//!    scheduled messages answer them from now on.
//! 3. `SmppCarrier` splits a leg into parts and reports each accepted part. `parts::remember` stores them before the
//!    outcome of their leg, or with it, so that a repetition submits only the rest.
//! 4. `receipts.rs` stores receipts in groups before it acknowledges them (ADR 0042), parks early ones, and joins the
//!    parts: delivered when all parts are, failed when one is.
//! 5. [`SmsAccounting`] reads the steps of SMS as events: states, callbacks and refunds of the products, and the credits
//!    of all other SMS. [`SandboxAnswers`] reads deliveries in sandboxes, whose test numbers answer.

mod accept;
mod accounting;
pub mod batch;
pub mod callbacks;
mod deduplication;
mod dispatch;
pub mod email;
mod gateways;
mod incoming_sms;
pub mod json;
mod notify;
mod order;
mod parts;
mod receipts;
mod replies;
mod retry;
mod routing;
mod sandbox_answers;
mod schedule;
pub mod stops;

pub use accounting::SmsAccounting;
pub use dispatch::SmsHook;
pub use gateways::Gateways;
pub use replies::SmscEvents;
pub use sandbox_answers::SandboxAnswers;
