//! The search of a list of chats for words that many of them have, or in a list that is short. An index of words finds all
//! chats of the client that have them, which is as much work as there are such chats: of a number's first digits, nearly all.
//! Here a list is walked in its order instead, and only so far that it cannot take long.

use domain::{
    chat::ChatScope,
    ids::ClientId,
    page::{Page, PageRequest},
};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{
    lists::{COUNTED, condition},
    participants::{COLUMNS, Participant, ParticipantRow},
};
use crate::Result;

/// A list of so many chats is short: all of it is looked through. Of a longer one a page is looked for among so many.
pub const WALKED: i64 = 5_000;
/// Of a long list so many chats are counted through before the index is asked.
pub const COUNTED_THROUGH: i64 = 50_000;

/// The first chats of a list that have the words `$3`, of the first `$6` of the list. Public for the test of its plan.
#[doc(hidden)]
pub fn page_statement(scope: ChatScope) -> String {
    let condition = condition(scope);
    format!(
        "SELECT {COLUMNS} FROM (
             SELECT * FROM participant WHERE client_id = $1 AND merged_into IS NULL AND {condition}
             ORDER BY last_message_at DESC, id LIMIT $6) participant
         WHERE strpos(found_by, $3) > 0 ORDER BY last_message_at DESC, id OFFSET $4 LIMIT $5"
    )
}

/// How many of the first `$4` chats of a list have the words `$3`, up to `$5`; all of them without words. Public for the test of
/// its plan.
#[doc(hidden)]
pub fn count_statement(scope: ChatScope) -> String {
    let condition = condition(scope);
    format!(
        "SELECT count(*) FROM (
             SELECT 1 FROM (
                 SELECT found_by FROM participant WHERE client_id = $1 AND merged_into IS NULL AND {condition}
                 ORDER BY last_message_at DESC, id LIMIT $4) participant
             WHERE $3::text IS NULL OR strpos(found_by, $3) > 0 LIMIT $5) counted"
    )
}

/// A page, where walking the list is the way to find it; `None` where the index is.
pub(super) async fn page(
    db: &mut PgConnection,
    client: ClientId,
    (scope, agents): (ChatScope, &[Uuid]),
    words: &str,
    page: PageRequest,
) -> Result<Option<Page<Participant>>> {
    let listed = count(db, client, (scope, agents), None, (WALKED + 1, WALKED + 1)).await?;
    let rows: Vec<ParticipantRow> = sqlx::query_as(&page_statement(scope))
        .bind(client.0)
        .bind(agents)
        .bind(words)
        .bind(page.offset())
        .bind(page.limit() + 1)
        .bind(WALKED)
        .fetch_all(&mut *db)
        .await?;
    let most = i64::try_from(COUNTED).unwrap_or(i64::MAX);
    let total = if listed <= WALKED {
        count(db, client, (scope, agents), Some(words), (WALKED, most)).await?
    } else if i64::try_from(rows.len()).unwrap_or(i64::MAX) <= page.limit() {
        return Ok(None);
    } else {
        let counted = count(db, client, (scope, agents), Some(words), (COUNTED_THROUGH, most)).await?;
        if counted < most {
            return Ok(None);
        }
        let seen = page.offset().saturating_add(page.limit()).saturating_add(1);
        counted.max(seen)
    };
    let size = usize::try_from(page.size).unwrap_or(usize::MAX);
    let items = rows.into_iter().take(size).map(Participant::try_from).collect::<Result<Vec<_>>>()?;
    Ok(Some(Page { items, total: u64::try_from(total).unwrap_or_default() }))
}

async fn count(
    db: &mut PgConnection,
    client: ClientId,
    (scope, agents): (ChatScope, &[Uuid]),
    words: Option<&str>,
    (walked, most): (i64, i64),
) -> Result<i64> {
    let counted = sqlx::query_scalar(&count_statement(scope))
        .bind(client.0)
        .bind(agents)
        .bind(words)
        .bind(walked)
        .bind(most)
        .fetch_one(db)
        .await?;
    Ok(counted)
}
