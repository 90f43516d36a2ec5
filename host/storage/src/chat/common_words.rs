//! Searches for words that many chats have: the list is read in its order, up to a bound, in place of the index.

use domain::{chat::ChatScope, page::PageRequest};

use super::{
    list_conditions::{COUNTED, ListedChats, condition},
    participants::{COLUMNS, ParticipantRow},
};
use crate::{PgConnection, Result};

/// Chats that are always read. A shorter list is read as a whole.
const WALKED: i64 = 5_000;
/// Most chats that are read if many of the first have the words.
const WALKED_OF_COMMON: i64 = 50_000;
/// Words are common if one in this many of the first chats has them.
const COMMON: i64 = 10;

/// The chats with the words `$3` among the first `$6` chats of a list. Public for the test of its plan.
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

/// Counts chats up to `$4`, and those with the words `$3`. Public for the test of its plan.
#[doc(hidden)]
pub fn count_statement(scope: ChatScope) -> String {
    let condition = condition(scope);
    format!(
        "SELECT count(*) AS listed, count(*) FILTER (WHERE strpos(found_by, $3) > 0) AS found FROM (
             SELECT found_by FROM participant WHERE client_id = $1 AND merged_into IS NULL AND {condition}
             ORDER BY last_message_at DESC, id LIMIT $4) walked"
    )
}

#[derive(Default)]
pub(super) struct ListReading {
    pub(super) rows: Option<Vec<ParticipantRow>>,
    pub(super) counted: Option<u64>,
}

pub(super) async fn walk(
    db: &mut PgConnection,
    list: ListedChats<'_>,
    words: &str,
    page: PageRequest,
) -> Result<ListReading> {
    let wanted = page.limit() + 1;
    let last = page.offset().saturating_add(wanted);
    let (mut walked, mut most) = (count(db, list, words, WALKED).await?, WALKED);
    if walked.listed == WALKED && walked.found >= WALKED / COMMON {
        most = far_enough(last, walked.found);
        walked = count(db, list, words, most).await?;
    }
    let is_whole = walked.listed < most;
    let rows = if is_whole || walked.found >= last {
        let rows = sqlx::query_as(&page_statement(list.scope))
            .bind(list.client.0)
            .bind(list.agents)
            .bind(words)
            .bind(page.offset())
            .bind(wanted)
            .bind(most)
            .fetch_all(db)
            .await?;
        Some(rows)
    } else {
        None
    };
    let found = u64::try_from(walked.found).unwrap_or_default();
    let counted = (is_whole || found >= COUNTED).then_some(found.min(COUNTED));
    Ok(ListReading { rows, counted })
}

/// How many chats to read for `last` and for [`COUNTED`], if `found` of the first [`WALKED`] match: half more than
/// needed.
fn far_enough(last: i64, found: i64) -> i64 {
    let wanted = last.max(i64::try_from(COUNTED).unwrap_or(i64::MAX));
    (wanted.saturating_mul(WALKED) / found.max(1)).saturating_mul(3).saturating_div(2).clamp(WALKED, WALKED_OF_COMMON)
}

#[derive(sqlx::FromRow)]
struct Counted {
    listed: i64,
    found: i64,
}

async fn count(db: &mut PgConnection, list: ListedChats<'_>, words: &str, most: i64) -> Result<Counted> {
    let counted = sqlx::query_as(&count_statement(list.scope))
        .bind(list.client.0)
        .bind(list.agents)
        .bind(words)
        .bind(most)
        .fetch_one(db)
        .await?;
    Ok(counted)
}
