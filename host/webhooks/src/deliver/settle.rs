use std::{sync::Arc, time::Duration};

use base::{
    Context, Result,
    lanes::{LaneState, Lease, write_down},
};
use chrono::{DateTime, Utc};
use domain::{
    ids::{DeliveryId, InboxId},
    webhook::{AfterFailure, AnswerVerdict, DisabledReason, FailedAttempt, FailurePeriod, after_failure},
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

/// Outcomes that are stored together.
pub(super) struct AttemptGroup {
    pub(super) attempts: Vec<FinishedAttempt>,
    /// The failures of the endpoint since its last success.
    pub(super) failing: Option<FailurePeriod>,
    /// True if nothing else is in flight or waiting.
    pub(super) is_last: bool,
}

pub(super) struct SettledDeliveries {
    pub(super) ids: Vec<DeliveryId>,
    pub(super) failing: Option<FailurePeriod>,
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
    let AttemptGroup { attempts: group, failing, is_last } = group;
    let now = ctx.now();
    let schedule = &ctx.settings.webhooks.retry_schedule;
    let finished: Vec<FinishedDelivery<'_>> =
        group.iter().map(|attempted| finish(attempted, schedule, now, ctx.ids.random())).collect();
    // An answer of an earlier address says nothing about the present one.
    let of_this_address = group.iter().filter(|attempted| attempted.target.url == target.url);
    let health = Health::after(of_this_address, failing, schedule);
    count(&group);
    let attempts: Vec<NewAttempt> = group.iter().map(|attempted| record(ctx, attempted)).collect();

    let noticed_at = group.first().map(|attempted| attempted.ready.inbox);
    write_down(ctx, || async {
        if health == (Health { failing, disable: None }) {
            let mut db = ctx.db.acquire().await?;
            let rows = OutcomeRows { finished: &finished, attempts: &attempts };
            let lane = write(&mut db, lease, rows, is_last.then(|| ctx.now())).await?;
            return Ok(Written { failing, disabled: false, lane });
        }
        let change = HealthChange { was: failing, is: &health, noticed_at };
        write_with_health(ctx, lease, &target, OutcomeRows { finished: &finished, attempts: &attempts }, change).await
    })
    .await
    .map(|Written { failing, disabled, lane }| SettledDeliveries {
        ids: finished.iter().map(|one| one.id).collect(),
        failing,
        disabled,
        lane,
    })
}

struct Written {
    failing: Option<FailurePeriod>,
    disabled: bool,
    lane: Option<LaneState>,
}

struct HealthChange<'a> {
    was: Option<FailurePeriod>,
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
    let HealthChange { was: failing, is: health, noticed_at } = change;
    let mut tx = ctx.db.begin().await?;
    let lane = write(&mut tx, lease, rows, None).await?;
    if lane.is_none() {
        tx.commit().await?;
        return Ok(Written { failing, disabled: false, lane });
    }
    if health.failing != failing {
        configs::set_failing(&mut tx, lease.client, endpoint_of(lease), health.failing).await?;
    }
    let wakes = match health.disable {
        Some(reason) => disable(ctx, &mut tx, lease, target, DisableCause { reason, inbox: noticed_at }).await?,
        None => None,
    };
    tx.commit().await?;
    let disabled = wakes.is_some();
    ctx.wake.wake_all(lease.client, wakes.into_iter().flatten());
    Ok(Written { failing: health.failing, disabled, lane })
}

pub(super) async fn write(
    db: &mut PgConnection,
    lease: &Lease,
    rows: OutcomeRows<'_>,
    give_back_at: Option<DateTime<Utc>>,
) -> Result<Option<LaneState>> {
    Ok(deliveries::settle(db, lease.key(), lease.fence, rows, give_back_at).await?)
}

fn finish<'a>(
    attempted: &'a FinishedAttempt,
    schedule: &[Duration],
    now: DateTime<Utc>,
    jitter: u64,
) -> FinishedDelivery<'a> {
    let attempts = attempts_with(attempted);
    let fate = match attempted.outcome.verdict {
        AnswerVerdict::Success => DeliveryFate::Delivered,
        AnswerVerdict::Disable => DeliveryFate::Exhausted,
        AnswerVerdict::Failure => {
            next_after_failure(schedule, attempts_of_schedule(attempted), now, jitter, attempted.outcome.retry_after)
        }
    };
    let body = (!attempted.ready.is_stored).then_some(&*attempted.ready.body);
    FinishedDelivery { id: attempted.ready.id, attempts, fate, body }
}

/// The attempts of a delivery with this one.
fn attempts_with(attempted: &FinishedAttempt) -> u16 {
    attempted.ready.attempts.saturating_add(1)
}

