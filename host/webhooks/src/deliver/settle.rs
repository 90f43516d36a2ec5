use std::{sync::Arc, time::Duration};

use base::{
    Context, Result,
    lanes::{LaneState, Lease, write_down},
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::{DeliveryId, InboxId},
    webhook::{AfterFailure, AnswerVerdict, DisabledReason, FailedAttempt, after_failure},
};
use storage::{
    PgConnection,
    webhooks::{
        configs,
        deliveries::{self, DeliveryFate, FinishedDelivery, NewAttempt, OutcomeRows},
    },
};

use super::{
    attempt::{DeliveryTarget, FinishedAttempt},
    disable::{DisableCause, disable},
    endpoint::endpoint_of,
};

const FAILING_TOO_LONG: TimeDelta = TimeDelta::days(5);

/// Outcomes that are stored together.
pub(super) struct AttemptGroup {
    pub(super) attempts: Vec<FinishedAttempt>,
    /// The endpoint has failed since this time without a success.
    pub(super) failing_since: Option<DateTime<Utc>>,
    /// True if nothing else is in flight or waiting.
    pub(super) is_last: bool,
}

pub(super) struct SettledDeliveries {
    pub(super) ids: Vec<DeliveryId>,
    pub(super) failing_since: Option<DateTime<Utc>>,
    pub(super) disabled: bool,
    /// `None`: the lane has gone to another process.
    pub(super) lane: Option<LaneState>,
}

/// Stores a group of outcomes in one transaction. Tries again while the database is down. If the lane is lost, attempts
/// are still stored, but not the endpoint's health. If the group `is_last`, the lane is given back unless more is due.
pub(super) async fn settle(
    ctx: &Context,
    lease: &Lease,
    target: Arc<DeliveryTarget>,
    group: AttemptGroup,
) -> Result<SettledDeliveries> {
    let AttemptGroup { attempts: group, failing_since, is_last } = group;
    let now = ctx.now();
    let schedule = &ctx.settings.webhooks.retry_schedule;
    let finished: Vec<FinishedDelivery<'_>> =
        group.iter().map(|attempted| finish(attempted, schedule, now, ctx.ids.random())).collect();
    // An answer of an earlier address says nothing about the present one.
    let of_this_address = group.iter().filter(|attempted| attempted.target.url == target.url);
    let health = Health::after(of_this_address, failing_since);
    count(&group);
    let attempts: Vec<NewAttempt> = group.iter().map(|attempted| record(ctx, attempted)).collect();

    let noticed_at = group.first().map(|attempted| attempted.ready.inbox);
    write_down(ctx, || async {
        if health == (Health { failing_since, disable: None }) {
            let mut db = ctx.db.acquire().await?;
            let rows = OutcomeRows { finished: &finished, attempts: &attempts };
            let lane = write(&mut db, lease, rows, is_last.then(|| ctx.now())).await?;
            return Ok(Written { failing_since, disabled: false, lane });
        }
        let change = HealthChange { was: failing_since, is: &health, noticed_at };
        write_with_health(ctx, lease, &target, OutcomeRows { finished: &finished, attempts: &attempts }, change).await
    })
    .await
    .map(|Written { failing_since, disabled, lane }| SettledDeliveries {
        ids: finished.iter().map(|one| one.id).collect(),
        failing_since,
        disabled,
        lane,
    })
}

struct Written {
    failing_since: Option<DateTime<Utc>>,
    disabled: bool,
    lane: Option<LaneState>,
}

struct HealthChange<'a> {
    /// The endpoint has failed since this time without a success.
    was: Option<DateTime<Utc>>,
    is: &'a Health,
    /// The inbox whose delivery showed it.
    noticed_at: Option<InboxId>,
}

async fn write_with_health(
    ctx: &Context,
    lease: &Lease,
    target: &DeliveryTarget,
    rows: OutcomeRows<'_>,
    change: HealthChange<'_>,
) -> Result<Written> {
    let HealthChange { was: failing_since, is: health, noticed_at } = change;
    let mut tx = ctx.db.begin().await?;
    let lane = write(&mut tx, lease, rows, None).await?;
    if lane.is_none() {
        tx.commit().await?;
        return Ok(Written { failing_since, disabled: false, lane });
    }
    if health.failing_since != failing_since {
        configs::set_failing_since(&mut tx, lease.client, endpoint_of(lease), health.failing_since).await?;
    }
    let wakes = match health.disable {
        Some(reason) => disable(ctx, &mut tx, lease, target, DisableCause { reason, inbox: noticed_at }).await?,
        None => None,
    };
    tx.commit().await?;
    let disabled = wakes.is_some();
    ctx.wake.wake_all(lease.client, wakes.into_iter().flatten());
    Ok(Written { failing_since: health.failing_since, disabled, lane })
}

