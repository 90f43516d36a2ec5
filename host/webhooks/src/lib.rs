//! Webhooks (SPEC 2.12, 4.7, 6): their configuration and their delivery. The crate `events` records the events.
//!
//! - [`configure`]: the addresses of a client. Each configuration has an endpoint per webhook type and one signing
//!   secret.
//! - [`deliver`]: the lane of an endpoint shapes due events into bytes, stores, signs and sends them, and repeats
//!   failed attempts. `shaper_event` makes the types of `wit/`.
//! - [`history`]: attempts, their results, and sending again.
//!
//! # A delivery
//!
//! 1. `events::record` gives the events to the reader of webhooks in the transaction of their cause
//!    (`readers::webhooks::take`). It takes the configuration of the inbox, else the default of the client, the
//!    endpoint of the webhook type, and the rules for chatbot events. It stores one `webhook_delivery` for each, with
//!    the event as JSON.
//! 2. `deliver::work` does three things at the same time for one endpoint: it prepares the next page (`page::prepare`),
//!    makes requests (`attempt::attempt`), and writes outcomes (`settle::settle`).
//! 3. `PageShaper::shape_all` calls the active shaper of the client, or else `webhook-v1` or `webhook-v2` for chatbot
//!    events and `webhook-standard` for other events. If the client's shaper fails or writes no JSON, the built-in
//!    shaper makes the body of that event. `store_bodies` commits the bytes before the first request.
//! 4. `send_queue.rs` keeps the order: first attempts of one conversation go out one after the other. A retry does not
//!    wait and holds back no other delivery.
//! 5. Each attempt signs the stored bytes with the current secret, and for 24 hours also with the replaced one. The
//!    guarded client checks resolved addresses, follows no redirects, and limits times and sizes. If a kept connection
//!    was closed, it makes one second try at once on a new one.
//! 6. A 2xx is a delivery. Other answers are repeated by `webhooks.retry_schedule` with jitter. 410, or five days
//!    without a success, turns the endpoint off until its address is saved again; a partner event reports it
//!    (`deliver/disable.rs`). Events of a disabled endpoint are stored as given up. A delivery that was given up can be sent
//!    again (`history/resend.rs`): its schedule starts again, its attempt numbers continue.

pub mod configure;
pub mod deliver;
pub mod history;
pub mod shaper_event;
