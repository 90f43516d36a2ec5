//! Decides whether a message whose recipient is not on WhatsApp becomes an SMS (SPEC 2.4). A plugin decides; the host
//! sees to it that there is at most one SMS per message.

mod question;

use std::{sync::Arc, time::Duration};

use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    content::{LegContent, SmsContent},
    inbound::ProviderFailure,
    recipient::order_key,
    segments,
};
use plugin_host::{
    CallError, World,
    sms_fallback::{Decision, Sms, Undeliverable},
};
use storage::{
    Queue,
    outbound::{
        fallbacks::{self, DueFallback},
        legs::{self, NewLeg},
    },
};
use uuid::Uuid;

use crate::{delivery, dispatch::SEND_PRIORITY};
use base::{Context, Result, lanes::Lease};
use plugins::{
    calls::{self, Answering, CallSubject, FinishedCall, trace::kind_of},
    slots,
};

/// The component that decides when a client has activated no other.
pub const BUILT_IN: &str = "sms-fallback";
/// Calls of a failing plugin before the host decides by the rule of the specification itself.
const PLUGIN_ATTEMPTS: i16 = 3;
/// Decisions taken up at once.
const PAGE: i64 = 20;

/// Works off the fallback decisions of a business number.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    while !lease.is_over() {
        let mut db = ctx.db.acquire().await?;
        let due = fallbacks::due(&mut db, lease.client, lease.lane, ctx.now(), PAGE).await?;
        drop(db);
        if due.is_empty() {
            return Ok(());
        }
        for waiting in due {
            decide(ctx, lease, &waiting).await?;
        }
    }
    Ok(())
}

async fn decide(ctx: &Context, lease: &Lease, waiting: &DueFallback) -> Result<()> {
    let undeliverable = question::undeliverable(waiting, ctx.now());
    // A canary that is taken back leaves the decision to the live version at once.
    loop {
        let answering = Arc::new(answering(ctx, lease, waiting).await?);
        let about = CallSubject::event(waiting.message.0, waiting.message.0);
        let now = ctx.now();
        let outcome = ctx.plugins.decide_fallback(answering.call(lease.client, &about, now), &undeliverable).await;
        let made = FinishedCall::of((&answering, &about), &outcome, now);
        let plugin = answering.name();
        let decision = match outcome {
            Ok((decision, _)) => decision,
            Err(error) => {
                let suspended = matches!(error, CallError::Suspended { .. });
                let again = waiting.attempts + 1 < PLUGIN_ATTEMPTS && !suspended;
                tracing::warn!(message.id = %waiting.message, plugin, outcome = kind_of(&error), again,
                    "a fallback plugin failed");
                if answering.is_canary() || again {
                    match put_off(ctx, lease, waiting, made, again).await? {
                        Failed::CanaryEnded => continue,
                        Failed::PutOff => return Ok(()),
                        Failed::Noted => {
                            return apply(ctx, lease, waiting, plugin, written_rule(&undeliverable), None).await;
                        }
                    }
                }
                written_rule(&undeliverable)
            }
        };
        return apply(ctx, lease, waiting, plugin, decision, Some(made)).await;
    }
}

/// The plugin that decides about a message.
async fn answering(ctx: &Context, lease: &Lease, waiting: &DueFallback) -> Result<Answering> {
    let mut db = ctx.db.acquire().await?;
    let slots = slots::in_force(&mut db, lease.client, World::SmsFallback, waiting.inbox).await?;
    // By customer and number, so that one customer meets one version.
    let subject = customer_of(waiting);
    Ok(Answering::of_or_built_in(&slots, subject, World::SmsFallback, BUILT_IN))
}

/// Stands for the customer on the number: a canary has it or has it not.
fn customer_of(waiting: &DueFallback) -> Uuid {
    let key = order_key(waiting.inbox, waiting.recipient.address());
    Uuid::from_u64_pair(0, key.cast_unsigned())
}

