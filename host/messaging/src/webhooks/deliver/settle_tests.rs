//! Tests of what becomes of deliveries and endpoints.

use bytes::Bytes;
use uuid::Uuid;

use super::*;
use crate::webhooks::deliver::{attempt::Outcome, lineup::Ready};

const SCHEDULE: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(300)];

fn moment(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000 + seconds, 0).unwrap()
}

fn attempted(verdict: Verdict, attempts: u16, at: DateTime<Utc>) -> Attempted {
    let outcome = Outcome { verdict, ..Outcome::failed("no answer in time") };
    let ready = Ready { id: DeliveryId(Uuid::from_u128(1)), order_key: 1, attempts, body: Bytes::from_static(b"{}") };
    let target =
        Target { url: "https://example.com".to_owned(), allow_private: false, secret: vec![1; 32], previous: None };
    Attempted { ready, target: Arc::new(target), outcome, at, duration: Duration::from_millis(2) }
}

#[test]
fn a_failure_is_tried_again_until_the_schedule_is_used_up() {
    let fate =
        |attempts| finished(&attempted(Verdict::Failure, attempts, moment(0)), &SCHEDULE, moment(0), u64::MAX / 2);
    let first = fate(0);
    assert_eq!(first.attempts, 1);
    let Fate::Retry(at) = first.fate else { panic!("expected a retry, got {first:?}") };
    assert!((moment(4)..=moment(6)).contains(&at), "{at}");
    let Fate::Retry(at) = fate(1).fate else { panic!("the second delay was not used") };
    assert!((moment(240)..=moment(360)).contains(&at), "{at}");
    assert_eq!(fate(2), Finished { id: DeliveryId(Uuid::from_u128(1)), attempts: 3, fate: Fate::Exhausted });
}

#[test]
fn a_success_counts_its_attempt() {
    let done = finished(&attempted(Verdict::Success, 4, moment(0)), &SCHEDULE, moment(0), 0);
    assert_eq!((done.attempts, done.fate), (5, Fate::Delivered));
}

#[test]
fn gone_is_not_tried_again_and_disables() {
    let gone = attempted(Verdict::Disable, 0, moment(0));
    assert_eq!(finished(&gone, &SCHEDULE, moment(0), 0).fate, Fate::Exhausted);
    assert_eq!(Health::after(&[gone], None).disable, Some(Reason::Gone));
}

#[test]
fn the_first_failure_is_remembered_and_a_success_forgets_it() {
    let failures = [attempted(Verdict::Failure, 0, moment(1)), attempted(Verdict::Failure, 0, moment(2))];
    assert_eq!(Health::after(&failures, None), Health { failing_since: Some(moment(1)), disable: None });
    assert_eq!(Health::after(&failures, Some(moment(-9))).failing_since, Some(moment(-9)));
    let recovered = [attempted(Verdict::Failure, 0, moment(1)), attempted(Verdict::Success, 0, moment(2))];
    assert_eq!(Health::after(&recovered, Some(moment(-9))), Health { failing_since: None, disable: None });
}

#[test]
fn five_days_of_failure_disable_and_a_second_less_does_not() {
    let days = 5 * 24 * 3600;
    let failing = |at| Health::after(&[attempted(Verdict::Failure, 0, moment(at))], Some(moment(0)));
    assert_eq!(failing(days - 1).disable, None);
    assert_eq!(failing(days).disable, Some(Reason::Failing));
}

#[test]
fn a_success_in_the_same_group_saves_an_endpoint_that_failed_for_days() {
    let days = 5 * 24 * 3600;
    let group = [attempted(Verdict::Failure, 0, moment(days)), attempted(Verdict::Success, 0, moment(days + 1))];
    assert_eq!(Health::after(&group, Some(moment(0))), Health { failing_since: None, disable: None });
}
