//! One attempt: signs the stored bytes, sends them, and interprets the answer.

use std::{sync::Arc, time::Duration};

use channels::{
    http::{GuardedClient, PostAnswer, PostError, WebhookAddress, WebhookPost},
    standard_webhooks::signed_headers,
};
use chrono::{DateTime, Utc};
use domain::{clock::Clock, ids::ClientId, sandbox::KeyMode, webhook::AnswerVerdict};
use storage::webhooks::configs::Endpoint;
use tokio::time::Instant;

use super::send_queue::ReadyDelivery;
use base::{
    Context, Result,
    secrets::SecretPurpose,
    traces::{self, OpenSpan, SpanKind, SpanPlace},
};

pub(super) struct DeliveryTarget {
    pub(super) url: String,
    address: std::result::Result<WebhookAddress, PostError>,
    secret: Vec<u8>,
    /// Replaced secrets, which sign too until these times.
    replaced: Vec<(Vec<u8>, DateTime<Utc>)>,
    pub(super) mode: KeyMode,
}

impl DeliveryTarget {
    /// `allow_private`: the client may have webhooks on private addresses.
    pub(super) fn new(
        url: String,
        allow_private: bool,
        secret: Vec<u8>,
        replaced: Vec<(Vec<u8>, DateTime<Utc>)>,
    ) -> Self {
        let address = WebhookAddress::checked(&url, allow_private);
        Self { url, address, secret, replaced, mode: KeyMode::Live }
    }

    pub(super) fn of(ctx: &Context, client: ClientId, endpoint: Endpoint) -> Result<Self> {
        let open = |sealed: &[u8]| ctx.sealer.open(client, SecretPurpose::WebhookSecret, sealed);
        let now = ctx.now();
        let replaced = endpoint.replaced_secrets().filter(|(_, expires_at)| now < *expires_at);
        let replaced = replaced.map(|(sealed, expires_at)| open(sealed).map(|old| (old, expires_at)));
        let replaced = replaced.collect::<std::result::Result<_, _>>()?;
        let secret = open(&endpoint.secret_sealed)?;
        let allow_private = ctx.settings.webhooks.allow_private_targets || endpoint.allow_private_targets;
        let mode = KeyMode::of(endpoint.is_sandbox);
        Ok(Self { mode, ..Self::new(endpoint.url, allow_private, secret, replaced) })
    }

    /// The request of an attempt at `now`. The id stays; timestamp and signatures are new.
    fn post(&self, ready: &ReadyDelivery, now: DateTime<Utc>) -> std::result::Result<WebhookPost, PostError> {
        let to = self.address.clone()?;
        let id = ready.id.to_string();
        let headers = signed_headers(&self.secrets(now), &id, now.timestamp(), &ready.body, self.mode);
        Ok(WebhookPost { to, headers, body: ready.body.clone() })
    }

    pub(super) fn secrets(&self, now: DateTime<Utc>) -> Vec<&[u8]> {
        let replaced = self.replaced.iter().filter(|(_, expires_at)| now < *expires_at);
        std::iter::once(&self.secret).chain(replaced.map(|(old, _)| old)).map(Vec::as_slice).collect()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AttemptOutcome {
    pub(super) verdict: AnswerVerdict,
    pub(super) status_code: Option<u16>,
    pub(super) retry_after: Option<Duration>,
    pub(super) error: Option<String>,
    pub(super) response_start: Option<String>,
}

impl AttemptOutcome {
    fn of(result: std::result::Result<PostAnswer, PostError>) -> Self {
        match result {
            Ok(answer) => Self::of_answer(answer),
            Err(error) => Self::failure(&error.to_string()),
        }
    }

    fn of_answer(answer: PostAnswer) -> Self {
        let verdict = AnswerVerdict::of_status(answer.status);
        let failed = verdict != AnswerVerdict::Success;
        Self {
            verdict,
            status_code: Some(answer.status),
            retry_after: answer.retry_after,
            error: failed.then(|| failure_text(answer.status)),
            response_start: (!answer.body_start.is_empty()).then(|| storable(&answer.body_start)),
        }
    }

    pub(super) fn failure(why: &str) -> Self {
        Self {
            verdict: AnswerVerdict::Failure,
            status_code: None,
            retry_after: None,
            error: Some(storable(why)),
            response_start: None,
        }
    }
}

fn failure_text(status: u16) -> String {
    match status {
        300..=399 => format!("answered {status}: redirects are not followed; give the final address"),
        410 => "answered 410: the endpoint is turned off until its address is saved again".to_owned(),
        _ => format!("answered {status}: only 2xx counts as received"),
    }
}

/// Removes NUL characters, which a receiver may send and PostgreSQL cannot store.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

pub(super) struct FinishedAttempt {
    pub(super) ready: ReadyDelivery,
    pub(super) target: Arc<DeliveryTarget>,
    pub(super) outcome: AttemptOutcome,
    pub(super) at: DateTime<Utc>,
    pub(super) duration: Duration,
}

pub(super) async fn attempt(
    client: ClientId,
    http: GuardedClient,
    clock: Arc<dyn Clock>,
    target: Arc<DeliveryTarget>,
    ready: ReadyDelivery,
) -> FinishedAttempt {
    let at = clock.now();
    let span = open_span(&ready);
    let began = Instant::now();
    let outcome = AttemptOutcome::of(match target.post(&ready, at) {
        Ok(post) => http.post(post).await,
        Err(refused) => Err(refused),
    });
    report(client, &ready, &outcome, span);
    FinishedAttempt { ready, target, outcome, at, duration: began.elapsed() }
}

/// Opens the span of an attempt, in the trace of its message if that is known. Later attempts have a trace with the id of
/// the delivery, to which the first one links.
fn open_span(ready: &ReadyDelivery) -> Option<OpenSpan> {
    match ready.message {
        Some(message) => {
            let delivery = SpanPlace::first_of(ready.id.0);
            Some(traces::about(message, SpanKind::Client)?.linked_to(Some(delivery)))
        }
        None => traces::about(ready.id.0, SpanKind::Client),
    }
}

fn report(client: ClientId, ready: &ReadyDelivery, outcome: &AttemptOutcome, span: Option<OpenSpan>) {
    let Some(span) = span else { return };
    let span = match outcome.status_code {
        Some(status) => span.with("http.response.status_code", i64::from(status)),
        None => span,
    };
    span.of(client)
        .with("patchbay.delivery.id", ready.id.0)
        .with("patchbay.inbox.id", ready.inbox.0)
        .with("patchbay.attempt", i64::from(ready.attempts) + 1)
        .failed(outcome.verdict != AnswerVerdict::Success)
        .end("webhook attempt");
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use channels::standard_webhooks::{ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, sign};
    use chrono::TimeDelta;
    use domain::ids::{DeliveryId, InboxId};
    use uuid::Uuid;

    use super::*;

    fn answer(status: u16, body_start: &str) -> PostAnswer {
        PostAnswer {
            status,
            retry_after: Some(Duration::from_secs(9)),
            body_start: body_start.to_owned(),
            duration: Duration::from_millis(3),
        }
    }

    fn moment() -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000, 0).unwrap()
    }

