//! What a group of parsed requests needs to know, and each of them resolved against it.

use std::collections::HashMap;

use bytes::Bytes;
use domain::{
    body::FieldFault,
    channel::Channel,
    ids::{ClientId, InboxId},
    inbox::InboxKind,
    send::{NumberFacts, RejectionReason, SendBody, SendKind, SendRequest},
    template::{Template, TemplateCategory},
};
use storage::{
    PgConnection,
    inboxes::{self, Inbox, InboxSettings, templates},
    outbound::{messages::NewMessage, parts::NewPart},
};

use super::{
    AcceptError, Pending, Senders,
    conversations::ConversationFacts,
    customers::CustomerFacts,
    rows::{self, Sorted, rows},
    standing::{Question, Standing},
    texts::TextFacts,
};
use base::{Context, Result};

/// What the requests of a group need to know, read in a handful of statements.
pub(super) struct Facts {
    inboxes: HashMap<String, Inbox>,
    texts: TextFacts,
    templates: HashMap<(String, String), Template>,
    customers: CustomerFacts,
    /// The account of each template that a Lite number sends.
    accounts: HashMap<String, String>,
    pub(super) conversations: ConversationFacts,
    standing: Standing,
}

impl Facts {
    pub(super) async fn load<'r>(
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        bodies: impl Iterator<Item = &'r SendBody> + Clone,
    ) -> Result<Self> {
        let texts = bodies.clone().filter_map(|body| match body {
            SendBody::Sms(request) => Some(request),
            SendBody::Message(_) => None,
        });
        let requests = bodies.filter_map(|body| match body {
            SendBody::Message(request) => Some(request),
            SendBody::Sms(_) => None,
        });
        let mut senders: Vec<String> = requests.clone().map(|request| request.sender().as_str().to_owned()).collect();
        senders.sort_unstable();
        senders.dedup();
        let inboxes = by_address(db, client, Channel::Whatsapp, &senders).await?;
        let of_senders = requests
            .clone()
            .filter_map(|request| Some((request, inboxes.get(request.sender().as_str()).map(|inbox| inbox.id)?)));
        let conversations = ConversationFacts::load(db, client, of_senders, ctx.now()).await?;
        let mut facts = Self {
            inboxes,
            texts: TextFacts::load(ctx, db, client, texts.clone()).await?,
            templates: HashMap::new(),
            customers: CustomerFacts::default(),
            accounts: HashMap::new(),
            conversations,
            standing: Standing::default(),
        };
        facts.load_accounts(db, client, requests.clone()).await?;
        facts.load_templates(db, client, requests.clone()).await?;
        let sending = requests.clone().filter_map(|one| Some((one, facts.inbox(one)?, facts.template(one).1)));
        facts.customers = CustomerFacts::load(db, client, sending).await?;
        let of_texts =
            texts.map(|text| Question { recipients: text.recipients().collect(), marketing: false, number: None });
        let questions: Vec<Question> = requests.map(|request| facts.question(request)).chain(of_texts).collect();
        facts.standing = Standing::load(ctx, db, client, &questions).await?;
        Ok(facts)
    }

    fn inbox(&self, request: &SendRequest) -> Option<&Inbox> {
        self.inboxes.get(request.sender().as_str())
    }

    /// The account whose template a request names, and that template.
    fn template(&self, request: &SendRequest) -> (Option<String>, Option<&Template>) {
        let Some(key) = self.template_key(request) else { return (None, None) };
        let template = self.templates.get(&key);
        (Some(key.0), template)
    }

    /// What must be known of the recipients of a request.
    fn question(&self, request: &SendRequest) -> Question {
        let (_, template) = self.template(request);
        let (marketing, number) = self.inbox(request).map_or((false, None), |inbox| terms(inbox, template));
        Question { recipients: request.recipients().collect(), marketing, number }
    }

    fn template_key(&self, request: &SendRequest) -> Option<(String, String)> {
        let id = request.template()?.id.clone();
        match &self.inbox(request)?.settings {
            InboxSettings::WhatsappCloud(cloud) => Some((cloud.waba_id.clone(), id)),
            // A Lite number has no account of its own: it sends what any account of its client has.
            InboxSettings::WhatsappLite(_) => Some((self.accounts.get(&id)?.clone(), id)),
            InboxSettings::Messenger(_) | InboxSettings::Web(_) | InboxSettings::Sms(_) => None,
        }
    }

    /// Whose templates the requests of Lite numbers name.
    async fn load_accounts<'r>(
        &mut self,
        db: &mut PgConnection,
        client: ClientId,
        requests: impl Iterator<Item = &'r SendRequest>,
    ) -> Result<()> {
        let is_lite =
            |request: &&SendRequest| self.inbox(request).is_some_and(|inbox| inbox.kind() == InboxKind::WhatsappLite);
        let ids: Vec<&str> =
            requests.filter(is_lite).filter_map(|request| Some(request.template()?.id.as_str())).collect();
        if !ids.is_empty() {
            self.accounts = templates::accounts_of(db, client, &ids).await?;
        }
        Ok(())
    }

    async fn load_templates<'r>(
        &mut self,
        db: &mut PgConnection,
        client: ClientId,
        requests: impl Iterator<Item = &'r SendRequest>,
    ) -> Result<()> {
        let mut keys: Vec<_> = requests.filter_map(|request| self.template_key(request)).collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.is_empty() {
            return Ok(());
        }
        for row in templates::by_ids(db, client, &keys).await? {
            match Template::from_record(row.record) {
                Ok(template) => {
                    self.templates.insert((template.waba_id.clone(), template.id.clone()), template);
                }
                Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "a template cannot be used"),
            }
        }
        Ok(())
    }
}

