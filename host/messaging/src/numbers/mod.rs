//! Business numbers: adding and listing them, their template catalogue, and which callbacks are really the provider's.

mod add;
mod callbacks;
mod catalogue;

use domain::ids::ClientId;
use storage::PgPool;

pub use add::{AddNumberError, CloudAccount, NewNumber, add_number};
pub use callbacks::{CallbackRefused, Handshake, Handshaken, handshake, open_callback};
pub use catalogue::{SyncError, list_templates, refresh_due, request_refresh, sync_templates};
pub use storage::{
    numbers::{Number, Provider},
    templates::TemplateRow,
};

use crate::Result;

/// Part of a list (SPEC 2.13).
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// How many there are over all pages.
    pub total: u64,
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// Zero-based.
    pub page: u32,
    /// Items per page, at least one.
    pub size: u32,
}

impl PageRequest {
    /// For `LIMIT`.
    pub fn limit(self) -> i64 {
        i64::from(self.size)
    }

    /// For `OFFSET`.
    pub fn offset(self) -> i64 {
        i64::from(self.page) * i64::from(self.size)
    }
}

/// The client's numbers that contain `search` (`""` = all), by MSISDN.
pub async fn list_numbers(db: &PgPool, client: ClientId, search: &str, page: PageRequest) -> Result<Page<Number>> {
    let mut db = db.acquire().await?;
    let (items, total) = storage::numbers::page(&mut db, client, search, page.limit(), page.offset()).await?;
    Ok(Page { items, total: u64::try_from(total).unwrap_or(0) })
}
