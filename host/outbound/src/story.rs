//! The story of one message: request, calls, steps, decisions and webhooks (CONTRACT 7), by the time when Patchbay
//! learned of each.

use base::Result;
use chrono::{DateTime, Utc};
use domain::{
    clock::minted_at,
    ids::{BatchId, ClientId, MessageId, RequestId},
    sms_route::SmsRoute,
};
use storage::{
    Db, PgConnection,
    outbound::stories::{self, StoryAttempt, StoryDecision, StoryMessage, StoryReceipt, StoryWebhook},
};
use uuid::Uuid;

pub use storage::outbound::stories::{StoryCall, StoryLeg, StoryPart};

#[derive(Debug)]
pub struct Story {
    pub message: StoryMessage,
    /// The state of its last leg. While a fallback decision is open, the last state that was reported.
    pub status: String,
    pub channel: String,
    pub due_at: Option<DateTime<Utc>>,
    pub timeline: Vec<StoryEntry>,
}

#[derive(Debug)]
pub struct StoryEntry {
    pub time: DateTime<Utc>,
    pub what: StoryEvent,
}

#[derive(Debug)]
pub enum StoryEvent {
    Request {
        /// The HTTP request. Absent for replies of live chats.
        request: Option<RequestId>,
        batch: Option<BatchId>,
    },
    Taken {
        leg: Box<StoryLeg>,
        parts: Vec<StoryPart>,
    },
    NotTaken {
        call: StoryCall,
        leg: Option<Box<StoryLeg>>,
    },
    Receipt(StoryReceipt),
    Decision(StoryDecision),
    Routed {
        leg: i16,
        route: SmsRoute,
    },
    Webhook {
        webhook: StoryWebhook,
        state: String,
    },
    Attempt(StoryAttempt),
}

pub async fn read_story(db: &Db, client: ClientId, gst_id: &str) -> Result<Option<Story>> {
    let mut db = db.acquire().await?;
    let Some(id) = stories::find(&mut db, client, gst_id).await? else { return Ok(None) };
    let Some(message) = stories::message(&mut db, client, id).await? else { return Ok(None) };
    let legs = stories::legs(&mut db, client, id).await?;
    let receipts = stories::receipts(&mut db, client, id).await?;
    let decision = stories::decision(&mut db, client, id).await?;
    let last = legs.last();
    let status = status(last, &receipts, decision.as_ref());
    let channel = last.map_or_else(|| message.channel.clone(), |leg| leg.channel.clone());
    let due_at = last.and_then(|leg| leg.due_at);
    let timeline = timeline(&mut db, client, id, &message, Course { legs, receipts, decision }).await?;
    Ok(Some(Story { message, status, channel, due_at, timeline }))
}

struct Course {
    legs: Vec<StoryLeg>,
    receipts: Vec<StoryReceipt>,
    decision: Option<StoryDecision>,
}

/// `FAILED` only if no leg is left (DESIGN 6).
fn status(last: Option<&StoryLeg>, receipts: &[StoryReceipt], decision: Option<&StoryDecision>) -> String {
    const BEGINNING: &str = "QUEUED";
    let undecided = decision.is_some_and(|decision| decision.state == "PENDING");
    let state = match last {
        Some(leg) if leg.state == "FAILED" && undecided => {
            receipts.iter().rev().map(|step| step.state.as_str()).find(|state| *state != "FAILED")
        }
        Some(leg) => Some(leg.state.as_str()),
        None => None,
    };
    state.unwrap_or(BEGINNING).to_owned()
}

async fn timeline(
    db: &mut PgConnection,
    client: ClientId,
    id: MessageId,
    message: &StoryMessage,
    Course { legs, receipts, decision }: Course,
) -> Result<Vec<StoryEntry>> {
    let ids: Vec<Uuid> = receipts.iter().map(|receipt| receipt.id).collect();
    let webhooks = stories::webhooks(db, client, &ids).await?;
    let delivered: Vec<Uuid> = webhooks.iter().map(|webhook| webhook.id).collect();
    let attempts = stories::attempts(db, client, &delivered).await?;
    let parts = stories::parts(db, client, id).await?;
    let request =
        StoryEvent::Request { request: message.request_id.map(RequestId), batch: message.batch_id.map(BatchId) };
    let mut entries = vec![StoryEntry { time: minted_at(id.0), what: request }];
    for call in stories::failed_calls(db, client, id).await? {
        let leg = legs.iter().find(|leg| leg.ordinal == call.ordinal).cloned().map(Box::new);
        entries.push(StoryEntry { time: call.called_at, what: StoryEvent::NotTaken { call, leg } });
    }
    if let Some(decision) = decision {
        let time = decision.decided_at.unwrap_or(decision.failed_at);
        entries.push(StoryEntry { time, what: StoryEvent::Decision(decision) });
    }
    for (leg, route) in stories::routes(db, client, id).await? {
        entries.push(StoryEntry { time: route.at, what: StoryEvent::Routed { leg, route } });
    }
    for webhook in webhooks {
        let told = receipts.iter().find(|receipt| receipt.id == webhook.id);
        let state = told.map(|receipt| receipt.state.clone()).unwrap_or_default();
        entries.push(StoryEntry { time: minted_at(webhook.id), what: StoryEvent::Webhook { webhook, state } });
    }
    entries.extend(steps(receipts, legs, parts));
    let tried = |attempt: StoryAttempt| StoryEntry { time: attempt.attempted_at, what: StoryEvent::Attempt(attempt) };
    entries.extend(attempts.into_iter().map(tried));
    entries.sort_by_key(|entry| (entry.time, rank(&entry.what)));
    Ok(entries)
}

