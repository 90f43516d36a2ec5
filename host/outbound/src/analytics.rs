//! Counts messages by their state (SPEC 2.11, 4.5).

use base::Result;
use domain::{
    analytics::{CountedType, MessageCounts, Period},
    ids::ClientId,
};
use storage::{Db, work::message_counts};

/// Counts the WhatsApp messages submitted in a period by their present state; with `of`, only messages of that type.
pub async fn messages(db: &Db, client: ClientId, period: Period, of: Option<CountedType>) -> Result<MessageCounts> {
    let mut db = db.acquire().await?;
    Ok(message_counts::of_period(&mut db, client, period, of).await?)
}
