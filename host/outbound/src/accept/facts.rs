use std::collections::BTreeSet;

use base::{Context, Result};
use domain::{
    ids::{ClientId, InboxId},
    inbox::InboxKind,
    send::{SendBody, SendKind},
    template::{Template, TemplateCategory},
};
use storage::{PgConnection, outbound::named_rows::SendingInbox};

use super::{
    conversations::ConversationFacts,
    customers::CustomerFacts,
    named_rows::NamedFacts,
    recipient_facts::{RecipientFacts, RequestQuestions},
};

pub(super) struct Facts {
    pub(super) named: NamedFacts,
    pub(super) customers: CustomerFacts,
    pub(super) conversations: ConversationFacts,
    pub(super) standing: RecipientFacts,
}

impl Facts {
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
        let questions: Vec<RequestQuestions> = bodies.map(|body| question(ctx, &named, body)).collect();
        let standing = RecipientFacts::load(ctx, db, client, &questions).await?;
        Ok(Self { named, customers, conversations, standing })
    }

    /// Returns those of the counting numbers that are close to the limit of their tier, with the version of the count.
    pub(super) fn close_to_limits(&self, counted: &BTreeSet<(InboxId, &str)>) -> Vec<(InboxId, i64)> {
        self.standing.close(&counted.iter().map(|(number, _)| *number).collect())
    }
}

pub(super) fn question(ctx: &Context, named: &NamedFacts, body: &SendBody) -> RequestQuestions {
    match body {
        SendBody::Message(request) => {
            let recipients = request.recipients().collect();
            let Some(inbox) = named.number(request) else {
                return RequestQuestions { recipients, ..RequestQuestions::default() };
            };
            let (marketing, number) = terms(inbox, named.template(request).1);
            let window = needs_window(inbox, request.kind()).then_some(inbox.id);
            RequestQuestions { recipients, marketing, number, window, source: None }
        }
        SendBody::Sms(request) => {
            let inbox = named.source(request, &ctx.settings.sms.default_source);
            let source = inbox.map(|inbox| source_of(ctx, inbox).to_owned());
            RequestQuestions { recipients: request.recipients().collect(), source, ..RequestQuestions::default() }
        }
    }
}

/// Over WhatsApp Cloud, a free-form message needs a message of the customer in the last 24 hours (SPEC 4.1).
pub(super) fn needs_window(inbox: &SendingInbox, kind: SendKind) -> bool {
    inbox.kind == InboxKind::WhatsappCloud && kind == SendKind::Chat
}

/// True for a marketing template, and the number with the tier that counts the recipients (templates on Cloud only).
pub(super) type SendTerms = (bool, Option<InboxId>);

pub(super) fn terms(inbox: &SendingInbox, template: Option<&Template>) -> SendTerms {
    let Some(template) = template else { return (false, None) };
    let is_cloud = inbox.kind == InboxKind::WhatsappCloud;
    (template.category == TemplateCategory::Marketing, is_cloud.then_some(inbox.id))
}

/// The source address of an inbox. An inbox without an address uses the operator's.
pub(super) fn source_of<'a>(ctx: &'a Context, inbox: &'a SendingInbox) -> &'a str {
    inbox.address.as_deref().unwrap_or(&ctx.settings.sms.default_source)
}
