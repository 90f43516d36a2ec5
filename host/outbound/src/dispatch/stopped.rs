//! Subscribers who have stopped SMS from a source get none, whatever product they are of (SPEC 4.8): they are left out when their
//! legs would be marked, so that a stop holds for what was accepted before it, too.

use base::Result;
use domain::{
    content::{LegContent, OutboundContent, SmsContent},
    failure_code::OwnCode,
    ids::ClientId,
    inbound::ProviderFailure,
    inbox::InboxKind,
};
use storage::{PgConnection, outbound::work::DueLeg, sms::products::opt_outs};

use super::{pick::Picked, sender::Sender};

/// Our own code of an SMS whose recipient has stopped them.
pub const STOPPED_SMS: i64 = OwnCode::StoppedSms.code();

/// Fails the picked legs of those who have stopped.
pub(super) async fn leave_out(
    db: &mut PgConnection,
    client: ClientId,
    sender: &Sender,
    picked: &mut Picked,
) -> Result<()> {
    if sender.inbox.kind != InboxKind::Sms || picked.go.is_empty() {
        return Ok(());
    }
    let asked: Vec<(&str, &str)> =
        picked.go.iter().map(|leg| (source_of(sender, leg), leg.recipient.address().value())).collect();
    let stopped = opt_outs::stopped(db, client, &asked).await?;
    if stopped.is_empty() {
        return Ok(());
    }
    let is_stopped = |leg: &DueLeg| stopped.contains(source_of(sender, leg), leg.recipient.address().value());
    let (out, go) = std::mem::take(&mut picked.go).into_iter().partition(is_stopped);
    picked.go = go;
    picked.failed.extend(Vec::into_iter(out).map(|leg| {
        // One that may have arrived is not sent again; nobody can say that it was not sent.
        let failure = if leg.unanswered { sender.carrier.no_answer() } else { stopped_failure() };
        (leg, failure)
    }));
    Ok(())
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
