//! The audit trail of a client: lists, exports and verifies it.

use base::Result;
use domain::{
    ids::ClientId,
    page::{Page, PageRequest},
};
use sha2::{Digest, Sha256};
pub use storage::tenancy::audit::{AuditFilter, AuditRow};
use storage::{
    Db,
    tenancy::{
        audit as rows,
        audit_chain::{self as chain, AuditLink},
    },
};
use uuid::Uuid;

const PAGE: i64 = 500;

/// Lists entries, newest first. At most 10,000 are counted and listed.
pub async fn list(db: &Db, client: ClientId, filter: &AuditFilter, page: PageRequest) -> Result<Page<AuditRow>> {
    let (items, total) = rows::page(&mut *db.acquire().await?, client, filter, page).await?;
    Ok(Page::of(items, total))
}

/// All entries of a filter in the order of the chain, read a page at a time.
#[derive(Debug)]
pub struct AuditExport {
    db: Db,
    client: ClientId,
    filter: AuditFilter,
    after: i64,
}

impl AuditExport {
    pub fn new(db: &Db, client: ClientId, filter: AuditFilter) -> Self {
        Self { db: db.for_work(), client, filter, after: 0 }
    }

    /// Reads the next entries. An empty list ends the export.
    pub async fn next(&mut self) -> Result<Vec<AuditRow>> {
        let mut db = self.db.acquire().await?;
        let page = rows::following(&mut db, self.client, &self.filter, self.after, PAGE).await?;
        if let Some(last) = page.last() {
            self.after = last.number;
        }
        Ok(page)
    }
}

/// The result of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditVerification {
    /// Entries that were found in order and unchanged.
    pub entries: u64,
    /// Entries of these whose object was erased with a person.
    pub erased: u64,
    /// SHA-256 of the last entry, in hexadecimal digits. Empty if there is none.
    pub last_hash: String,
    pub fault: Option<ChainFault>,
}

/// The first place at which a chain is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainFault {
    pub number: i64,
    /// The entry that was changed. `None` if the entry is missing.
    pub changed: Option<Uuid>,
}

/// Verifies the chain of a client up to its present end.
pub async fn verify(db: &Db, client: ClientId) -> Result<AuditVerification> {
    let db = db.for_work();
    let mut found = AuditVerification::default();
    let (last_number, last_hash) = chain::end(&mut *db.acquire().await?, client).await?.unwrap_or_default();
    let mut before = (0, Vec::new());
    while before.0 < last_number {
        let links = chain::links(&mut *db.acquire().await?, client, before.0, PAGE).await?;
        if links.is_empty() {
            found.fault = Some(ChainFault { number: before.0 + 1, changed: None });
            return Ok(found);
        }
        for link in links {
            if link.number > last_number {
                break;
            }
            if link.number != before.0 + 1 {
                found.fault = Some(ChainFault { number: before.0 + 1, changed: None });
                return Ok(found);
            }
            if !is_unchanged(client, &link, &before.1) {
                found.fault = Some(ChainFault { number: link.number, changed: Some(link.id) });
                return Ok(found);
            }
            found.entries += 1;
            found.erased += u64::from(link.object_salt.is_none());
            found.last_hash = hex::encode(&link.hash);
            before = (link.number, link.hash);
        }
    }
    if before.1 != last_hash {
        found.fault = Some(ChainFault { number: last_number, changed: None });
    }
    Ok(found)
}

/// The same form as in `chain_audit_entry` of `migrations/0015_audit_chain.sql`.
fn is_unchanged(client: ClientId, link: &AuditLink, before: &[u8]) -> bool {
    let same_object = link.object_salt.is_none_or(|salt| {
        Sha256::new().chain_update(salt.as_bytes()).chain_update(&link.object_id).finalize().as_slice()
            == link.object_digest
    });
    let text = format!(
        "{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}",
        client.0,
        link.number,
        link.id,
        link.happened_at.timestamp_micros(),
        link.actor,
        link.action,
        link.object_kind,
        hex::encode(&link.object_digest),
    );
    let hash = Sha256::new().chain_update(before).chain_update(text).finalize();
    same_object && hash.as_slice() == link.hash
}
