//! Searches for words that many chats have: the list is read in its order, up to a bound, in place of the index.

use domain::{chat::ChatScope, page::PageRequest};
use uuid::Uuid;

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

/// The ids of the first chats with the words `$3`, at most `$5`, among the first `$4` chats. Public for the test of its plan.
#[doc(hidden)]
pub fn ids_statement(scope: ChatScope) -> String {
    let condition = condition(scope);
    format!(
        "SELECT id FROM (
             SELECT id, found_by, last_message_at FROM participant
             WHERE client_id = $1 AND merged_into IS NULL AND {condition}
             ORDER BY last_message_at DESC, id LIMIT $4) walked
         WHERE strpos(found_by, $3) > 0 ORDER BY last_message_at DESC, id LIMIT $5"
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
    let walked = count_walk(db, list, words, last.max(i64::try_from(COUNTED).unwrap_or(i64::MAX))).await?;
    let rows = if walked.reaches(last) {
        let rows = sqlx::query_as(&page_statement(list.scope))
            .bind(list.client.0)
            .bind(list.agents)
            .bind(words)
            .bind(page.offset())
            .bind(wanted)
            .bind(walked.most)
            .fetch_all(db)
            .await?;
        Some(rows)
    } else {
        None
    };
    let found = u64::try_from(walked.found).unwrap_or_default();
    let counted = (walked.is_whole() || found >= COUNTED).then_some(found.min(COUNTED));
    Ok(ListReading { rows, counted })
}

/// The ids of the first `wanted` chats with the words. `None`: the words are rare, so the caller must use the
/// index of words.
pub(super) async fn walk_ids(
    db: &mut PgConnection,
    list: ListedChats<'_>,
    words: &str,
    wanted: i64,
) -> Result<Option<Vec<Uuid>>> {
    let walked = count_walk(db, list, words, wanted).await?;
    if !walked.reaches(wanted) {
        return Ok(None);
    }
    let ids = sqlx::query_scalar(&ids_statement(list.scope))
        .bind(list.client.0)
        .bind(list.agents)
        .bind(words)
        .bind(walked.most)
        .bind(wanted)
        .fetch_all(db)
        .await?;
    Ok(Some(ids))
}

/// Reads enough chats for `wanted` of them with the words, if they are common: half more than needed.
async fn count_walk(db: &mut PgConnection, list: ListedChats<'_>, words: &str, wanted: i64) -> Result<Walk> {
    let first = count(db, list, words, WALKED).await?;
    if first.listed < WALKED || first.found < WALKED / COMMON {
        return Ok(first);
    }
    let most = (wanted.saturating_mul(WALKED) / first.found.max(1)).saturating_mul(3).saturating_div(2);
    count(db, list, words, most.clamp(WALKED, WALKED_OF_COMMON)).await
}

/// The first chats of a list.
struct Walk {
    /// The most that were read.
    most: i64,
    listed: i64,
    /// Those with the words.
    found: i64,
}

impl Walk {
    fn is_whole(&self) -> bool {
        self.listed < self.most
    }

    /// True if they have so many chats with the words, or all.
    fn reaches(&self, wanted: i64) -> bool {
        self.is_whole() || self.found >= wanted
    }
}

async fn count(db: &mut PgConnection, list: ListedChats<'_>, words: &str, most: i64) -> Result<Walk> {
    let (listed, found): (i64, i64) = sqlx::query_as(&count_statement(list.scope))
        .bind(list.client.0)
        .bind(list.agents)
        .bind(words)
        .bind(most)
        .fetch_one(db)
        .await?;
    Ok(Walk { most, listed, found })
}
