//! Reports of a batch or a day, read a page at a time: every message of the send endpoints with its state. The messages of a
//! batch are also a list.

use base::Result;
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use domain::{
    clock::first_id_at,
    delivery::DeliveryState,
    ids::{BatchId, ClientId},
    page::{Page, PageRequest},
};
pub use storage::outbound::reports::ReportedMessage;
use storage::{
    Db,
    outbound::{
        batches::{self, IdRange},
        reports,
    },
};
use uuid::Uuid;

const PAGE: i64 = 500;

/// Lists the messages of a batch in the order of acceptance: all, or those in one state. `None`: there is no such batch.
pub async fn messages_of_batch(
    db: &Db,
    client: ClientId,
    batch: BatchId,
    state: Option<DeliveryState>,
    page: PageRequest,
) -> Result<Option<Page<ReportedMessage>>> {
    let mut db = db.acquire().await?;
    let Some(batch) = batches::find(&mut db, client, batch).await? else { return Ok(None) };
    let Some(extent) = batch.extent() else { return Ok(Some(Page::of(Vec::new(), 0))) };
    let counts = batches::progress(&mut db, client, extent).await?;
    let total = match state {
        Some(state) => counts.get(&state).copied().unwrap_or_default(),
        None => counts.values().sum(),
    };
    let messages = reports::messages_of_batch(&mut db, client, extent, state, page).await?;
    Ok(Some(Page::of(messages, total)))
}

#[derive(Debug)]
pub struct ReportQuery {
    db: Db,
    client: ClientId,
    extent: Option<IdRange>,
    after: Uuid,
}

impl ReportQuery {
    pub async fn of_batch(db: &Db, client: ClientId, batch: BatchId) -> Result<Option<Self>> {
        let mut connection = db.acquire().await?;
        let Some(batch) = batches::find(&mut connection, client, batch).await? else { return Ok(None) };
        Ok(Some(Self { db: db.for_work(), client, extent: batch.extent(), after: Uuid::nil() }))
    }

    pub fn of_day(db: &Db, client: ClientId, day: NaiveDate) -> Self {
        let begins =
            |day: NaiveDate| first_id_at(DateTime::<Utc>::from_naive_utc_and_offset(day.and_time(NaiveTime::MIN), Utc));
        // No message has the first id of a moment, because that id lacks the version bits.
        let end = day.checked_add_days(Days::new(1)).map_or(Uuid::max(), begins);
        let extent = IdRange { messages: (begins(day), end), parts: (Uuid::nil(), Uuid::max()) };
        Self { db: db.for_work(), client, extent: Some(extent), after: Uuid::nil() }
    }

    pub async fn next(&mut self) -> Result<Vec<ReportedMessage>> {
        let Some(extent) = self.extent else { return Ok(Vec::new()) };
        let mut db = self.db.acquire().await?;
        let page = reports::page(&mut db, self.client, extent, self.after, PAGE).await?;
        match page.last() {
            Some(last) => self.after = last.id,
            None => self.extent = None,
        }
        Ok(page)
    }
}
