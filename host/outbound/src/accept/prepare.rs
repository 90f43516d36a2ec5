//! Reads the facts that a group of parsed requests needs, and resolves each request against them.

use base::Context;
use domain::{
    address::AddressKind,
    inbox::InboxKind,
    sandbox::KeyMode,
    send::{NumberFacts, RejectionReason, SendBody, SendKind, SendRequest},
    template::Template,
};

use super::{
    call::{AcceptError, PendingSend, Senders},
    facts::{Facts, SendTerms, needs_window, terms},
    prepared_request::{PreparedRequest, fault},
    rows::{self, SortedRequest},
    texts,
};

/// Resolves a request against the facts. It has no effect except new ids and the time.
pub(super) fn prepare(
    ctx: &Context,
    facts: &mut Facts,
    pending: &PendingSend,
) -> std::result::Result<PreparedRequest, AcceptError> {
    let judged = judge(ctx, facts, pending)?;
    rows::rows(ctx, facts, pending, judged, ctx.now()).map_err(|error| AcceptError::Failed(std::sync::Arc::new(error)))
}

/// Sorts the recipients of a request into accepted and rejected ones.
pub(super) fn judge(
    ctx: &Context,
    facts: &mut Facts,
    pending: &PendingSend,
) -> std::result::Result<SortedRequest, AcceptError> {
    let (mut sorted, (marketing, number)) = match &pending.request {
        SendBody::Message(request) => message(ctx, facts, request, pending.call.senders)?,
        SendBody::Sms(request) => (texts::sort_recipients(ctx, &facts.named, &facts.standing, request)?, (false, None)),
    };
    if pending.call.mode.is_test() {
        for part in &mut sorted.parts {
            part.reject_where(|recipient| {
                let phone = recipient.address().as_kind(AddressKind::Phone);
                let is_admitted = phone.is_some_and(|phone| KeyMode::Test.admits(phone));
                (!is_admitted).then_some(RejectionReason::NoTestNumber)
            });
        }
    }
    sorted.counted = facts.standing.judge(&mut sorted.parts, marketing, number);
    Ok(sorted)
}

fn message(
    ctx: &Context,
    facts: &Facts,
    request: &SendRequest,
    senders: Senders,
) -> std::result::Result<(SortedRequest, SendTerms), AcceptError> {
    let inbox = facts.named.number(request).ok_or_else(|| fault(request.unknown_sender()))?;
    if senders == Senders::Lite && inbox.kind != InboxKind::WhatsappLite {
        return Err(fault(request.sender_not_lite()));
    }
    let (account, template) = facts.named.template(request);
    let waba_id = inbox.waba_id.clone().or(account);
    let known = NumberFacts { msisdn: request.sender().clone(), waba_id };
    let mut tokens = || format!("pb1:{}", ctx.ids.mint(ctx.now()).simple());
    let mut send = request.resolve(&known, template, &mut tokens).map_err(AcceptError::Faults)?;
    send.reject_where(|recipient| {
        if needs_window(inbox, request.kind()) && !facts.standing.window_is_open(inbox.id, recipient, ctx.now()) {
            return Some(RejectionReason::OutsideWindow);
        }
        facts.customers.lack_number(inbox, template, recipient).then_some(RejectionReason::NumberNeeded)
    });
    if send.kind == SendKind::Conversation {
        for part in &mut send.parts {
            let conversation = part.conversation;
            part.reject_where(|recipient| {
                facts.conversations.fault(inbox.id, conversation, recipient, ctx.now()).map(RejectionReason::from)
            });
        }
    }
    let category = match (send.kind, template) {
        (SendKind::Notification, Some(template)) => template.category.as_str().to_owned(),
        _ => rows::SERVICE.to_owned(),
    };
    let sorted = SortedRequest {
        inbox: inbox.id,
        channel: inbox.kind.channel(),
        origin: send.kind.into(),
        fallback: send.fallback,
        category,
        quick_replies: template.is_some_and(Template::has_quick_replies),
        counted: Vec::new(),
        source: None,
        parts: send.parts,
    };
    Ok((sorted, terms(inbox, template)))
}
