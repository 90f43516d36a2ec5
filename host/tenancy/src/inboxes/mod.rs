//! What clients are reached at: adding and listing it, and the template catalogue of WhatsApp numbers.

mod add;
mod catalogue;

use domain::{
    ids::ClientId,
    page::{Page, PageRequest},
};
use storage::PgPool;

pub use add::{AddNumberError, CloudAccount, NewNumber, add_number};
pub use catalogue::{SyncError, list_templates, refresh_due, request_refresh, sync_templates};
pub use storage::{
    numbers::{Number, Provider},
    templates::TemplateRow,
};

use base::Result;

/// The client's numbers that contain `search` (`""` = all), by MSISDN.
pub async fn list_numbers(db: &PgPool, client: ClientId, search: &str, page: PageRequest) -> Result<Page<Number>> {
    let mut db = db.acquire().await?;
    let (items, total) = storage::numbers::page(&mut db, client, search, page.limit(), page.offset()).await?;
    Ok(Page { items, total: u64::try_from(total).unwrap_or(0) })
}
