//! Delivers callbacks of the JSON gateway (SPEC 6.6): receipts with GET, replies with GET or POST, through the guarded
//! client, until the receiver answers with 2xx, for up to 24 hours.

use std::time::Duration;

use base::{
    Context, Error, Result,
    lanes::{Lease, write_down},
};
use bytes::Bytes;
use channels::{http::GuardedRequest, standard_webhooks::TEST_HEADER};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{ids::ClientId, sandbox::KeyMode, sms_products::callback::with_query};
use futures::{StreamExt, stream};
use storage::{
    sms::products::callbacks::{self, SmsCallback},
    tenancy::sandboxes,
};
use uuid::Uuid;

use crate::{json::may_reach_private, retry::RetryPlan};

const PAGE: i64 = 64;
/// Requests in flight to one receiver.
const IN_FLIGHT: usize = 16;
const RETRIES: RetryPlan =
    RetryPlan { pauses: &[5, 30, 120, 300, 600, 1800, 3600, 7200], tried_for: TimeDelta::hours(24) };
/// Bytes to read of an answer, which is ignored.
const ANSWER_MAX: usize = 64 * 1024;
const TIMEOUT: Duration = Duration::from_secs(15);

/// The facts about a client that its requests depend on.
#[derive(Clone, Copy)]
struct CallbackRules {
    allow_private: bool,
    /// `Test`: a header says so.
    mode: KeyMode,
}

impl CallbackRules {
    async fn of(ctx: &Context, client: ClientId) -> Result<Self> {
        let allow_private = may_reach_private(ctx, client).await?;
        let is_sandbox = sandboxes::live_client(&mut *ctx.db.acquire().await?, client).await?.is_some();
        Ok(Self { allow_private, mode: KeyMode::of(is_sandbox) })
    }
}

/// Makes the due callbacks to the receiver of the lane.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    let rules = CallbackRules::of(ctx, lease.client).await?;
    while !lease.is_over() {
        let due = {
            let mut db = ctx.db.acquire().await?;
            callbacks::due(&mut db, lease.client, lease.lane, ctx.now(), PAGE).await?
        };
        if due.is_empty() {
            return Ok(());
        }
        let calls = due.into_iter().map(|callback| attempt(ctx, lease, callback, rules));
        let ended: Vec<(SmsCallback, bool)> = stream::iter(calls).buffer_unordered(IN_FLIGHT).collect().await;
        settle(ctx, lease, &ended).await?;
    }
    Ok(())
}

async fn attempt(ctx: &Context, lease: &Lease, callback: SmsCallback, rules: CallbackRules) -> (SmsCallback, bool) {
    let form = ("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned());
    let request = match callback.posts {
        true => (callback.url.clone(), vec![form], Bytes::from(callback.form.clone())),
        false => (with_query(&callback.url, &callback.form), Vec::new(), Bytes::new()),
    };
    let (url, mut headers, body) = request;
    if rules.mode.is_test() {
        headers.push((TEST_HEADER.to_owned(), "true".to_owned()));
    }
    let request = GuardedRequest {
        method: if callback.posts { "POST" } else { "GET" }.to_owned(),
        url,
        headers,
        body,
        max_response_bytes: ANSWER_MAX,
        timeout: Some(TIMEOUT),
        allow_private: rules.allow_private,
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

/// Stores the outcomes; if the lane is lost, at least the successful ones, so that they are not repeated.
async fn settle(ctx: &Context, lease: &Lease, ended: &[(SmsCallback, bool)]) -> Result<()> {
    let (mut done, mut again): (Vec<&SmsCallback>, Vec<(&SmsCallback, DateTime<Utc>)>) = (Vec::new(), Vec::new());
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
        metrics::counter!("patchbay_sms_callbacks_total", "outcome" => outcome).increment(1);
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
            callbacks::postpone(&mut tx, lease.client, &again).await?;
        }
        tx.commit().await?;
        held
    })
    .await
}

fn next(callback: &SmsCallback, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    RETRIES.next_attempt(callback.attempts, callback.created_at, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callback(attempts: i32) -> SmsCallback {
        SmsCallback {
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