/// SPEC 2.4 in the host: what happens when the plugin that should decide is broken.
fn written_rule(message: &Undeliverable) -> Decision {
    let text = message.requested.text.clone().or_else(|| message.auto_text.clone()).filter(|text| !text.is_empty());
    match text {
        Some(text) if message.requested.send_fallback => {
            Decision::Send(Sms { text, unicode: message.requested.unicode, sender: None })
        }
        Some(_) => Decision::Skip("no fallback was requested".to_owned()),
        None => Decision::Skip("there is no text to send".to_owned()),
    }
}

/// What became of a call that failed.
enum Failed {
    /// It was a canary, which is over: the live version decides.
    CanaryEnded,
    /// The decision is made later.
    PutOff,
    /// The call is kept, and nothing else was done.
    Noted,
}

/// Keeps a call that failed, and puts the decision off if the plugin is to be asked again.
async fn put_off(
    ctx: &Context,
    lease: &Lease,
    waiting: &DueFallback,
    made: FinishedCall,
    again: bool,
) -> Result<Failed> {
    let pause = Duration::from_secs(5_u64.saturating_pow(u32::from(waiting.attempts.unsigned_abs())));
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let kept = calls::keep(ctx, &mut tx, lease.client, vec![made]).await?;
    if again && !kept.canary_ended {
        fallbacks::put_off(&mut tx, lease.client, waiting.message, ctx.now() + pause).await?;
    }
    tx.commit().await?;
    Ok(match (kept.canary_ended, again) {
        (true, _) => Failed::CanaryEnded,
        (false, true) => Failed::PutOff,
        (false, false) => Failed::Noted,
    })
}

/// Writes the decision and what follows from it in one transaction.
async fn apply(
    ctx: &Context,
    lease: &Lease,
    waiting: &DueFallback,
    plugin: &str,
    decision: Decision,
    made: Option<FinishedCall>,
) -> Result<()> {
    let message = waiting.message;
    let decision = match decision {
        Decision::Send(sms) => sendable(waiting, sms),
        Decision::Skip(reason) => Err(reason),
    };
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let kept = calls::keep(ctx, &mut tx, lease.client, made.into_iter().collect()).await?;
    let reason = decision.as_ref().err().map(String::as_str);
    if !fallbacks::decide(&mut tx, lease.client, message, decision.is_ok(), plugin, reason).await? {
        return Ok(());
    }
    let wakes: Vec<(Queue, Uuid)> = match decision {
        Ok((sms, phone)) => {
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
    Ok(())
}

/// The SMS as it will be sent and where to, or why it cannot be.
fn sendable(waiting: &DueFallback, sms: Sms) -> std::result::Result<(SmsContent, Address), String> {
    if sms.text.is_empty() {
        return Err("the plugin decided for an SMS without a text".to_owned());
    }
    segments::split(&sms.text, sms.unicode).map_err(|error| error.to_string())?;
    let phone = waiting.recipient.of_kind(AddressKind::Phone);
    let phone = phone.ok_or_else(|| "the recipient has no phone number".to_owned())?.clone();
    let source = sms.sender.filter(|sender| !sender.is_empty());
    Ok((SmsContent { text: sms.text, unicode: sms.unicode, source }, phone))
}

#[cfg(test)]
mod tests {
    use plugin_host::sms_fallback::RequestedFallback;

    use super::*;

    fn message(text: Option<&str>, auto: Option<&str>) -> Undeliverable {
        Undeliverable {
            message_id: String::new(),
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
    fn the_written_rule_prefers_the_clients_text() {
        let Decision::Send(sms) = written_rule(&message(Some("mine"), Some("template"))) else { panic!("skipped") };
        assert_eq!(sms.text, "mine");
    }

    #[test]
    fn the_written_rule_falls_back_to_the_resolved_template() {
        let Decision::Send(sms) = written_rule(&message(None, Some("template"))) else { panic!("skipped") };
        assert_eq!(sms.text, "template");
    }

    #[test]
    fn the_written_rule_skips_what_has_no_text() {
        assert!(matches!(written_rule(&message(None, None)), Decision::Skip(_)));
    }
}
