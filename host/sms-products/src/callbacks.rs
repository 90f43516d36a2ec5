//! Callbacks of the JSON gateway on their way (SPEC 6.6): receipts with GET, replies with GET or POST, through the guarded
//! client, again and again for 24 hours until the receiver answers with 2xx.

use std::time::Duration;

use base::{
    Context, Error, Result,
    lanes::{Lease, write_down},
};
use bytes::Bytes;
use channels::http::GuardedRequest;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sms_products::callback::with_query;
use futures::{StreamExt, stream};
use storage::sms::products::callbacks::{self, Callback};
use uuid::Uuid;

use crate::json::may_reach_private;

/// Callbacks read at once.
const PAGE: i64 = 64;
/// Requests in flight to one receiver.
const IN_FLIGHT: usize = 16;
/// How long a callback is tried.
const TRIED_FOR: TimeDelta = TimeDelta::hours(24);
/// Pauses between attempts, in seconds; the last one again and again.
const PAUSES: [i64; 8] = [5, 30, 120, 300, 600, 1800, 3600, 7200];
/// What is read of an answer: nothing of it is used.
const ANSWER_MAX: usize = 64 * 1024;
const TIMEOUT: Duration = Duration::from_secs(15);

/// Makes the callbacks that are due to the receiver of the lane.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    let allow_private = may_reach_private(ctx, lease.client).await?;
    while !lease.is_over() {
        let due = {
            let mut db = ctx.db.acquire().await?;
            callbacks::due(&mut db, lease.client, lease.lane, ctx.now(), PAGE).await?
        };
        if due.is_empty() {
            return Ok(());
        }
        let calls = due.into_iter().map(|callback| attempt(ctx, lease, callback, allow_private));
        let ended: Vec<(Callback, bool)> = stream::iter(calls).buffer_unordered(IN_FLIGHT).collect().await;
        settle(ctx, lease, &ended).await?;
    }
    Ok(())
}

async fn attempt(ctx: &Context, lease: &Lease, callback: Callback, allow_private: bool) -> (Callback, bool) {
    let form = ("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned());
    let request = match callback.posts {
        true => (callback.url.clone(), vec![form], Bytes::from(callback.form.clone())),
        false => (with_query(&callback.url, &callback.form), Vec::new(), Bytes::new()),
    };
    let (url, headers, body) = request;
    let request = GuardedRequest {
        method: if callback.posts { "POST" } else { "GET" }.to_owned(),
        url,
        headers,
        body,
        max_response_bytes: ANSWER_MAX,
        timeout: Some(TIMEOUT),
        allow_private,
    };
    let arrived = match ctx.http.on_behalf_of(lease.client).request(request).await {
        Ok(answer) => (200..300).contains(&answer.status),
        Err(error) => {
            tracing::debug!(client.id = %lease.client, callback.id = %callback.id, %error, "an SMS callback did not arrive");
            false
        }
    };
    (callback, arrived)
}

/// Writes down how attempts ended. If the lane has gone to another process, it is kept at least which ones arrived: that one must not
/// make them again.
async fn settle(ctx: &Context, lease: &Lease, ended: &[(Callback, bool)]) -> Result<()> {
    let (mut done, mut again): (Vec<&Callback>, Vec<(&Callback, DateTime<Utc>)>) = (Vec::new(), Vec::new());
    for (callback, arrived) in ended {
        let outcome = match next(callback, ctx.now()) {
            _ if *arrived => "arrived",
            Some(due) => {
                again.push((callback, due));
                "failed"
            }
            None => {
                tracing::warn!(client.id = %lease.client, callback.id = %callback.id, "an SMS callback was given up");
                "given up"
            }
        };
        metrics::counter!("patchbay_sms_callbacks", "outcome" => outcome).increment(1);
        if outcome != "failed" {
            done.push(callback);
        }
    }
    let settled: Vec<Uuid> = ended.iter().map(|(callback, _)| callback.id).collect();
    write_down(ctx, || async {
        let mut tx = ctx.db.begin().await?;
        let held = lease.hold(&mut tx).await;
        if let Err(error) = &held
            && !matches!(error, Error::LeaseLost)
        {
            return held;
        }
        callbacks::hold(&mut tx, lease.client, &settled).await?;
        callbacks::done(&mut tx, lease.client, &done).await?;
        if held.is_ok() {
            callbacks::put_off(&mut tx, lease.client, &again).await?;
        }
        tx.commit().await?;
        held
    })
    .await
}

/// When a callback that did not arrive is tried again; `None` when its day is over.
fn next(callback: &Callback, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let attempts = usize::try_from(callback.attempts).unwrap_or_default();
    let pause = PAUSES.get(attempts).or(PAUSES.last()).copied().unwrap_or_default();
    let last = callback.created_at + TRIED_FOR;
    if now >= last { None } else { Some((now + TimeDelta::seconds(pause)).min(last)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callback(attempts: i32) -> Callback {
        Callback {
            id: Uuid::nil(),
            lane_id: Uuid::nil(),
            url: String::new(),
            posts: false,
            form: String::new(),
            attempts,
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    fn after(hours: i64, attempts: i32) -> Option<i64> {
        let now = DateTime::UNIX_EPOCH + TimeDelta::hours(hours);
        next(&callback(attempts), now).map(|due| (due - now).num_seconds())
    }

    #[test]
    fn pauses_grow_to_two_hours() {
        assert_eq!([0, 1, 7, 8, 50].map(|attempts| after(1, attempts)), [5, 30, 7200, 7200, 7200].map(Some));
    }

    #[test]
    fn the_last_attempt_is_made_when_the_day_is_over_and_none_after_it() {
        assert_eq!(after(23, 50), Some(3600));
        assert_eq!(after(24, 50), None);
    }
}
