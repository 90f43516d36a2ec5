//! A plugin decides if a message becomes an SMS (SPEC 2.4). At most one SMS goes out per message.

pub(crate) mod due_fallbacks;
mod question;
mod values;

use std::{sync::Arc, time::Duration};

use base::{Context, Result, lanes::Lease};
use chrono::TimeDelta;
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    content::{LegContent, SmsContent},
    ids::{ClientId, MessageId},
    inbound::ProviderFailure,
    recipient::order_key,
    segments,
};
use plugin_host::{
    FallbackOutcome, KeyValueWrite, World,
    sms_fallback::{Decision, Sms, Undeliverable},
};
use plugins::{
    calls::{
        self, AnsweringVersion, CallSubject, FinishedCall,
        key_values::WriteOutcome,
        trace::{is_final, is_of_the_host, kind_of},
    },
    slots,
};
use storage::{
    PgConnection, Queue, inboxes,
    outbound::{
        fallbacks::{self, DueFallback, FallbackDecision},
        legs::{self, NewLeg},
    },
    sms::products::replies,
    tenancy::clients,
};
use uuid::Uuid;

use crate::{delivery, dispatch::SEND_PRIORITY};
use due_fallbacks::SWITCHED_OFF;
use values::CustomerValues;

pub const BUILT_IN: &str = "sms-fallback";
/// Calls of a failing plugin before the host decides by the rule of the specification.
const PLUGIN_ATTEMPTS: i16 = 3;
/// Pause if the host could not call the plugin, which does not count as a failure of the plugin.
const HOST_PAUSE: Duration = Duration::from_secs(1);

/// Calls that are repeated because a value that they read has changed. After that the host decides.
const MOST_CONFLICTS: usize = 10;

/// How long a fallback that cannot be read is deferred: a newer release can perhaps read it.
const PUT_ASIDE: TimeDelta = TimeDelta::minutes(10);

const PAGE: i64 = 20;

pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    while !lease.is_over() {
        let mut db = ctx.db.acquire().await?;
        let due = fallbacks::due(&mut db, lease.client, lease.lane, ctx.now(), PAGE).await?;
        drop(db);
        if due.fallbacks.is_empty() && due.unreadable.is_empty() {
            return Ok(());
        }
        for unreadable in due.unreadable {
            report_unreadable(lease, unreadable.message, &unreadable.error);
            put_aside(ctx, lease, unreadable.message).await?;
        }
        for waiting in due.fallbacks {
            match decide(ctx, lease, &waiting).await {
                Err(error) if error.is_of_a_stored_value() => {
                    report_unreadable(lease, waiting.message, &error);
                    put_aside(ctx, lease, waiting.message).await?;
                }
                decided => decided?,
            }
        }
    }
    Ok(())
}

