//! Removes the bytes of erased rows from the files of PostgreSQL.

use std::time::Duration;

use base::Result;
use storage::{
    Db, PgConnection,
    personal_data::{self, Relation},
};

use super::search;

/// Largest relation that is rewritten if the caller names no other size: PostgreSQL needs a few seconds for it, in which
/// nothing else can use the relation.
pub const REWRITTEN_MOST: u64 = 256 << 20;
/// Attempts to lock a relation that others use. Each waits a second.
const TRIES: u32 = 5;
/// Longest wait for transactions that may see erased rows.
const WAIT_FOR_OTHERS: Duration = Duration::from_secs(30);
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Leftovers {
    pub rewritten: u64,
    /// Relations that were not, because they are larger than the limit or in constant use: erased bytes can stay in free
    /// space until new rows take it.
    pub not_rewritten: Vec<String>,
    /// Old transactions were open, so a rewritten relation may still have erased rows.
    pub seen_by_others: bool,
    pub statistics_renewed: bool,
    pub log_emptied: bool,
    /// Older segments that PostgreSQL keeps for a replica or an archive.
    pub log_segments_kept: u64,
}

impl Leftovers {
    /// True if no erased byte is left in the files of this server.
    pub fn is_clean(&self) -> bool {
        self.not_rewritten.is_empty()
            && !self.seen_by_others
            && self.statistics_renewed
            && self.log_emptied
            && self.log_segments_kept == 0
    }
}

/// Rewrites all relations with personal columns of at most `most_bytes`, whether they have rows of a certain person or not:
/// a row may have left a relation long ago, and its bytes are still there. Then renews the statistics and empties the
/// write-ahead log.
pub async fn rewrite(db: &Db, most_bytes: u64) -> Result<Leftovers> {
    let mut db = db.with_patience(search::STATEMENT_TIMEOUT).acquire().await?.detach();
    personal_data::limit_waits(&mut db).await?;
    let mut done = Leftovers { seen_by_others: wait_for_others(&mut db).await?, ..Leftovers::default() };
    let relations = personal_data::relations_to_rewrite(&mut db).await?;
    for relation in &relations {
        let is_small = u64::try_from(relation.bytes).is_ok_and(|bytes| bytes <= most_bytes);
        if is_small && rewrite_one(&mut db, relation).await? {
            done.rewritten += 1;
        } else {
            personal_data::vacuum(&mut db, relation).await?;
            done.not_rewritten.push(relation.name.clone());
        }
    }
    done.statistics_renewed = is_permitted(renew_statistics(&mut db, &relations, &mut done.seen_by_others).await)?;
    done.log_emptied = is_permitted(empty_log(&mut db, &mut done.log_segments_kept).await)?;
    db.close().await?;
    Ok(done)
}

/// True if transactions that can see rows deleted until now are still open after the longest wait.
async fn wait_for_others(db: &mut PgConnection) -> storage::Result<bool> {
    let youngest = personal_data::youngest_transaction(db).await?;
    let looks = WAIT_FOR_OTHERS.as_millis() / CHECK_INTERVAL.as_millis();
    for _ in 0..looks {
        if !personal_data::is_seen_by_older(db, youngest).await? {
            return Ok(false);
        }
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
    Ok(true)
}

/// `false` if others use the relation all the time.
async fn rewrite_one(db: &mut PgConnection, relation: &Relation) -> Result<bool> {
    for _ in 0..TRIES {
        match personal_data::rewrite(db, relation).await {
            Ok(()) => return Ok(true),
            Err(error) if error.lost_to_another_transaction() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

async fn renew_statistics(db: &mut PgConnection, relations: &[Relation], seen: &mut bool) -> storage::Result<()> {
    personal_data::discard_statistics(db).await?;
    *seen |= wait_for_others(db).await?;
    personal_data::rewrite_catalog(db).await?;
    for relation in relations {
        personal_data::analyze(db, relation).await?;
    }
    Ok(())
}

/// Each freed segment of the log waits under a new name until it is used again, with its old bytes. So the log is moved
/// over all of them.
async fn empty_log(db: &mut PgConnection, kept: &mut u64) -> storage::Result<()> {
    personal_data::switch_log(db).await?;
    personal_data::checkpoint(db).await?;
    let ahead = personal_data::ahead_of_log(db).await?;
    for _ in 0..=ahead {
        personal_data::switch_log(db).await?;
    }
    personal_data::checkpoint(db).await?;
    *kept = u64::try_from(personal_data::kept_in_log(db).await?).unwrap_or_default();
    Ok(())
}

/// `false` if the role of the database may not do it. On another server than the embedded one it may need a superuser.
fn is_permitted(done: storage::Result<()>) -> Result<bool> {
    match done {
        Ok(()) => Ok(true),
        Err(error) if personal_data::is_not_permitted(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
