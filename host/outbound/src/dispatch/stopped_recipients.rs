//! Leaves out recipients that stopped messages: SMS from a source, for all products (SPEC 4.8), or marketing over
//! WhatsApp (SPEC 6.4). The check comes when legs are about to be marked, so a stop also holds for messages that were
//! accepted before it.

use base::Result;
use domain::{
    address::Address,
    channel::Channel,
    content::{LegContent, OutboundContent, SmsContent},
    failure_code::OwnCode,
    ids::ClientId,
    inbound::ProviderFailure,
    send::RejectionReason,
    template::TemplateCategory,
};
use storage::{PgConnection, outbound::work::DueLeg, people::marketing_stops, sms::products::opt_outs};

use super::{pick::PickedLegs, sender::SenderInbox};
use crate::opt_out::STOPPED_MARKETING;

pub const STOPPED_SMS: i64 = OwnCode::StoppedSms.code();

pub(super) async fn leave_out(
    db: &mut PgConnection,
    client: ClientId,
    sender: &SenderInbox,
    picked: &mut PickedLegs,
) -> Result<()> {
    match sender.inbox.kind.channel() {
        Channel::Sms => leave_out_sms(db, client, sender, picked).await,
        Channel::Whatsapp => leave_out_marketing(db, client, sender, picked).await,
        _ => Ok(()),
    }
}

/// If a router chose another source, a stop of either source holds.
async fn leave_out_sms(
    db: &mut PgConnection,
    client: ClientId,
    sender: &SenderInbox,
    picked: &mut PickedLegs,
) -> Result<()> {
    let own = picked.go.iter().map(|leg| (source_of(sender, leg), to(leg)));
    let routed = picked.go.iter().filter_map(|leg| Some((routed_source(leg)?, to(leg))));
    let asked: Vec<(&str, &str)> = own.chain(routed).collect();
    if asked.is_empty() {
        return Ok(());
    }
    let stopped = opt_outs::stopped(db, client, &asked).await?;
    if stopped.is_empty() {
        return Ok(());
    }
    let is_stopped = |leg: &DueLeg| {
        stopped.contains(source_of(sender, leg), to(leg)) || stopped.contains(sent_from(sender, leg), to(leg))
    };
    fail(sender, picked, is_stopped, &stopped_failure());
    Ok(())
}

fn to(leg: &DueLeg) -> &str {
    leg.recipient.address().value()
}

/// Makes no query if no picked leg is marketing.
async fn leave_out_marketing(
    db: &mut PgConnection,
    client: ClientId,
    sender: &SenderInbox,
    picked: &mut PickedLegs,
) -> Result<()> {
    let asked: Vec<&Address> =
        picked.go.iter().filter(|leg| is_marketing(leg)).flat_map(|leg| leg.recipient.iter()).collect();
    let stopped = marketing_stops::stopped(db, client, &asked).await?;
    if stopped.is_empty() {
        return Ok(());
    }
    let is_stopped = |leg: &DueLeg| is_marketing(leg) && leg.recipient.iter().any(|address| stopped.contains(address));
    let said = RejectionReason::MarketingStopped.to_string();
    fail(sender, picked, is_stopped, &ProviderFailure { code: STOPPED_MARKETING, text: said });
    Ok(())
}

fn is_marketing(leg: &DueLeg) -> bool {
    leg.category.as_deref() == Some(TemplateCategory::Marketing.as_str())
}

fn fail(
    sender: &SenderInbox,
    picked: &mut PickedLegs,
    is_stopped: impl FnMut(&DueLeg) -> bool,
    failure: &ProviderFailure,
) {
    let (out, go) = std::mem::take(&mut picked.go).into_iter().partition(is_stopped);
    picked.go = go;
    picked.failed.extend(Vec::into_iter(out).map(|leg| {
        // A leg in doubt may have arrived, so it is not reported as unsent.
        let failure = if leg.unanswered { sender.carrier.no_answer() } else { failure.clone() };
        (leg, failure)
    }));
}

fn stopped_failure() -> ProviderFailure {
    ProviderFailure { code: STOPPED_SMS, text: "the recipient has stopped messages from this source".to_owned() }
}

/// The SMS of a leg, if it was written as an SMS.
pub(super) fn sms_of(leg: &DueLeg) -> Option<&SmsContent> {
    match (leg.own_content.as_ref(), leg.content.as_ref()) {
        (Some(LegContent::Sms(sms)), _) | (None, OutboundContent::Sms(sms)) => Some(sms),
        _ => None,
    }
}

pub(super) fn source_of<'a>(sender: &'a SenderInbox, leg: &'a DueLeg) -> &'a str {
    sms_of(leg).and_then(|sms| sms.source.as_deref()).unwrap_or(&sender.inbox.address)
}

pub(super) fn sent_from<'a>(sender: &'a SenderInbox, leg: &'a DueLeg) -> &'a str {
    routed_source(leg).unwrap_or_else(|| source_of(sender, leg))
}

fn routed_source(leg: &DueLeg) -> Option<&str> {
    leg.route.as_ref()?.source.as_deref()
}
