//! The client's list of recipients that get no messages on any channel.

use std::collections::HashSet;

use base::{
    Context, Result,
    audit::{Actor, Administration, AuditObject, audit},
};
use domain::{
    address::Address,
    body::{Faults, FieldFault},
    ids::ClientId,
    page::{Page, PageRequest},
    phone::{Bsuid, Msisdn},
    search::SearchText,
};
pub use storage::tenancy::blocklist::BlockedRecipient;
use storage::{Db, tenancy::blocklist};

pub const ADDED_MAX: usize = 1_000;
/// Longest reason, in characters.
pub const REASON_MAX: usize = 255;

#[derive(Debug)]
pub struct Additions {
    /// Sorted, without duplicates.
    addresses: Vec<Address>,
    reason: Option<String>,
}

impl Additions {
    pub fn parse(recipients: &[String], reason: Option<String>) -> std::result::Result<Self, Faults> {
        let mut faults = Faults::default();
        if recipients.is_empty() {
            faults.push(FieldFault::new("recipients", "is required and must have at least one element"));
        }
        if recipients.len() > ADDED_MAX {
            let said = format!("has {} elements; at most {ADDED_MAX} are allowed in one request", recipients.len());
            return Err(FieldFault::new("recipients", said).into());
        }
        let reason = reason.filter(|text| !text.is_empty());
        if reason.as_ref().is_some_and(|text| text.chars().count() > REASON_MAX) {
            faults.push(FieldFault::new("reason", format!("must have at most {REASON_MAX} characters")));
        }
        let mut addresses = Vec::with_capacity(recipients.len());
        for (at, recipient) in recipients.iter().enumerate() {
            match address_of(recipient) {
                Some(address) => addresses.push(address),
                None => faults.push(FieldFault::new(format!("recipients[{at}]"), NO_RECIPIENT)),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        addresses.sort();
        addresses.dedup();
        // If both spellings of a number are given, the list keeps one.
        let others: HashSet<Address> = addresses.iter().filter_map(Address::other_spelling).collect();
        addresses.retain(|address| {
            !others.contains(address) || address.other_spelling().is_some_and(|other| *address < other)
        });
        Ok(Self { addresses, reason })
    }
}

const NO_RECIPIENT: &str = "is neither a phone number in international format nor a user id such as ZA.1234567890";

pub fn address_of(recipient: &str) -> Option<Address> {
    let phone = Msisdn::parse(recipient).ok().map(Address::from);
    phone.or_else(|| Bsuid::parse(recipient).ok().map(Address::from))
}

/// Returns how many were new. Later sends reject these recipients; accepted messages still go out.
pub async fn add(ctx: &Context, client: ClientId, actor: Actor, additions: &Additions) -> Result<u64> {
    let mut tx = ctx.db.begin().await?;
    let reason = additions.reason.as_deref();
    let added = blocklist::add(&mut tx, client, &additions.addresses, reason, ctx.now()).await?;
    let admin = Administration::from(ctx);
    audit(&admin, &mut tx, client, actor, "block", AuditObject::new("recipients", &added)).await?;
    tx.commit().await?;
    Ok(added)
}

pub async fn remove(ctx: &Context, client: ClientId, actor: Actor, recipient: &Address) -> Result<bool> {
    let mut tx = ctx.db.begin().await?;
    let removed = blocklist::remove(&mut tx, client, recipient).await?;
    if removed {
        let admin = Administration::from(ctx);
        audit(&admin, &mut tx, client, actor, "unblock", AuditObject::new("recipients", "1")).await?;
        tx.commit().await?;
    }
    Ok(removed)
}

/// The entries that contain `search` (blank: all), user ids before numbers, in any spelling of a number.
pub async fn list(db: &Db, client: ClientId, search: &str, page: PageRequest) -> Result<Page<BlockedRecipient>> {
    let mut db = db.acquire().await?;
    let sought = SearchText::parse(search);
    let (items, total) = blocklist::page(&mut db, client, sought.as_ref(), page).await?;
    Ok(Page::of(items, total))
}
