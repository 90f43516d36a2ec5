//! Delivers mails to clients through the relay: results, errors and replies of subscribers. Each is tried for three
//! days.

use std::collections::HashMap;

use base::{
    Context, Error, Result,
    lanes::{Lease, write_down},
};
use channels::email::{RelayError, RelayMail, SmtpRelay};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::{ClientId, SmsRequestId},
    sms_products::email::{AnswerMail, EmailSend, SubscriberReply},
};
use futures::{StreamExt, stream};
use storage::{
    PgConnection, Queue,
    sms::products::{
        mails::{self, OriginMail, OutgoingMail},
        replies,
    },
};
use uuid::Uuid;

use crate::retry::RetryPlan;

const PAGE: i64 = 32;
/// Parallel sessions with the relay per client.
const IN_FLIGHT: usize = 4;
const RETRIES: RetryPlan =
    RetryPlan { pauses: &[60, 300, 900, 1800, 3600, 7200, 14400], tried_for: TimeDelta::hours(72) };

pub(crate) struct MailedRequest {
    pub(crate) origin: OriginMail,
    pub(crate) send: EmailSend,
}

/// A request that was accepted from a mail.
pub(crate) struct MailAcceptance<'a> {
    pub(crate) request: SmsRequestId,
    pub(crate) mailed: &'a MailedRequest,
    /// Recipients that opted out.
    pub(crate) blocked: &'a [String],
}

/// Stores the mail of a request and queues the result of the batch, in the caller's transaction. Returns the lane to
/// wake.
pub(crate) async fn mail_acceptance(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    MailAcceptance { request, mailed, blocked }: MailAcceptance<'_>,
) -> Result<Option<(Queue, Uuid)>> {
    mails::insert_origin(db, client, request, &mailed.origin).await?;
    let result = AnswerMail::result(&mailed.send, Some(request), blocked, ctx.now());
    answer(ctx, db, client, &mailed.origin, result).await
}

/// Queues a subscriber's reply for the sender of the mail.
pub(crate) async fn mail_reply(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    reply: &replies::SmsProductReply,
) -> Result<Option<(Queue, Uuid)>> {
    let Some(origin) = origins(db, client, &[reply.request]).await?.remove(&reply.request) else {
        return Ok(None);
    };
    let told = SubscriberReply { subscriber: &reply.subscriber, text: &reply.body }.into_mail();
    answer(ctx, db, client, &origin, told).await
}

/// Returns the mails of requests. One that cannot be read gets no answer, and does not hold up the others.
pub(crate) async fn origins(
    db: &mut PgConnection,
    client: ClientId,
    requests: &[SmsRequestId],
) -> Result<HashMap<SmsRequestId, OriginMail>> {
    let found = mails::origins(db, client, requests).await?.into_iter().filter_map(|(request, origin)| match origin {
        Ok(origin) => Some((request, origin)),
        Err(error) => {
            tracing::error!(client.id = %client, request.id = %request, error = &error as &dyn std::error::Error,
                "the mail of an SMS request cannot be read; it gets no answer");
            None
        }
    });
    Ok(found.collect())
}

/// Queues an answer to the sender of a mail. Does nothing if no relay is configured.
pub(super) async fn answer(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    origin: &OriginMail,
    answer: AnswerMail,
) -> Result<Option<(Queue, Uuid)>> {
    if ctx.relay.is_none() {
        return Ok(None);
    }
    let mail = OutgoingMail::to(origin, ctx.mint(), answer, ctx.now());
    mails::insert(db, client, std::slice::from_ref(&mail)).await?;
    Ok(Some((Queue::Email, client.0)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Sent,
    Refused,
    NotNow,
    /// The process is stopping, so the outcome is unknown.
    Open,
}

/// Hands the due mails of a client to the relay.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    while !lease.is_over() {
        let due = {
            let mut db = ctx.db.acquire().await?;
            mails::due(&mut db, lease.client, lease.lane, ctx.now(), PAGE).await?
        };
        if due.is_empty() {
            return Ok(());
        }
        let attempts = due.into_iter().map(|mail| async {
            let ended = attempt(ctx.relay.as_ref(), lease, &mail).await;
            (mail, ended)
        });
        let ended: Vec<(OutgoingMail, Ended)> = stream::iter(attempts).buffered(IN_FLIGHT).collect().await;
        settle(ctx, lease, ended).await?;
    }
    Ok(())
}