pub(super) async fn write(
    db: &mut PgConnection,
    lease: &Lease,
    rows: OutcomeRows<'_>,
    give_back_at: Option<DateTime<Utc>>,
) -> Result<Option<LaneState>> {
    let lane = (endpoint_of(lease), lease.fence);
    Ok(deliveries::settle(db, lease.client, lane, rows, give_back_at).await?)
}

fn finish<'a>(
    attempted: &'a FinishedAttempt,
    schedule: &[Duration],
    now: DateTime<Utc>,
    jitter: u64,
) -> FinishedDelivery<'a> {
    let attempts = attempted.ready.attempts.saturating_add(1);
    let fate = match attempted.outcome.verdict {
        AnswerVerdict::Success => DeliveryFate::Delivered,
        AnswerVerdict::Disable => DeliveryFate::Exhausted,
        AnswerVerdict::Failure => {
            let counting = attempts.saturating_sub(attempted.ready.schedule_from);
            next_after_failure(schedule, counting, now, jitter, attempted.outcome.retry_after)
        }
    };
    let body = (!attempted.ready.is_stored).then_some(&*attempted.ready.body);
    FinishedDelivery { id: attempted.ready.id, attempts, fate, body }
}

/// The fate of a delivery that failed `attempts` times: a retry at a time, or its end.
pub(super) fn next_after_failure(
    schedule: &[Duration],
    attempts: u16,
    now: DateTime<Utc>,
    jitter: u64,
    retry_after: Option<Duration>,
) -> DeliveryFate {
    let failed = FailedAttempt { attempts: usize::from(attempts), now, jitter, retry_after };
    match after_failure(schedule, &failed) {
        AfterFailure::RetryAt(at) => DeliveryFate::Retry(at),
        AfterFailure::GiveUp => DeliveryFate::Exhausted,
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Health {
    failing_since: Option<DateTime<Utc>>,
    disable: Option<DisabledReason>,
}

impl Health {
    /// A success in the group resets the health. The outcomes are in the order of their arrival.
    fn after<'a>(group: impl IntoIterator<Item = &'a FinishedAttempt>, failing_since: Option<DateTime<Utc>>) -> Self {
        let mut health = Self { failing_since, disable: None };
        for attempted in group {
            match attempted.outcome.verdict {
                AnswerVerdict::Success => {
                    health.failing_since = None;
                    health.disable = health.disable.filter(|reason| *reason == DisabledReason::Gone);
                }
                AnswerVerdict::Disable => health.disable = Some(DisabledReason::Gone),
                AnswerVerdict::Failure => {
                    let since = *health.failing_since.get_or_insert(attempted.at);
                    if attempted.at - since >= FAILING_TOO_LONG {
                        health.disable.get_or_insert(DisabledReason::Failing);
                    }
                }
            }
        }
        health
    }
}

fn record(ctx: &Context, attempted: &FinishedAttempt) -> NewAttempt {
    NewAttempt {
        id: ctx.mint(),
        delivery: attempted.ready.id,
        attempt: attempted.ready.attempts.saturating_add(1),
        status_code: attempted.outcome.status_code,
        error: attempted.outcome.error.clone(),
        response_start: attempted.outcome.response_start.clone(),
        duration_millis: u32::try_from(attempted.duration.as_millis()).unwrap_or(u32::MAX),
        attempted_at: attempted.at,
    }
}

fn count(group: &[FinishedAttempt]) {
    for attempted in group {
        let result = match attempted.outcome.verdict {
            AnswerVerdict::Success => "delivered",
            AnswerVerdict::Disable => "gone",
            AnswerVerdict::Failure => "failed",
        };
        metrics::counter!("patchbay_webhook_attempts_total", "result" => result).increment(1);
        metrics::histogram!("patchbay_webhook_attempt_seconds").record(attempted.duration.as_secs_f64());
    }
}

#[cfg(test)]
mod tests {

    use bytes::Bytes;
    use domain::ids::InboxId;
    use uuid::Uuid;

    use super::*;
    use crate::deliver::{attempt::AttemptOutcome, send_queue::ReadyDelivery};

    const SCHEDULE: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(300)];

    fn moment(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000 + seconds, 0).unwrap()
    }

    fn attempted(verdict: AnswerVerdict, attempts: u16, at: DateTime<Utc>) -> FinishedAttempt {
        let outcome = AttemptOutcome { verdict, ..AttemptOutcome::failure("no answer in time") };
        let ready = ReadyDelivery {
            id: DeliveryId(Uuid::from_u128(1)),
            order_key: 1,
            inbox: InboxId(Uuid::from_u128(7)),
            attempts,
            schedule_from: 0,
            body: Bytes::from_static(b"{}"),
            is_stored: true,
            message: None,
        };
        let target = DeliveryTarget::new("https://example.com".to_owned(), false, vec![1; 32], vec![]);
        FinishedAttempt { ready, target: Arc::new(target), outcome, at, duration: Duration::from_millis(2) }
    }

    #[test]
    fn a_failure_is_tried_again_until_the_schedule_is_used_up() {
        let fate = |attempts| {
            let attempted = attempted(AnswerVerdict::Failure, attempts, moment(0));
            let done = finish(&attempted, &SCHEDULE, moment(0), u64::MAX / 2);
            (done.attempts, done.fate)
        };
        let (attempts, DeliveryFate::Retry(at)) = fate(0) else { panic!("expected a retry, got {:?}", fate(0)) };
        assert_eq!(attempts, 1);
        assert!((moment(4)..=moment(6)).contains(&at), "{at}");
        let (_, DeliveryFate::Retry(at)) = fate(1) else { panic!("the second delay was not used") };
        assert!((moment(240)..=moment(360)).contains(&at), "{at}");
        assert_eq!(fate(2), (3, DeliveryFate::Exhausted));
    }

    #[test]
    fn a_resent_delivery_has_the_whole_schedule_before_it() {
        let mut attempted = attempted(AnswerVerdict::Failure, 3, moment(0));
        attempted.ready.schedule_from = 3;
        let done = finish(&attempted, &SCHEDULE, moment(0), u64::MAX / 2);
        let DeliveryFate::Retry(at) = done.fate else { panic!("{:?}", done.fate) };
        assert_eq!(done.attempts, 4, "attempts go on counting");
        assert!((moment(4)..=moment(6)).contains(&at), "{at}");
        attempted.ready.attempts = 5;
        assert_eq!(finish(&attempted, &SCHEDULE, moment(0), 0).fate, DeliveryFate::Exhausted);
    }

    #[test]
    fn a_success_counts_its_attempt() {
        let attempted = attempted(AnswerVerdict::Success, 4, moment(0));
        let done = finish(&attempted, &SCHEDULE, moment(0), 0);
        assert_eq!((done.attempts, done.fate), (5, DeliveryFate::Delivered));
    }

    #[test]
    fn a_410_is_not_tried_again_and_disables_the_endpoint() {
        let gone = attempted(AnswerVerdict::Disable, 0, moment(0));
        assert_eq!(finish(&gone, &SCHEDULE, moment(0), 0).fate, DeliveryFate::Exhausted);
        assert_eq!(Health::after(&[gone], None).disable, Some(DisabledReason::Gone));
    }

    #[test]
    fn the_time_of_the_first_failure_is_kept_until_a_success() {
        let failures =
            [attempted(AnswerVerdict::Failure, 0, moment(1)), attempted(AnswerVerdict::Failure, 0, moment(2))];
        assert_eq!(Health::after(&failures, None), Health { failing_since: Some(moment(1)), disable: None });
        assert_eq!(Health::after(&failures, Some(moment(-9))).failing_since, Some(moment(-9)));
        let recovered =
            [attempted(AnswerVerdict::Failure, 0, moment(1)), attempted(AnswerVerdict::Success, 0, moment(2))];
        assert_eq!(Health::after(&recovered, Some(moment(-9))), Health { failing_since: None, disable: None });
    }

    #[test]
    fn five_days_of_failure_disable_an_endpoint_and_a_second_less_does_not() {
        let days = 5 * 24 * 3600;
        let failing = |at| Health::after(&[attempted(AnswerVerdict::Failure, 0, moment(at))], Some(moment(0)));
        assert_eq!(failing(days - 1).disable, None);
        assert_eq!(failing(days).disable, Some(DisabledReason::Failing));
    }

    #[test]
    fn a_success_in_the_same_group_saves_an_endpoint_that_failed_for_days() {
        let days = 5 * 24 * 3600;
        let group = [
            attempted(AnswerVerdict::Failure, 0, moment(days)),
            attempted(AnswerVerdict::Success, 0, moment(days + 1)),
        ];
        assert_eq!(Health::after(&group, Some(moment(0))), Health { failing_since: None, disable: None });
    }
}