fn steps(receipts: Vec<StoryReceipt>, legs: Vec<StoryLeg>, parts: Vec<StoryPart>) -> Vec<StoryEntry> {
    let mut entries = Vec::with_capacity(receipts.len() + legs.len());
    let mut legs = legs.into_iter();
    let mut leg = legs.next();
    for receipt in receipts {
        let (time, failed) = (minted_at(receipt.id), receipt.state == "FAILED");
        if receipt.state == "ACCEPTED"
            && let Some(leg) = leg.take()
        {
            let parts = parts.iter().filter(|part| part.ordinal == leg.ordinal).cloned().collect();
            entries.push(StoryEntry { time, what: StoryEvent::Taken { leg: Box::new(leg), parts } });
        }
        entries.push(StoryEntry { time, what: StoryEvent::Receipt(receipt) });
        if failed {
            leg = legs.next();
        }
    }
    entries
}

fn rank(what: &StoryEvent) -> u8 {
    match what {
        StoryEvent::Request { .. } => 0,
        StoryEvent::Routed { .. } => 1,
        StoryEvent::Taken { .. } | StoryEvent::NotTaken { .. } => 2,
        StoryEvent::Receipt(_) => 3,
        StoryEvent::Decision(_) => 4,
        StoryEvent::Webhook { .. } => 5,
        StoryEvent::Attempt(_) => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt(at: u128, state: &str) -> StoryReceipt {
        StoryReceipt {
            id: Uuid::from_u128(at << 80),
            channel: "WHATSAPP".to_owned(),
            state: state.to_owned(),
            happened_at: DateTime::UNIX_EPOCH,
            error_code: None,
            error_text: None,
        }
    }

    fn leg(ordinal: i16) -> StoryLeg {
        StoryLeg {
            ordinal,
            channel: "WHATSAPP".to_owned(),
            address_value: "27820000001".to_owned(),
            state: "ACCEPTED".to_owned(),
            provider_id: Some(format!("wamid.{ordinal}")),
            ambiguous: false,
            attempts: None,
            due_at: None,
        }
    }

    fn told(entries: &[StoryEntry]) -> Vec<String> {
        let name = |entry: &StoryEntry| match &entry.what {
            StoryEvent::Taken { leg, .. } => format!("taken {}", leg.ordinal),
            StoryEvent::Receipt(receipt) => receipt.state.clone(),
            other => format!("{other:?}"),
        };
        entries.iter().map(name).collect()
    }

    fn decision(state: &str) -> StoryDecision {
        StoryDecision {
            state: state.to_owned(),
            failed_at: DateTime::UNIX_EPOCH,
            decided_at: None,
            plugin: None,
            version: None,
            sha256: None,
            reason: None,
        }
    }

    #[test]
    fn a_message_has_failed_only_where_no_leg_is_left() {
        let failed = StoryLeg { state: "FAILED".to_owned(), ..leg(0) };
        let receipts = [receipt(1, "ACCEPTED"), receipt(2, "FAILED")];
        let told = |receipts: &[StoryReceipt], decided: Option<&str>| {
            status(Some(&failed), receipts, decided.map(decision).as_ref())
        };
        assert_eq!(told(&receipts, Some("PENDING")), "ACCEPTED");
        assert_eq!(told(&receipts[1..], Some("PENDING")), "QUEUED", "the provider never took it");
        assert_eq!(told(&receipts, Some("SKIPPED")), "FAILED");
        assert_eq!(told(&receipts, None), "FAILED");
        assert_eq!(status(Some(&leg(1)), &receipts, Some(&decision("SENT"))), "ACCEPTED", "of the SMS");
    }

    #[test]
    fn each_leg_begins_after_the_failure_of_the_previous_one() {
        let receipts = vec![receipt(1, "ACCEPTED"), receipt(2, "FAILED"), receipt(3, "ACCEPTED"), receipt(4, "SENT")];
        let entries = steps(receipts, vec![leg(0), leg(1)], Vec::new());
        assert_eq!(told(&entries), ["taken 0", "ACCEPTED", "FAILED", "taken 1", "ACCEPTED", "SENT"]);
    }

    #[test]
    fn a_leg_that_was_never_taken_has_no_call_that_took_it() {
        let receipts = vec![receipt(1, "FAILED"), receipt(2, "ACCEPTED")];
        assert_eq!(told(&steps(receipts, vec![leg(0), leg(1)], Vec::new())), ["FAILED", "taken 1", "ACCEPTED"]);
    }
}