/// Whether a send is of a marketing template, and the number whose tier counts: that of templates on Cloud.
type Terms = (bool, Option<InboxId>);

fn terms(inbox: &Inbox, template: Option<&Template>) -> Terms {
    let Some(template) = template else { return (false, None) };
    let is_cloud = inbox.kind() == InboxKind::WhatsappCloud;
    (template.category == TemplateCategory::Marketing, is_cloud.then_some(inbox.id))
}

/// The inboxes of a channel that have one of these addresses.
pub(super) async fn by_address(
    db: &mut PgConnection,
    client: ClientId,
    channel: Channel,
    addresses: &[String],
) -> Result<HashMap<String, Inbox>> {
    if addresses.is_empty() {
        return Ok(HashMap::new());
    }
    let found = inboxes::by_addresses(db, client, channel, addresses).await?;
    Ok(found.into_iter().filter_map(|inbox| Some((inbox.address()?.to_owned(), inbox))).collect())
}

/// A request with everything that will be stored and answered for it.
pub(super) struct Prepared {
    pub(super) parts: Vec<NewPart>,
    pub(super) messages: Vec<NewMessage>,
    /// Recipients that count for the tier of a number from now on.
    pub(super) counted: Vec<(InboxId, String)>,
    /// What its SMS are sent from.
    pub(super) source: Option<String>,
    pub(super) response: Bytes,
}

impl Prepared {
    /// Whether anything of it was accepted. A request whose recipients were all rejected was not (SPEC 4.1): its key is free for
    /// the next try.
    pub(super) fn is_accepted(&self) -> bool {
        !self.messages.is_empty()
    }
}

/// Resolves a request against the facts. Pure but for ids and the clock.
pub(super) fn prepare(
    ctx: &Context,
    facts: &mut Facts,
    pending: &Pending,
) -> std::result::Result<Prepared, AcceptError> {
    let (mut sorted, (marketing, number)) = match &pending.request {
        SendBody::Message(request) => message(ctx, facts, request, pending.call.senders)?,
        SendBody::Sms(request) => (facts.texts.sort(request)?, (false, None)),
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
    let inbox = facts.inbox(request).ok_or_else(|| fault(request.unknown_sender()))?;
    if senders == Senders::Lite && inbox.kind() != InboxKind::WhatsappLite {
        return Err(fault(request.sender_not_lite()));
    }
    let (account, template) = facts.template(request);
    let waba_id = inbox.cloud().map(|cloud| cloud.waba_id.clone()).or(account);
    let known = NumberFacts { msisdn: request.sender().clone(), waba_id };
    let mut tokens = || format!("pb1:{}", ctx.ids.mint(ctx.now()).simple());
    let mut send = request.resolve(&known, template, &mut tokens).map_err(AcceptError::Faults)?;
    send.reject_where(|recipient| facts.customers.fault(ctx, (request, inbox, template), recipient));
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
        channel: inbox.channel(),
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
