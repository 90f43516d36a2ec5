//! The lanes that wait, and why.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, InboxId},
    status_report::{LaneStatus, LaneWork, ReportTime, WaitReport},
};
use storage::{
    PgConnection, Queue,
    work::{
        depths::{self, WaitingLane},
        wait_reasons::{self, SenderName},
    },
};

/// The facts of other sources about lanes.
pub(super) struct LaneKnowledge<'a> {
    pub(super) now: DateTime<Utc>,
    pub(super) waits: HashMap<(ClientId, InboxId), &'a WaitReport>,
    /// A process with background work reports.
    pub(super) is_worked_on: bool,
}

fn time(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

struct Reason {
    text: String,
    until: Option<DateTime<Utc>>,
}

impl Reason {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), until: None }
    }
}

/// Returns the lanes of a queue with the earliest rows. Later rows of some queues are timers, which are not waited for.
pub(super) async fn read(
    db: &mut PgConnection,
    queue: Queue,
    known: &LaneKnowledge<'_>,
) -> storage::Result<Vec<LaneStatus>> {
    let has_timers = matches!(queue, Queue::Participant | Queue::Chat | Queue::LiteSession | Queue::Account);
    let lanes = depths::first_lanes(db, queue, known.now, !has_timers).await?;
    let senders: Vec<_> = lanes.iter().map(|lane| (lane.client_id, InboxId(lane.lane_id))).collect();
    let names = wait_reasons::sender_names(db, &senders).await?;
    let mut statuses = Vec::with_capacity(lanes.len());
    for lane in lanes {
        let sender = names.iter().find(|name| name.client_id == lane.client_id && name.inbox_id.0 == lane.lane_id);
        let Reason { text, until } = match disabled(queue, &lane, sender) {
            Some(text) => Reason::new(text),
            None => reason(db, queue, &lane, known).await?,
        };
        statuses.push(LaneStatus {
            address: sender.and_then(|sender| sender.address.clone()),
            lane: lane.lane_id.to_string(),
            waiting: lane.waiting,
            due: lane.due,
            oldest_due_seconds: (lane.due > 0).then(|| (known.now - lane.first_due_at).num_seconds()),
            state: if lane.is_leased { LaneWork::Working } else { LaneWork::Waiting },
            reason: text,
            until: until.map(ReportTime),
            client_ref: lane.client_ref,
        });
    }
    Ok(statuses)
}

fn disabled(queue: Queue, lane: &WaitingLane, sender: Option<&SenderName>) -> Option<&'static str> {
    if lane.is_client_disabled && queue.waits_while_disabled() {
        return Some("the client is disabled");
    }
    let is_disabled = queue == Queue::Outbound && sender.is_some_and(|sender| sender.is_disabled);
    is_disabled.then_some("the inbox is disabled")
}

async fn reason(
    db: &mut PgConnection,
    queue: Queue,
    lane: &WaitingLane,
    known: &LaneKnowledge<'_>,
) -> storage::Result<Reason> {
    let inbox = InboxId(lane.lane_id);
    let by_queue = match queue {
        Queue::Outbound => match known.waits.get(&(lane.client_id, inbox)) {
            Some(wait) => Some(Reason { text: wait.reason.clone(), until: wait.until.map(|until| until.0) }),
            None => of_messages(db, lane, known.now).await?,
        },
        Queue::Webhook => of_webhook(db, lane).await?,
        _ => None,
    };
    let next = (lane.due == 0).then_some(lane.first_due_at);
    Ok(match by_queue {
        Some(reason) => Reason { until: reason.until.or(next), ..reason },
        None if lane.due == 0 => Reason { until: next, ..Reason::new("the time of its first row has not come") },
        None if lane.is_leased => Reason::new("a process works on it"),
        None if !known.is_worked_on => Reason::new("no process with background work runs"),
        None => Reason::new("no process has taken it yet"),
    })
}

async fn of_messages(db: &mut PgConnection, lane: &WaitingLane, now: DateTime<Utc>) -> storage::Result<Option<Reason>> {
    let inbox = InboxId(lane.lane_id);
    if let Some((status, until)) = wait_reasons::lite_gate(db, lane.client_id, inbox, now).await? {
        let text = format!("the Lite number is disconnected or outside its hours; its status is `{status}`");
        return Ok(Some(Reason { text, until: Some(until) }));
    }
    if let Some((code, until)) = wait_reasons::refused_account(db, lane.client_id, inbox, now).await? {
        let text =
            format!("the provider refused the token or the account, code {code}; one message is tried each minute");
        return Ok(Some(Reason { text, until: Some(until) }));
    }
    let call = wait_reasons::last_failed_call(db, lane.client_id, inbox).await?;
    Ok(call.map(|call| {
        let code = call.error_code.map(|code| format!(", code {code}")).unwrap_or_default();
        Reason::new(format!("the last call ended with {}{code} at {}", call.outcome, time(call.called_at)))
    }))
}

async fn of_webhook(db: &mut PgConnection, lane: &WaitingLane) -> storage::Result<Option<Reason>> {
    let attempt = wait_reasons::last_attempt(db, lane.client_id, lane.lane_id).await?;
    let failed = attempt.filter(|attempt| attempt.status_code.is_none_or(|status| !(200..300).contains(&status)));
    Ok(failed.map(|attempt| {
        let answer = attempt.status_code.map_or_else(|| "no answer".to_owned(), |status| format!("answer {status}"));
        Reason::new(format!("{answer} to the attempt at {}", time(attempt.attempted_at)))
    }))
}
