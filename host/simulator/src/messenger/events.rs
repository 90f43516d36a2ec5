use std::sync::Arc;

use serde_json::{Value, json};

use super::state::ThreadEntry;
use crate::{
    callbacks::{SimulatedChange, event::MESSENGER_FIELD},
    clock,
    mailbox::MessageState,
    world::SimulatedWorld,
};

/// The app id of Facebook's inbox for pages.
const PAGE_INBOX: u64 = 26_390_203_743_090;
/// The app id of the host.
const OWN_APP: u64 = 1_000_000_000_000_001;

fn event(page_id: &str, psid: &str, value: Value) -> SimulatedChange {
    SimulatedChange {
        queue: format!("{MESSENGER_FIELD}:{psid}"),
        waba_id: page_id.to_owned(),
        field: MESSENGER_FIELD.to_owned(),
        value,
        taken: None,
    }
}

pub(super) fn did(page_id: &str, psid: &str, millis: i64, what: &str, value: Value) -> SimulatedChange {
    let mut body = json!({"sender": {"id": psid}, "recipient": {"id": page_id}, "timestamp": millis});
    if let Some(fields) = body.as_object_mut() {
        fields.insert(what.to_owned(), value);
    }
    event(page_id, psid, body)
}

/// A message of the page. `own`: the host sent it.
pub(super) fn echo(message: &ThreadEntry, own: bool) -> SimulatedChange {
    let mut said = message.body.clone();
    if let Some(fields) = said.as_object_mut() {
        fields.insert("mid".to_owned(), json!(message.id));
        fields.insert("is_echo".to_owned(), json!(true));
        fields.insert("app_id".to_owned(), json!(if own { OWN_APP } else { PAGE_INBOX }));
        if let Some(attachment) = fields.remove("attachment") {
            fields.insert("attachments".to_owned(), json!([attachment]));
        }
        fields.remove("quick_replies");
    }
    let body = json!({
        "sender": {"id": message.page_id},
        "recipient": {"id": message.psid},
        "timestamp": message.time.timestamp_millis(),
        "message": said,
    });
    event(&message.page_id, &message.psid, body)
}

/// Advances one or all messages of the page, and reports that to the host. Returns the ids of advanced messages.
pub(super) fn move_on(
    world: &Arc<SimulatedWorld>,
    psid: &str,
    only: Option<&str>,
    progress: MessageState,
) -> Vec<String> {
    let (moved, reports) = {
        let mut state = world.state();
        let without_mids = state.faults.messenger_without_mids;
        let waiting = |message: &&ThreadEntry| {
            !message.mine && message.status < progress && only.is_none_or(|only| message.id == only)
        };
        let ids: Vec<String> = state.messenger.of(psid).filter(waiting).map(|message| message.id.clone()).collect();
        let mut reports: Vec<(String, i64, Vec<String>)> = Vec::new();
        for id in &ids {
            let Some(message) = state.messenger.message_mut(id) else { continue };
            message.status = progress;
            let millis = message.time.timestamp_millis();
            match reports.iter_mut().find(|(page, ..)| *page == message.page_id) {
                Some((_, watermark, mids)) => {
                    *watermark = millis.max(*watermark);
                    mids.push(id.clone());
                }
                None => reports.push((message.page_id.clone(), millis, vec![id.clone()])),
            }
        }
        let reports: Vec<SimulatedChange> = reports
            .into_iter()
            .map(|(page, watermark, mids)| {
                let report = match progress {
                    MessageState::Read => ("read", json!({"watermark": watermark})),
                    _ if without_mids => ("delivery", json!({"watermark": watermark})),
                    _ => ("delivery", json!({"watermark": watermark, "mids": mids})),
                };
                did(&page, psid, clock::now().timestamp_millis(), report.0, report.1)
            })
            .collect();
        (ids, reports)
    };
    for report in reports {
        world.publish(report);
    }
    moved
}
