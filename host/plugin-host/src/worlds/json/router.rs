//! World `router`.

use super::forms::{record, variant};
use crate::router::{Inbound, Route, Target, WallTime};

record!(WallTime { utc_offset_minutes, weekday, hour, minute });
record!(Inbound {
    id,
    participant_id,
    client_ref,
    business_number,
    customer,
    channel,
    message,
    reopened,
    previous_template,
    default_bot,
    last_agent,
    last_team,
    tags,
    now_ms,
    local_time,
    metadata,
});
record!(Route { target, reason, note });
variant!(Target {
    alone { "queue" => Queue }
    value { "bot" => Bot as "name", "team" => Team as "name", "agent" => Agent as "id" }
    json { "custom" => Custom as "payload" }
});
