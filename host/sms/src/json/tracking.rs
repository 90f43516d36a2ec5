//! States of messages for tracking queries (SPEC 2.14, 8).

use std::collections::HashSet;

use base::{Context, Error};
use domain::{
    clock::first_id_at,
    ids::ClientId,
    sms_products::{
        GatewayStatus,
        tracking::{TrackedObject as Asked, TrackingQuery},
    },
};
use storage::{
    PgConnection,
    sms::products::tracking::{self, MessageRange, TrackedMessage},
};
use uuid::Uuid;

/// Bound on the messages of one query: those of the largest request.
const TOLD_MAX: i64 = 1000;

#[derive(Debug, thiserror::Error)]
pub enum TrackError {
    /// It was made too often: 228.
    #[error("{}", GatewayStatus::TrackedTooOften.description())]
    TooOften,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(TrackError: storage::Error);

/// Answers a query, and counts it against its limit.
pub async fn track(ctx: &Context, client: ClientId, query: &TrackingQuery) -> Result<Vec<TrackedMessage>, TrackError> {
    let mut tx = ctx.db.begin().await?;
    let mut keys: Vec<String> = query.tracked.iter().map(|asked| asked.key(query.from)).collect();
    // In a fixed order, so that two queries cannot deadlock.
    keys.sort();
    keys.dedup();
    for key in keys {
        if !tracking::ask(&mut tx, client, &key, ctx.now()).await? {
            return Err(TrackError::TooOften);
        }
    }
    let within = MessageRange {
        from: query.from.map(first_id_at).unwrap_or_default(),
        to: query.to.map_or(Uuid::max(), first_id_at),
        only_final: query.only_final,
    };
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    for asked in &query.tracked {
        let more = of(&mut tx, client, asked, within).await?;
        found.extend(more.into_iter().filter(|one| known.insert(one.id)));
    }
    tx.commit().await?;
    Ok(found)
}

async fn of(
    db: &mut PgConnection,
    client: ClientId,
    asked: &Asked,
    within: MessageRange,
) -> Result<Vec<TrackedMessage>, TrackError> {
    Ok(match asked {
        Asked::CtId(ct_id) => tracking::of_ct_id(db, client, ct_id, within, TOLD_MAX).await?,
        Asked::Time => tracking::of_time(db, client, within, TOLD_MAX).await?,
        Asked::Global(id) => {
            let of_request = tracking::of_request(db, client, *id, within, TOLD_MAX).await?;
            if of_request.is_empty() {
                let next = Uuid::from_u128(id.as_u128().saturating_add(1));
                let alone = MessageRange { from: (*id).max(within.from), to: next.min(within.to), ..within };
                tracking::of_time(db, client, alone, 1).await?
            } else {
                of_request
            }
        }
        Asked::Nothing(_) => Vec::new(),
    })
}