async fn attempt(relay: Option<&SmtpRelay>, lease: &Lease, mail: &OutgoingMail) -> Ended {
    let Some(relay) = relay else { return Ended::NotNow };
    let id = mail.id.to_string();
    let handed = RelayMail {
        id: &id,
        mailbox: &mail.mailbox,
        recipient: &mail.recipient,
        subject: &mail.subject,
        body: &mail.body,
        in_reply_to: mail.in_reply_to.as_deref(),
        written_at: mail.created_at,
    };
    match lease.stop.run_until_cancelled(relay.send(handed)).await {
        None => Ended::Open,
        Some(Ok(())) => Ended::Sent,
        Some(Err(RelayError::Refused)) => Ended::Refused,
        Some(Err(RelayError::NotNow)) => Ended::NotNow,
    }
}

/// Stores the outcomes; if the lane is lost, at least the delivered mails, so that they are not repeated.
async fn settle(ctx: &Context, lease: &Lease, ended: Vec<(OutgoingMail, Ended)>) -> Result<()> {
    let (mut done, mut again): (Vec<Uuid>, Vec<(Uuid, DateTime<Utc>)>) = (Vec::new(), Vec::new());
    for (mail, ended) in ended {
        let outcome = match (ended, next(&mail, ctx.now())) {
            (Ended::Open, _) => continue,
            (Ended::Sent, _) => "sent",
            (Ended::NotNow, Some(due)) => {
                again.push((mail.id, due));
                "failed"
            }
            (Ended::NotNow, None) | (Ended::Refused, _) => {
                tracing::warn!(client.id = %lease.client, mail.id = %mail.id, "a mail was given up");
                "given up"
            }
        };
        metrics::counter!("patchbay_email_sent_total", "outcome" => outcome).increment(1);
        if outcome != "failed" {
            done.push(mail.id);
        }
    }
    write_down(ctx, || async {
        let mut tx = ctx.db.begin().await?;
        let held = lease.hold(&mut tx).await;
        if let Err(error) = &held
            && !matches!(error, Error::LeaseLost)
        {
            return held;
        }
        mails::done(&mut tx, lease.client, &done).await?;
        if held.is_ok() {
            mails::postpone(&mut tx, lease.client, &again).await?;
        }
        tx.commit().await?;
        held
    })
    .await
}

/// Time of the next attempt of a failed mail. `None` if its time is over.
fn next(mail: &OutgoingMail, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    RETRIES.next_attempt(mail.attempts, mail.created_at, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(hours: i64, attempts: i32) -> Option<i64> {
        let mail = OutgoingMail {
            id: Uuid::nil(),
            mailbox: String::new(),
            recipient: String::new(),
            subject: String::new(),
            body: String::new(),
            in_reply_to: None,
            attempts,
            created_at: DateTime::UNIX_EPOCH,
        };
        let now = DateTime::UNIX_EPOCH + TimeDelta::hours(hours);
        next(&mail, now).map(|due| (due - now).num_minutes())
    }

    #[test]
    fn pauses_between_attempts_grow_to_four_hours() {
        assert_eq!([0, 1, 6, 7, 50].map(|attempts| after(1, attempts)), [1, 5, 240, 240, 240].map(Some));
    }

    #[test]
    fn a_mail_is_tried_for_three_days() {
        assert_eq!(after(71, 50), Some(60));
        assert_eq!(after(72, 50), None);
    }
}
