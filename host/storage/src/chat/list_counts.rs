//! The sizes of all lists of chats in one statement, each counted up to a bound, so that it stays cheap.

use domain::{
    chat::ChatScope,
    ids::{ClientId, UserId},
};
use sqlx::Row;
use uuid::Uuid;

use super::{list_conditions::condition, teams};
use crate::{PgConnection, Result};

/// Most chats that are counted of one list.
pub const MOST: i64 = 1_000;

/// The statement, with one column per list: caller `$2`, the caller's team `$3`, bound `$4`. Public for the test of its
/// plan.
#[doc(hidden)]
pub fn statement() -> String {
    let count = |scope: ChatScope| {
        let condition = condition(scope);
        let condition = if scope == ChatScope::Team { condition.replace("$2", "$3") } else { condition.to_owned() };
        format!(
            "(SELECT count(*) FROM (
                 SELECT 1 FROM participant WHERE client_id = $1 AND merged_into IS NULL AND {condition} LIMIT $4) one)"
        )
    };
    format!("SELECT {}", ChatScope::ALL.map(count).join(", "))
}

/// Returns the number of chats of each list, at most [`MOST`].
pub async fn counts(db: &mut PgConnection, client: ClientId, caller: UserId) -> Result<[(ChatScope, u64); 9]> {
    let mates: Vec<Uuid> = teams::mates(db, client, caller).await?.into_iter().map(|mate| mate.0).collect();
    let row = sqlx::query(&statement())
        .bind(client.0)
        .bind([caller.0].as_slice())
        .bind(mates)
        .bind(MOST)
        .fetch_one(db)
        .await?;
    let mut counts = ChatScope::ALL.map(|scope| (scope, 0));
    for (column, count) in counts.iter_mut().enumerate() {
        count.1 = u64::try_from(row.try_get::<i64, _>(column)?).unwrap_or_default();
    }
    Ok(counts)
}
