//! What Meta calls us with about pages (PROVIDERS B). Handshake and signature are those of the Cloud API. A malformed event is
//! skipped with a warning; its neighbours are kept.

mod attachment;
mod event;
mod report;

use domain::inbound::{CallbackItem, CallbackTarget};
use serde_json::Value;

use crate::whatsapp_cloud::callback::{
    CallbackError, ITEMS_MAX,
    fields::{list, scrub_nul, text},
    first_names,
};

/// The `object` of callbacks about pages.
const OBJECT: &str = "page";
/// Meta's ids of messages have some hundred characters; what is longer is none.
const ID_MAX_BYTES: usize = 512;
/// Meta's ids of pages have some twenty digits.
const PAGE_ID_MAX_BYTES: usize = 64;

/// The first page that a callback names, as far as must be known before its signature can be checked; in time that grows with
/// the length of the body and no faster.
pub fn first_page(raw: &[u8]) -> Option<String> {
    first_names(raw).waba_id
}

/// Everything a callback says, in its order, in time that grows with its length and no faster. NUL characters become U+FFFD.
///
/// Check the signature over the same bytes first. Events in `standby` are for another app that has the conversation, and left
/// out.
pub fn parse(raw: &[u8]) -> Result<Vec<CallbackItem>, CallbackError> {
    let mut body: Value = serde_json::from_slice(raw).map_err(|error| CallbackError::NotJson(error.to_string()))?;
    scrub_nul(&mut body);
    let object = text(&body, "object").unwrap_or_default();
    if object != OBJECT {
        return Err(CallbackError::NoPage(object.chars().take(64).collect()));
    }
    let (mut items, mut skipped, mut standby) = (Vec::new(), 0, 0);
    for entry in list(&body, "entry") {
        standby += list(entry, "standby").len();
        let Some(page) = text(entry, "id").filter(|id| id.len() <= PAGE_ID_MAX_BYTES) else {
            skipped += list(entry, "messaging").len();
            continue;
        };
        let target = CallbackTarget::Page(page.to_owned());
        for event in list(entry, "messaging") {
            match event::read(page, entry, event) {
                event::Read::Facts(facts) => {
                    let new = facts.into_iter().map(|(fact, body)| CallbackItem {
                        dedupe_key: format!("messenger:{page}:{fact}"),
                        target: target.clone(),
                        body,
                    });
                    items.extend(new);
                }
                event::Read::Unmodelled(name) => {
                    tracing::debug!(page.id = page, event = name, "an event without effect")
                }
                event::Read::Malformed => skipped += 1,
            }
            if items.len() > ITEMS_MAX {
                return Err(CallbackError::TooMany);
            }
        }
    }
    if skipped > 0 {
        tracing::warn!(skipped, "left out events of a page that are malformed");
    }
    if standby > 0 {
        tracing::info!(standby, "left out events of conversations that another app of the page has");
    }
    Ok(items)
}
