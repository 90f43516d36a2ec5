//! Rows of live events. `tests/it/live_events.rs` tests that events stay within their client.

use super::{OWN, Row, Who, plain, row};

const DESK: Who = Who::Roles(&["ADMIN", "SUPERVISOR", "AGENT", "API"]);

pub const ROWS: &[Row] = &[
    // Neither a socket nor a stream: only the permission of the caller is checked.
    row("GET", "/chat-service/api/v2/events", DESK, |_| plain("/chat-service/api/v2/events"), OWN),
    row("POST", "/chat-service/api/v2/events/ticket", DESK, |_| plain("/chat-service/api/v2/events/ticket"), OWN),
];