fn report_unreadable(lease: &Lease, message: MessageId, error: &(dyn std::error::Error + 'static)) {
    metrics::counter!("patchbay_messages_unreadable_total").increment(1);
    tracing::error!(client.id = %lease.client, inbox.id = %lease.lane, message.id = %message, error = error,
        "the fallback of a message cannot be read and is deferred for ten minutes; the rest of its lane continues");
}

/// Defers a fallback that cannot be read, so that the rest of its lane continues.
async fn put_aside(ctx: &Context, lease: &Lease, message: MessageId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    fallbacks::postpone(&mut tx, lease.client, message, false, ctx.now() + PUT_ASIDE).await?;
    tx.commit().await?;
    Ok(())
}

async fn decide(ctx: &Context, lease: &Lease, waiting: &DueFallback) -> Result<()> {
    let (slots, owner) = {
        let mut db = ctx.db.acquire().await?;
        let slots = slots::in_force(&mut db, lease.client, World::SmsFallback, waiting.inbox).await?;
        (slots, clients::get(&mut db, lease.client).await?)
    };
    // A client that is being removed has no work.
    let Some(owner) = owner else { return Ok(()) };
    let undeliverable = question::undeliverable(waiting, &owner, ctx.now());
    // By customer and number, so that a customer always gets the same version.
    let chosen = AnsweringVersion::of_or_built_in(&slots, customer_of(waiting), World::SmsFallback, BUILT_IN);
    let mut answering = Arc::new(chosen);
    let mut conflicts = 0;
    loop {
        let about = CallSubject::event(waiting.message.0, waiting.message.0);
        let now = ctx.now();
        let address = waiting.recipient.address();
        let values = CustomerValues::open(ctx, lease.client, answering.name(), address, now).await?;
        let call = answering.call(&ctx.sealer, lease.client, &about, now);
        let outcome = ctx.plugins.decide_fallback(call, &undeliverable, values.snapshot()).await;
        let made = FinishedCall::of(&answering, &about, &outcome, now);
        let plugin = answering.name();
        let error = match outcome {
            Ok(FallbackOutcome { decision, writes, .. }) => {
                let decision = of_plugin(decision, &undeliverable);
                let decided = Decided { decision, values: Some((&values, writes)) };
                let (reason, made) = match apply(ctx, lease, waiting, &answering, decided, made).await? {
                    Applied::Done => return Ok(()),
                    Applied::ReadsChanged(_) if conflicts < MOST_CONFLICTS => {
                        conflicts += 1;
                        continue;
                    }
                    Applied::ReadsChanged(made) => ("the values that it read kept changing".to_owned(), made),
                    Applied::TooMuch(reason, made) => (reason, made),
                };
                let by_rule = Decided { decision: written_rule(&undeliverable), values: None };
                let made = made.mark_unusable(&reason);
                return apply(ctx, lease, waiting, &answering, by_rule, made).await.map(drop);
            }
            Err(error) => error,
        };
        let again = !is_final(&error) && waiting.attempts + 1 < PLUGIN_ATTEMPTS;
        tracing::warn!(message.id = %waiting.message, plugin, outcome = kind_of(&error), again, "a fallback plugin failed");
        if is_of_the_host(&error) {
            return put_off(ctx, lease, waiting, made, None).await;
        }
        if answering.is_canary() {
            // The live version decides at once. If none is live, the rule of the host does.
            keep(ctx, lease, made).await?;
            answering = Arc::new(AnsweringVersion::live_or_built_in(&slots, World::SmsFallback, BUILT_IN));
            continue;
        }
        if again {
            let pause = Duration::from_secs(5_u64.saturating_pow(u32::from(waiting.attempts.unsigned_abs())));
            return put_off(ctx, lease, waiting, made, Some(pause)).await;
        }
        let by_rule = Decided { decision: written_rule(&undeliverable), values: None };
        return apply(ctx, lease, waiting, &answering, by_rule, made).await.map(drop);
    }
}

fn customer_of(waiting: &DueFallback) -> Uuid {
    let key = order_key(waiting.inbox, waiting.recipient.address());
    Uuid::from_u64_pair(0, key.cast_unsigned())
}

/// The SMS, or the reason why there is none. The rule of the host decides if this version does not know the kind of the
/// plugin's decision.
fn of_plugin(decision: Decision, message: &Undeliverable) -> std::result::Result<Sms, String> {
    match decision {
        Decision::Send(sms) => Ok(sms),
        Decision::Skip(reason) => Err(reason),
        Decision::Custom(_) => written_rule(message),
    }
}

fn written_rule(message: &Undeliverable) -> std::result::Result<Sms, String> {
    let text = message.requested.text.clone().or_else(|| message.auto_text.clone()).filter(|text| !text.is_empty());
    match text {
        Some(text) if message.requested.send_fallback => {
            Ok(Sms { text, unicode: message.requested.unicode, sender: None })
        }
        Some(_) => Err("no fallback was requested".to_owned()),
        None => Err("there is no text to send".to_owned()),
    }
}

async fn keep(ctx: &Context, lease: &Lease, made: FinishedCall) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    // Its shadow is not called, because the live version has a shadow too.
    drop(calls::keep(ctx, &mut tx, lease.client, vec![made]).await?);
    tx.commit().await?;
    Ok(())
}

/// Stores a failed call and postpones the decision by this time, or by a moment if the plugin is not at fault.
async fn put_off(
    ctx: &Context,
    lease: &Lease,
    waiting: &DueFallback,
    made: FinishedCall,
    pause: Option<Duration>,
) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    drop(calls::keep(ctx, &mut tx, lease.client, vec![made]).await?);
    let due_at = ctx.now() + pause.unwrap_or(HOST_PAUSE);
    fallbacks::postpone(&mut tx, lease.client, waiting.message, pause.is_some(), due_at).await?;
    tx.commit().await?;
    Ok(())
}

struct Decided<'a> {
    /// The SMS, or the reason why there is none.
    decision: std::result::Result<Sms, String>,
    /// `None` = the host decided.
    values: Option<(&'a CustomerValues, Vec<KeyValueWrite>)>,
}

/// The end of a decision. Except after `Done`, nothing was stored.
enum Applied {
    Done,
    ReadsChanged(Box<FinishedCall>),
    TooMuch(String, Box<FinishedCall>),
}