/// Its attempts since the client had it sent again.
fn attempts_of_schedule(attempted: &FinishedAttempt) -> u16 {
    attempts_with(attempted).saturating_sub(attempted.ready.schedule_from)
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
    failing: Option<FailurePeriod>,
    disable: Option<DisabledReason>,
}

impl Health {
    /// A success in the group resets the health. The outcomes are in the order of their arrival.
    ///
    /// The first attempt of a delivery disables nothing: a receiver that works again may fail once.
    fn after<'a>(
        group: impl IntoIterator<Item = &'a FinishedAttempt>,
        failing: Option<FailurePeriod>,
        schedule: &[Duration],
    ) -> Self {
        let mut health = Self { failing, disable: None };
        for attempted in group {
            match attempted.outcome.verdict {
                AnswerVerdict::Success => {
                    health.failing = None;
                    health.disable = health.disable.filter(|reason| *reason == DisabledReason::Gone);
                }
                AnswerVerdict::Disable => health.disable = Some(DisabledReason::Gone),
                AnswerVerdict::Failure => {
                    let period = FailurePeriod::with_failure(health.failing, attempted.at, schedule);
                    health.failing = Some(period);
                    let is_repeat = attempts_of_schedule(attempted) > 1 || schedule.is_empty();
                    if is_repeat && period.is_too_long(attempted.at) {
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
        attempt: attempts_with(attempted),
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
    const DAY: i64 = 24 * 3600;

    /// Failures from 0 until the end of the fourth day.
    fn four_days() -> Option<FailurePeriod> {
        Some(FailurePeriod { since: moment(0), last: moment(4 * DAY) })
    }

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
        assert_eq!(Health::after(&[gone], None, &SCHEDULE).disable, Some(DisabledReason::Gone));
    }

    #[test]
    fn the_time_of_the_first_failure_is_kept_until_a_success() {
        let failures =
            [attempted(AnswerVerdict::Failure, 0, moment(1)), attempted(AnswerVerdict::Failure, 0, moment(2))];
        let first = FailurePeriod { since: moment(1), last: moment(1) };
        assert_eq!(Health::after(&failures, None, &SCHEDULE), Health { failing: Some(first), disable: None });
        let known = Some(FailurePeriod { since: moment(-9), last: moment(-9) });
        assert_eq!(Health::after(&failures, known, &SCHEDULE).failing, known);
        let recovered =
            [attempted(AnswerVerdict::Failure, 0, moment(1)), attempted(AnswerVerdict::Success, 0, moment(2))];
        assert_eq!(Health::after(&recovered, known, &SCHEDULE), Health { failing: None, disable: None });
    }

    #[test]
    fn five_days_of_failure_disable_an_endpoint_and_a_second_less_does_not() {
        let failing = |at| Health::after(&[attempted(AnswerVerdict::Failure, 1, moment(at))], four_days(), &SCHEDULE);
        assert_eq!(failing(5 * DAY - 1).disable, None);
        assert_eq!(failing(5 * DAY).disable, Some(DisabledReason::Failing));
    }

    #[test]
    fn two_lone_failures_days_apart_do_not_disable_an_endpoint() {
        let known = Some(FailurePeriod { since: moment(0), last: moment(0) });
        let second = attempted(AnswerVerdict::Failure, 1, moment(6 * DAY));
        let begun = FailurePeriod { since: moment(6 * DAY), last: moment(6 * DAY) };
        assert_eq!(Health::after(&[second], known, &SCHEDULE), Health { failing: Some(begun), disable: None });
    }

    #[test]
    fn the_first_attempt_of_a_delivery_disables_no_endpoint_unless_none_is_repeated() {
        let first = || attempted(AnswerVerdict::Failure, 0, moment(5 * DAY));
        assert_eq!(Health::after(&[first()], four_days(), &SCHEDULE).disable, None);
        assert_eq!(Health::after(&[first()], four_days(), &[]).disable, Some(DisabledReason::Failing));
        let mut resent = attempted(AnswerVerdict::Failure, 3, moment(5 * DAY));
        resent.ready.schedule_from = 3;
        assert_eq!(Health::after(&[resent], four_days(), &SCHEDULE).disable, None, "it was sent again by the client");
    }

    #[test]
    fn a_success_in_the_same_group_saves_an_endpoint_that_failed_for_days() {
        let group = [
            attempted(AnswerVerdict::Failure, 1, moment(5 * DAY)),
            attempted(AnswerVerdict::Success, 0, moment(5 * DAY + 1)),
        ];
        assert_eq!(Health::after(&group, four_days(), &SCHEDULE), Health { failing: None, disable: None });
    }
}
