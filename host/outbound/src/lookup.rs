//! Finds messages by the client's tracking id and by recipient.

use base::Result;
use domain::{
    ids::ClientId,
    page::{Page, PageRequest},
};
use storage::{Db, outbound::lookups};

pub use storage::outbound::lookups::{FoundMessage, MessageFilter};

pub async fn find(db: &Db, client: ClientId, lookup: &MessageFilter, page: PageRequest) -> Result<Page<FoundMessage>> {
    Ok(lookups::page(&mut *db.acquire().await?, client, lookup, page).await?)
}