    fn target() -> DeliveryTarget {
        let replaced = vec![(vec![1; 32], moment() + TimeDelta::hours(24))];
        DeliveryTarget::new("https://example.com".to_owned(), false, vec![2; 32], replaced)
    }

    fn ready() -> ReadyDelivery {
        ReadyDelivery {
            id: DeliveryId(Uuid::from_u128(5)),
            order_key: 1,
            inbox: InboxId(Uuid::from_u128(7)),
            attempts: 2,
            schedule_from: 0,
            body: Bytes::from_static(b"{\"status\":\"READ\"}"),
            is_stored: true,
            message: None,
        }
    }

    fn header(target: &DeliveryTarget, now: DateTime<Utc>, name: &str) -> String {
        target.post(&ready(), now).unwrap().headers[name].to_str().unwrap().to_owned()
    }

    #[test]
    fn the_beginning_of_any_answer_is_kept() {
        let outcome = AttemptOutcome::of(Ok(answer(200, "thanks")));
        assert_eq!((outcome.verdict, outcome.error), (AnswerVerdict::Success, None));
        assert_eq!(outcome.response_start.as_deref(), Some("thanks"));
        assert_eq!(AttemptOutcome::of(Ok(answer(204, ""))).response_start, None);
    }

    #[test]
    fn a_redirect_is_a_failure_that_says_so() {
        let outcome = AttemptOutcome::of(Ok(answer(301, "")));
        assert_eq!(outcome.verdict, AnswerVerdict::Failure);
        assert!(outcome.error.unwrap().contains("redirects are not followed"));
        assert_eq!(outcome.response_start, None);
    }

    #[test]
    fn a_410_disables_the_endpoint_and_a_throttle_keeps_its_retry_time() {
        assert_eq!(AttemptOutcome::of(Ok(answer(410, ""))).verdict, AnswerVerdict::Disable);
        assert_eq!(AttemptOutcome::of(Ok(answer(429, ""))).retry_after, Some(Duration::from_secs(9)));
    }

    #[test]
    fn no_answer_is_a_failure_without_a_status() {
        let outcome = AttemptOutcome::of(Err(PostError::Timeout));
        assert_eq!((outcome.verdict, outcome.status_code), (AnswerVerdict::Failure, None));
        assert_eq!(outcome.error.as_deref(), Some("no answer in time"));
    }

    #[test]
    fn any_answer_of_a_receiver_can_be_stored() {
        let outcome = AttemptOutcome::of(Ok(answer(500, "a\0b")));
        assert_eq!(outcome.response_start.as_deref(), Some("a\u{fffd}b"));
    }

    #[test]
    fn each_attempt_has_a_new_timestamp_and_the_same_id() {
        let target = target();
        let (first, second) = (moment(), moment() + TimeDelta::minutes(5));
        assert_eq!(header(&target, first, ID_HEADER), header(&target, second, ID_HEADER));
        assert_eq!(header(&target, second, TIMESTAMP_HEADER), "1790000300");
        assert_ne!(header(&target, first, SIGNATURE_HEADER), header(&target, second, SIGNATURE_HEADER));
        assert_eq!(header(&target, first, "content-type"), "application/json");
    }

    #[test]
    fn a_replaced_secret_signs_until_its_time_and_no_longer() {
        let (target, ready) = (target(), ready());
        let id = ready.id.to_string();
        let both = sign(&[&[2; 32], &[1; 32]], &id, moment().timestamp(), &ready.body);
        assert_eq!(header(&target, moment(), SIGNATURE_HEADER), both);
        let end = moment() + TimeDelta::hours(24);
        let new = sign(&[&[2; 32]], &id, end.timestamp(), &ready.body);
        assert_eq!(header(&target, end, SIGNATURE_HEADER), new);
    }

    #[test]
    fn every_attempt_at_a_refused_address_ends_with_the_refusal() {
        let target = DeliveryTarget::new("http://127.0.0.1/".to_owned(), false, vec![2; 32], Vec::new());
        assert!(matches!(target.post(&ready(), moment()), Err(PostError::Refused(_))));
    }
}
