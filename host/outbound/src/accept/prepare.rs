//! Reads the facts that a group of parsed requests needs, and resolves each request against them.

use std::collections::BTreeSet;

use bytes::Bytes;
use domain::{
    body::FieldFault,
    ids::{ClientId, InboxId},
    inbox::InboxKind,
    send::{NumberFacts, RejectionReason, SendBody, SendKind, SendRequest},
    template::{Template, TemplateCategory},
};
use storage::{
    PgConnection,
    outbound::{messages::NewMessage, named::SendingInbox, parts::NewPart},
};

use super::{
    AcceptError, Pending, Senders,
    conversations::ConversationFacts,
    customers::CustomerFacts,
    named::NamedFacts,
    rows::{self, Sorted, rows},
    standing::{Question, Standing},
    texts,
};
use base::{Context, Result};

/// The facts that the requests of a group need. Most groups read them in two statements.
pub(super) struct Facts {
    named: NamedFacts,
    customers: CustomerFacts,
    pub(super) conversations: ConversationFacts,
    standing: Standing,
}

impl Facts {
    /// Reads the facts about the recipients of requests. `named` holds the records that the requests name.
    pub(super) async fn load<'r>(
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        named: NamedFacts,
        bodies: impl Iterator<Item = &'r SendBody> + Clone,
    ) -> Result<Self> {
        let requests = bodies.clone().filter_map(|body| match body {
            SendBody::Message(request) => Some(request),
            SendBody::Sms(_) => None,
        });
        let of_numbers = requests.clone().filter_map(|request| Some((request, named.number(request)?.id)));
        let conversations = ConversationFacts::load(db, client, of_numbers, ctx.now()).await?;
        let sending = requests.filter_map(|one| Some((one, named.number(one)?, named.template(one).1)));
        let customers = CustomerFacts::load(db, client, sending).await?;
        let questions: Vec<Question> = bodies.map(|body| question(ctx, &named, body)).collect();
        let standing = Standing::load(ctx, db, client, &questions).await?;
        Ok(Self { named, customers, conversations, standing })
    }

    /// Returns those of the counting numbers that are close to the limit of their tier, with the version of the count.
    pub(super) fn close_to_limits(&self, counted: &BTreeSet<(InboxId, &str)>) -> Vec<(InboxId, i64)> {
        self.standing.close(&counted.iter().map(|(number, _)| *number).collect())
    }
}

/// Returns the facts to read about the recipients of a request.
fn question(ctx: &Context, named: &NamedFacts, body: &SendBody) -> Question {
    match body {
        SendBody::Message(request) => {
            let recipients = request.recipients().collect();
            let Some(inbox) = named.number(request) else { return Question { recipients, ..Question::default() } };
            let (marketing, number) = terms(inbox, named.template(request).1);
            let window = needs_window(inbox, request.kind()).then_some(inbox.id);
            Question { recipients, marketing, number, window, source: None }
        }
        SendBody::Sms(request) => {
            let inbox = named.source(request, &ctx.settings.sms_default_source);
            let source = inbox.map(|inbox| texts::source_of(ctx, inbox).to_owned());
            Question { recipients: request.recipients().collect(), source, ..Question::default() }
        }
    }
}

/// Over WhatsApp Cloud, a free-form message needs a message of the customer in the last 24 hours (SPEC 4.1).
fn needs_window(inbox: &SendingInbox, kind: SendKind) -> bool {
    inbox.kind == InboxKind::WhatsappCloud && kind == SendKind::Chat
}

/// True for a marketing template, and the number with the tier that counts the recipients (templates on Cloud only).
type Terms = (bool, Option<InboxId>);

fn terms(inbox: &SendingInbox, template: Option<&Template>) -> Terms {
    let Some(template) = template else { return (false, None) };
    let is_cloud = inbox.kind == InboxKind::WhatsappCloud;
    (template.category == TemplateCategory::Marketing, is_cloud.then_some(inbox.id))
}

/// A request with the rows to store and its answer.
pub(super) struct Prepared {
    pub(super) parts: Vec<NewPart>,
    pub(super) messages: Vec<NewMessage>,
    /// Recipients that the tier of a number counts from now on.
    pub(super) counted: Vec<(InboxId, String)>,
    /// The source of its SMS.
    pub(super) source: Option<String>,
    pub(super) response: Bytes,
}

impl Prepared {
    /// True if at least one recipient was accepted. If all were rejected (SPEC 4.1), the idempotency key stays free for
    /// the next request.
    pub(super) fn is_accepted(&self) -> bool {
        !self.messages.is_empty()
    }
}

/// Resolves a request against the facts. It has no effect except new ids and the time.
pub(super) fn prepare(
    ctx: &Context,
    facts: &mut Facts,
    pending: &Pending,
) -> std::result::Result<Prepared, AcceptError> {
    let (mut sorted, (marketing, number)) = match &pending.request {
        SendBody::Message(request) => message(ctx, facts, request, pending.call.senders)?,
        SendBody::Sms(request) => (texts::sort(ctx, &facts.named, &facts.standing, request)?, (false, None)),
    };
    sorted.counted = facts.standing.judge(&mut sorted.parts, marketing, number);
    rows(ctx, facts, pending, sorted, ctx.now()).map_err(|error| AcceptError::Failed(std::sync::Arc::new(error)))
}

fn message(
    ctx: &Context,
    facts: &Facts,
    request: &SendRequest,
    senders: Senders,
) -> std::result::Result<(Sorted, Terms), AcceptError> {
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
    let sorted = Sorted {
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

pub(super) fn fault(fault: FieldFault) -> AcceptError {
    AcceptError::Faults(fault.into())
}
