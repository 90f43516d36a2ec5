//! Requests for SMS (SPEC 4.1 `/v2/channels/sms`): their source, and the recipients that are rejected.

use base::Context;
use domain::{
    channel::Channel,
    ids::MessageId,
    send::{RejectionReason, SmsRequest},
};
use storage::outbound::parts::PartOrigin;

use super::{
    call::AcceptError,
    facts::source_of,
    named_rows::NamedFacts,
    prepared_request::{PreparedRequest, fault},
    recipient_facts::RecipientFacts,
    rows::{self, SortedRequest},
};

pub(super) fn sort_recipients(
    ctx: &Context,
    named: &NamedFacts,
    standing: &RecipientFacts,
    request: &SmsRequest,
) -> std::result::Result<SortedRequest, AcceptError> {
    let inbox = named.source(request, &ctx.settings.sms.default_source);
    let inbox = inbox.ok_or_else(|| fault(request.unknown_source()))?;
    let source = source_of(ctx, inbox);
    let mut parts = request.resolve();
    for part in &mut parts {
        part.reject_where(|recipient| {
            let stopped = standing.stopped_sms(source, recipient.address().value());
            stopped.then_some(RejectionReason::StoppedSms)
        });
    }
    Ok(SortedRequest {
        inbox: inbox.id,
        channel: Channel::Sms,
        origin: PartOrigin::Sms,
        fallback: None,
        category: rows::SMS.to_owned(),
        quick_replies: false,
        counted: Vec::new(),
        source: Some(source.to_owned()),
        parts,
    })
}

/// Returns the source, subscriber and message of each SMS that its subscriber can answer.
pub(super) fn answerable<'p>(prepared: &[&'p PreparedRequest]) -> Vec<(&'p str, &'p str, MessageId)> {
    let mut sent = Vec::new();
    for one in prepared {
        let Some(source) = one.source.as_deref() else { continue };
        sent.extend(one.messages.iter().map(|message| (source, message.recipient.address().value(), message.id)));
    }
    sent
}
