//! Accepts a mail: it is checked, charged, stored and scheduled before it is acknowledged. Its subject is a password
//! and is not stored. Only the text and the sender are stored.

use std::{net::IpAddr, sync::Arc, time::Duration};

use async_trait::async_trait;
use base::{
    Context, Error, Result,
    audit::Administration,
    lanes::{silent, within},
};
use channels::email::{FromHeader, MailContent, MailEvents, MailVerdict, ReceivedMail};
use domain::{
    content::SmsContent,
    ids::{ClientId, UserId},
    sms_products::{
        SmsProduct,
        batch::BatchFault,
        email::{AnswerMail, EmailAddress, EmailSend, MailRoute},
    },
};
use storage::{sms::products::mails::OriginMail, tenancy::email_senders};
use tenancy::accounts::{LoginError, PresentedPassword, confirm_password};

use super::outgoing_mail::{MailedRequest, answer};
use crate::{
    accept::{self, AcceptOutcome},
    order::{OrderedText, SmsOrder},
};

/// Bound on error mails to one sender per hour.
const ERRORS_PER_HOUR: i32 = 20;

/// Bound on handling one mail. After it the sender must try again later, since the database does not answer.
const LONGEST: Duration = Duration::from_secs(25);

pub struct Mails {
    ctx: Arc<Context>,
}

impl Mails {
    /// For `channels::email::listen`.
    pub fn new(ctx: Arc<Context>) -> Arc<Self> {
        Arc::new(Self { ctx })
    }
}

#[async_trait]
impl MailEvents for Mails {
    async fn mail(&self, mail: ReceivedMail) -> MailVerdict {
        let taking = within(LONGEST, take(&self.ctx, mail)).await.unwrap_or_else(|| Err(silent()));
        let verdict = taking.unwrap_or_else(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "a mail could not be accepted; its sender tries again"
            );
            MailVerdict::NotNow
        });
        metrics::counter!("patchbay_email_received_total", "outcome" => outcome(verdict)).increment(1);
        verdict
    }
}

fn outcome(verdict: MailVerdict) -> &'static str {
    match verdict {
        MailVerdict::Taken => "taken",
        MailVerdict::Dropped => "dropped",
        MailVerdict::UnknownSender => "unknown sender",
        MailVerdict::Forged => "forged",
        MailVerdict::TooManyPasswords => "too many passwords",
        MailVerdict::Refused(_) => "refused",
        MailVerdict::NotNow => "not now",
    }
}

struct OfSender {
    client: ClientId,
    user: UserId,
    origin: OriginMail,
}

async fn take(ctx: &Context, mail: ReceivedMail) -> Result<MailVerdict> {
    let ReceivedMail { sender, route, mailboxes, source, content } = mail;
    let Some(sender) = sender.filter(|_| !content.automatic) else { return Ok(MailVerdict::Dropped) };
    let found = {
        let mut db = ctx.db.acquire().await?;
        email_senders::find(&mut db, &sender).await?
    };
    let Some((client, user)) = found else { return Ok(MailVerdict::UnknownSender) };
    if is_forged(&content.from, &sender) {
        return Ok(MailVerdict::Forged);
    }
    let MailContent { subject, body, flow, message_id, .. } = content;
    let of = OfSender { client, user, origin: OriginMail { sender, message_id } };
    match confirm(ctx, &of, subject, source).await? {
        Password::Right => {}
        Password::Wrong(said) => return refuse(ctx, &of, &BatchFault::new(1010, said)).await,
        Password::Judged(verdict) => return Ok(verdict),
    }
    // PostgreSQL texts have no NUL characters.
    match EmailSend::of(&mailboxes, &body.replace('\0', "\u{fffd}"), flow) {
        Err(fault) => refuse(ctx, &of, &fault).await,
        Ok(send) => match route {
            MailRoute::Phone => accept(ctx, of, send).await,
            MailRoute::Test => answer_trial(ctx, &of, &send).await,
        },
    }
}

fn is_forged(from: &FromHeader, sender: &EmailAddress) -> bool {
    match from {
        FromHeader::Missing => false,
        FromHeader::One(from) => from != sender,
        FromHeader::Unclear => true,
    }
}

