//! Callbacks of Meta about pages (PROVIDERS B). An unreadable event is counted and kept; the others are taken.

mod attachment;
mod change;
mod event;
mod referral;
mod report;

use domain::{
    inbound::{CallbackItem, CallbackTarget, UnreadableKind},
    inbox::InboxKind,
};
use serde_json::Value;

use crate::{
    ignored_items::{ignored_item, unreadable_item},
    provider_json,
    whatsapp_cloud::callback::{
        CallbackError, ITEMS_MAX,
        fields::{elements, list, owned, text},
        first_names,
    },
};

const OBJECT: &str = "page";

/// Meta's ids of pages have some twenty digits.
const PAGE_ID_MAX_BYTES: usize = 64;

/// The page whose signature key is needed, in time linear in the length of the body.
pub fn first_page(raw: &[u8]) -> Option<String> {
    first_names(raw).waba_id
}

/// All items in order, in linear time. Invalid characters become U+FFFD. Check the signature first. Events in `standby`
/// are for another app.
pub fn parse(raw: &[u8]) -> Result<Vec<CallbackItem>, CallbackError> {
    let body = provider_json::read(raw).map_err(|error| CallbackError::NotJson(error.to_string()))?;
    let object = text(&body, "object").unwrap_or_default();
    if object != OBJECT {
        return Err(CallbackError::NoPage(object.chars().take(64).collect()));
    }
    let (mut items, mut standby) = (Vec::new(), 0);
    for entry in elements(&body, "entry") {
        standby += list(entry, "standby").len();
        let Some(page) = owned(entry, "id").filter(|id| id.len() <= PAGE_ID_MAX_BYTES) else {
            let reason = "`id` is missing, or no id of a page";
            let kind = UnreadableKind::Entry;
            items.push(unreadable_item(CallbackTarget::Unknown, InboxKind::Messenger, kind, reason, entry));
            continue;
        };
        for event in elements(entry, "messaging") {
            event_items(&page, entry, event, &mut items);
            if items.len() > ITEMS_MAX {
                return Err(CallbackError::TooMany);
            }
        }
    }
    if standby > 0 {
        tracing::info!(standby, "skipped events of conversations that belong to another app of the page");
    }
    if items.len() > ITEMS_MAX { Err(CallbackError::TooMany) } else { Ok(items) }
}

fn event_items(page: &str, entry: &Value, event: &Value, items: &mut Vec<CallbackItem>) {
    let target = CallbackTarget::Page(page.to_owned());
    match event::read(page, entry, event) {
        event::EventReading::Facts(facts) => items.extend(facts.into_iter().map(|(fact, body)| CallbackItem {
            dedupe_key: format!("messenger:{page}:{fact}"),
            target: target.clone(),
            body,
        })),
        event::EventReading::Ignored(name) => items.push(ignored_item(target, InboxKind::Messenger, "event", name)),
        event::EventReading::Malformed(reason) => {
            items.push(unreadable_item(target, InboxKind::Messenger, UnreadableKind::Event, reason, event));
        }
    }
}