async fn apply(
    ctx: &Context,
    lease: &Lease,
    waiting: &DueFallback,
    by: &AnsweringVersion,
    Decided { decision, values }: Decided<'_>,
    made: FinishedCall,
) -> Result<Applied> {
    let message = waiting.message;
    let decision = decision.and_then(|sms| sendable(waiting, sms));
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    if let Some((values, writes)) = values {
        match values.write(ctx, &mut tx, &writes).await? {
            WriteOutcome::Written => {}
            WriteOutcome::ReadsChanged => return Ok(Applied::ReadsChanged(Box::new(made))),
            WriteOutcome::TooMuch(reason) => return Ok(Applied::TooMuch(reason, Box::new(made))),
        }
    }
    let kept = calls::keep(ctx, &mut tx, lease.client, vec![made]).await?;
    // The client may have switched fallbacks off since the message failed.
    let enabled = fallbacks::are_enabled(&mut tx, lease.client).await?;
    let decision = if enabled { decision } else { Err(SWITCHED_OFF.to_owned()) };
    let reason = decision.as_ref().err().map(String::as_str);
    let decided = FallbackDecision {
        sent: decision.is_ok(),
        plugin: by.name(),
        version: by.version().and_then(|version| i32::try_from(version).ok()),
        sha256: by.sha256(),
        reason,
        at: ctx.now(),
    };
    if !fallbacks::decide(&mut tx, lease.client, message, &decided).await? {
        return Ok(Applied::Done);
    }
    let wakes: Vec<(Queue, Uuid)> = match decision {
        Ok((sms, phone)) => {
            let source = source_of(ctx, &mut tx, lease.client, waiting, &sms).await?;
            replies::correspond_now(&mut tx, lease.client, &[(&source, phone.value(), message)], ctx.now()).await?;
            let leg = NewLeg {
                channel: Channel::Sms,
                inbox: waiting.sms_inbox,
                address: phone,
                content: Some(LegContent::Sms(sms)),
            };
            legs::append(&mut tx, lease.client, message, &leg, SEND_PRIORITY, ctx.now()).await?;
            vec![(Queue::Outbound, waiting.sms_inbox.0)]
        }
        Err(_) => {
            let code = waiting.error_code.parse().unwrap_or_default();
            let failure = ProviderFailure { code, text: waiting.error_text.clone() };
            delivery::fail_for_good(ctx, &mut tx, lease.client, message, failure).await?
        }
    };
    tx.commit().await?;
    kept.compare(ctx, lease.client);
    ctx.wake.wake_all(lease.client, wakes);
    Ok(Applied::Done)
}

/// The source of the SMS. Answers to it are answers to this message.
async fn source_of(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    waiting: &DueFallback,
    sms: &SmsContent,
) -> Result<String> {
    if let Some(source) = &sms.source {
        return Ok(source.clone());
    }
    let inbox = inboxes::by_id(db, client, waiting.sms_inbox).await?;
    let own = inbox.and_then(|inbox| inbox.address().map(str::to_owned));
    Ok(own.unwrap_or_else(|| ctx.settings.sms.default_source.clone()))
}

fn sendable(waiting: &DueFallback, sms: Sms) -> std::result::Result<(SmsContent, Address), String> {
    if sms.text.is_empty() {
        return Err("the plugin decided to send an SMS without a text".to_owned());
    }
    segments::split(&sms.text, sms.unicode).map_err(|error| error.to_string())?;
    let phone = waiting.recipient.of_kind(AddressKind::Phone);
    let phone = phone.ok_or_else(|| "the recipient has no phone number".to_owned())?.clone();
    let source = sms.sender.filter(|sender| !sender.is_empty());
    Ok((SmsContent { text: sms.text, unicode: sms.unicode, source, ..SmsContent::default() }, phone))
}

#[cfg(test)]
mod tests {
    use plugin_host::{Zone, sms_fallback::RequestedFallback};

    use super::*;

    fn message(text: Option<&str>, auto: Option<&str>) -> Undeliverable {
        Undeliverable {
            message_id: String::new(),
            client_ref: String::new(),
            local_time: Zone::UTC.local_time(chrono::DateTime::UNIX_EPOCH),
            recipient: "27820000001".into(),
            sender: "27110000000".into(),
            error_code: "131026".into(),
            error_text: String::new(),
            requested: RequestedFallback { send_fallback: true, text: text.map(str::to_owned), unicode: false },
            auto_text: auto.map(str::to_owned),
            seen_on_whatsapp: false,
            age_seconds: 1,
            template_name: None,
            metadata: Vec::new(),
        }
    }

    #[test]
    fn the_default_rule_prefers_the_clients_text() {
        assert_eq!(written_rule(&message(Some("mine"), Some("template"))).unwrap().text, "mine");
    }

    #[test]
    fn the_default_rule_falls_back_to_the_resolved_template() {
        assert_eq!(written_rule(&message(None, Some("template"))).unwrap().text, "template");
    }

    #[test]
    fn the_default_rule_skips_messages_without_text() {
        assert!(written_rule(&message(None, None)).is_err());
    }

    #[test]
    fn the_default_rule_replaces_a_decision_of_an_unknown_kind() {
        let custom = || Decision::Custom(r#"{"decision":"later"}"#.to_owned());
        assert_eq!(of_plugin(custom(), &message(Some("mine"), None)).unwrap().text, "mine");
        assert!(of_plugin(custom(), &message(None, None)).is_err());
    }
}