enum Password {
    Right,
    Wrong(&'static str),
    /// It was not checked.
    Judged(MailVerdict),
}

async fn confirm(ctx: &Context, of: &OfSender, subject: String, source: IpAddr) -> Result<Password> {
    let admin = Administration { db: &ctx.db, clock: ctx.clock.as_ref(), ids: &ctx.ids, sealer: &ctx.sealer };
    let presented = PresentedPassword {
        on_behalf_of: of.origin.sender.as_str(),
        password: subject.trim().to_owned(),
        from: Some(source),
    };
    match confirm_password(&admin, of.client, of.user, presented).await {
        Ok(()) => Ok(Password::Right),
        Err(LoginError::InvalidCredentials) => {
            Ok(Password::Wrong("authentication failed: the subject of the mail must be the account's password"))
        }
        Err(LoginError::TemporaryPassword) => {
            Ok(Password::Wrong("authentication failed: the password is temporary, choose your own first"))
        }
        Err(LoginError::PasswordOff) => Ok(Password::Wrong(
            "authentication failed: the client accepts no passwords of people, send as a user with the role API",
        )),
        Err(LoginError::RateLimited { .. }) => Ok(Password::Judged(MailVerdict::TooManyPasswords)),
        Err(LoginError::Disabled(_)) => Ok(Password::Judged(MailVerdict::UnknownSender)),
        Err(LoginError::Crowded) => Ok(Password::Judged(MailVerdict::NotNow)),
        Err(LoginError::Failed(error)) => Err(error),
    }
}

async fn accept(ctx: &Context, of: OfSender, send: EmailSend) -> Result<MailVerdict> {
    let OfSender { client, user, origin } = of;
    let text = OrderedText {
        content: SmsContent { text: send.text.clone(), ..SmsContent::default() },
        parts: send.parts,
        // If a mail server repeats a mail because it missed our answer, the mail is not sent twice.
        ct_id: origin.message_id.clone(),
        recipients: send.numbers.iter().map(|number| (number.clone(), None)).collect(),
    };
    let mailed = MailedRequest { origin: origin.clone(), send };
    let order = SmsOrder {
        id: ctx.mint(),
        product: SmsProduct::Email,
        receipt_url: None,
        reply_url: None,
        posts_replies: false,
        forget_at: None,
        batch: None,
        wants_receipts: true,
        wants_replies: true,
        response: None,
        source: None,
        texts: vec![text],
        due: None,
        mailed: Some(mailed),
    };
    match accept::accept(ctx, client, &order).await? {
        AcceptOutcome::Stored | AcceptOutcome::Before(_) => Ok(MailVerdict::Taken),
        AcceptOutcome::NoCredits => refuse(ctx, &OfSender { client, user, origin }, &BatchFault::no_credits()).await,
        AcceptOutcome::SameName => Err(Error::Stopped),
    }
}

async fn answer_trial(ctx: &Context, of: &OfSender, send: &EmailSend) -> Result<MailVerdict> {
    let mut tx = ctx.db.begin().await?;
    let wake = answer(ctx, &mut tx, of.client, &of.origin, AnswerMail::result(send, None, &[], ctx.now())).await?;
    tx.commit().await?;
    ctx.wake.wake_all(of.client, wake);
    Ok(MailVerdict::Taken)
}

/// Mails an error back. Nothing is sent or charged. If no mail goes out, the listener reports the error.
async fn refuse(ctx: &Context, of: &OfSender, fault: &BatchFault) -> Result<MailVerdict> {
    let mut tx = ctx.db.begin().await?;
    let sender = &of.origin.sender;
    let wake = if email_senders::count_error(&mut tx, of.client, sender, ERRORS_PER_HOUR, ctx.now()).await? {
        answer(ctx, &mut tx, of.client, &of.origin, AnswerMail::refusal(fault, ctx.now())).await?
    } else {
        None
    };
    tx.commit().await?;
    let mailed = wake.is_some();
    ctx.wake.wake_all(of.client, wake);
    Ok(if mailed { MailVerdict::Taken } else { MailVerdict::Refused(fault.code) })
}
