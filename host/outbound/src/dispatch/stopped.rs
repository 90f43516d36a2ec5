//! Subscribers who have stopped SMS from a source get none, whatever product they are of (SPEC 4.8), and customers who have stopped
//! marketing none over WhatsApp (SPEC 6.4): they are left out when their legs would be marked, so that a stop holds for what was
//! accepted before it, too.

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

use super::{pick::Picked, sender::Sender};
use crate::opt_out::STOPPED_MARKETING;

/// Our own code of an SMS whose recipient has stopped them.
pub const STOPPED_SMS: i64 = OwnCode::StoppedSms.code();

/// Fails the picked legs of those who have stopped.
pub(super) async fn leave_out(
    db: &mut PgConnection,
    client: ClientId,
    sender: &Sender,
    picked: &mut Picked,
) -> Result<()> {
    match sender.inbox.kind.channel() {
        Channel::Sms => leave_out_sms(db, client, sender, picked).await,
        Channel::Whatsapp => leave_out_marketing(db, client, sender, picked).await,
        Channel::Facebook | Channel::Web => Ok(()),
    }
}

/// Where a router has chosen another source before, a stop of either holds.
async fn leave_out_sms(db: &mut PgConnection, client: ClientId, sender: &Sender, picked: &mut Picked) -> Result<()> {
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

/// Nobody is asked about where nothing that goes out is marketing.
async fn leave_out_marketing(
    db: &mut PgConnection,
    client: ClientId,
    sender: &Sender,
    picked: &mut Picked,
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

/// Fails those of the picked legs.
fn fail(sender: &Sender, picked: &mut Picked, is_stopped: impl FnMut(&DueLeg) -> bool, failure: &ProviderFailure) {
    let (out, go) = std::mem::take(&mut picked.go).into_iter().partition(is_stopped);
    picked.go = go;
    picked.failed.extend(Vec::into_iter(out).map(|leg| {
        // One that may have arrived is not sent again; nobody can say that it was not sent.
        let failure = if leg.unanswered { sender.carrier.no_answer() } else { failure.clone() };
        (leg, failure)
    }));
}

fn stopped_failure() -> ProviderFailure {
    ProviderFailure { code: STOPPED_SMS, text: "the recipient has stopped messages from this source".to_owned() }
}

/// The SMS that a leg is, if it was written as one.
pub(super) fn sms_of(leg: &DueLeg) -> Option<&SmsContent> {
    match (leg.own_content.as_ref(), leg.content.as_ref()) {
        (Some(LegContent::Sms(sms)), _) | (None, OutboundContent::Sms(sms)) => Some(sms),
        _ => None,
    }
}

/// What a leg is sent from.
pub(super) fn source_of<'a>(sender: &'a Sender, leg: &'a DueLeg) -> &'a str {
    sms_of(leg).and_then(|sms| sms.source.as_deref()).unwrap_or(&sender.inbox.address)
}

/// The same, where a router has decided about it.
pub(super) fn sent_from<'a>(sender: &'a Sender, leg: &'a DueLeg) -> &'a str {
    routed_source(leg).unwrap_or_else(|| source_of(sender, leg))
}

fn routed_source(leg: &DueLeg) -> Option<&str> {
    leg.route.as_ref()?.source.as_deref()
}
