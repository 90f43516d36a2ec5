//! The search of a list of chats for words that many of them have, or in a list that is short. An index of words finds all
//! chats of the client that have them, which is as much work as there are such chats: of a number's first digits, nearly all.
//! Here a list is walked in its order instead, and only so far that it cannot take long.

use domain::{chat::ChatScope, ids::ClientId, page::PageRequest};
use uuid::Uuid;

use super::{
    lists::{COUNTED, condition},
    participants::{COLUMNS, ParticipantRow},
};
use crate::{PgConnection, Result};

/// So many chats of a list are always walked: a shorter list is looked through as a whole.
const WALKED: i64 = 5_000;
/// At most so many are walked where many of the first have the words.
const WALKED_OF_COMMON: i64 = 50_000;
/// Words are common that one in so many of the first chats has.
const COMMON: i64 = 10;

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

/// How many chats a list has, up to `$4`, and how many of those have the words `$3`. Public for the test of its plan.
#[doc(hidden)]
pub fn count_statement(scope: ChatScope) -> String {
    let condition = condition(scope);
    format!(
        "SELECT count(*) AS listed, count(*) FILTER (WHERE strpos(found_by, $3) > 0) AS found FROM (
             SELECT found_by FROM participant WHERE client_id = $1 AND merged_into IS NULL AND {condition}
             ORDER BY last_message_at DESC, id LIMIT $4) walked"
    )
}

/// What walking a list has shown; what it has not is for the index.
#[derive(Default)]
pub(super) struct Walked {
    /// The page that is asked for, and one chat more where there is one.
    pub(super) rows: Option<Vec<ParticipantRow>>,
    /// How many chats have the words, up to [`COUNTED`].
    pub(super) counted: Option<u64>,
}

/// Walks a list as far as it is short, or as it helps.
pub(super) async fn walk(
    db: &mut PgConnection,
    client: ClientId,
    (scope, agents): (ChatScope, &[Uuid]),
    words: &str,
    page: PageRequest,
) -> Result<Walked> {
    let wanted = page.limit() + 1;
    let last = page.offset().saturating_add(wanted);
    let (mut walked, mut most) = (count(db, client, (scope, agents), words, WALKED).await?, WALKED);
    if walked.listed == WALKED && walked.found >= WALKED / COMMON {
        most = far_enough(last, walked.found);
        walked = count(db, client, (scope, agents), words, most).await?;
    }
    let is_whole = walked.listed < most;
    let rows = if is_whole || walked.found >= last {
        let rows = sqlx::query_as(&page_statement(scope))
            .bind(client.0)
            .bind(agents)
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
    Ok(Walked { rows, counted })
}

/// How many chats to walk for the `last` one that is wanted and for [`COUNTED`], where `found` of the first [`WALKED`] have the words:
/// half as many again as it takes if the others are like those.
fn far_enough(last: i64, found: i64) -> i64 {
    let wanted = last.max(i64::try_from(COUNTED).unwrap_or(i64::MAX));
    (wanted.saturating_mul(WALKED) / found.max(1)).saturating_mul(3).saturating_div(2).clamp(WALKED, WALKED_OF_COMMON)
}

/// The first chats of a list.
#[derive(sqlx::FromRow)]
struct Counted {
    /// How many there are.
    listed: i64,
    /// How many of them have the words.
    found: i64,
}

async fn count(
    db: &mut PgConnection,
    client: ClientId,
    (scope, agents): (ChatScope, &[Uuid]),
    words: &str,
    most: i64,
) -> Result<Counted> {
    let counted = sqlx::query_as(&count_statement(scope))
        .bind(client.0)
        .bind(agents)
        .bind(words)
        .bind(most)
        .fetch_one(db)
        .await?;
    Ok(counted)
}
