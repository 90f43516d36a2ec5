//! From a parsed request to the rows that will be stored and the bytes that will be answered.

use std::collections::HashMap;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    body::FieldFault,
    channel::Channel,
    chat::chat_allowed,
    ids::{BatchId, ClientId, InboxId, MessageId, PartId},
    inbox::InboxKind,
    recipient::{Recipient, order_key},
    send::{NumberFacts, RejectionReason, ResolvedSend, SendKind, SendReceipt, SendRequest, SendResponse},
    template::Template,
};
use serde_json::value::RawValue;
use storage::{
    PgConnection,
    inboxes::{self, Inbox, templates},
    outbound::{
        messages::NewMessage,
        parts::{NewPart, PartOrigin},
    },
    people::inbox_customers::{self, InboxCustomerFacts},
};

use super::{AcceptError, Pending, conversations::ConversationFacts};
use base::{Context, Error, Result};

/// What the requests of a group need to know, read in a handful of statements.
pub(super) struct Facts {
    inboxes: HashMap<String, Inbox>,
    templates: HashMap<(String, String), Template>,
    windows: HashMap<InboxId, HashMap<Address, InboxCustomerFacts>>,
    pub(super) conversations: ConversationFacts,
}

impl Facts {
    pub(super) async fn load<'r>(
        db: &mut PgConnection,
        client: ClientId,
        requests: impl Iterator<Item = &'r SendRequest> + Clone,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        let mut senders: Vec<String> = requests.clone().map(|request| request.sender().as_str().to_owned()).collect();
        senders.sort_unstable();
        senders.dedup();
        let inboxes = inboxes::by_addresses(db, client, Channel::Whatsapp, &senders).await?;
        let by_address = |inbox: Inbox| Some((inbox.address()?.to_owned(), inbox));
        let inboxes: HashMap<String, Inbox> = inboxes.into_iter().filter_map(by_address).collect();
        let of_senders = requests
            .clone()
            .filter_map(|request| Some((request, inboxes.get(request.sender().as_str()).map(|inbox| inbox.id)?)));
        let conversations = ConversationFacts::load(db, client, of_senders, now).await?;
        let mut facts = Self { inboxes, templates: HashMap::new(), windows: HashMap::new(), conversations };
        facts.load_templates(db, client, requests.clone()).await?;
        facts.load_windows(db, client, requests).await?;
        Ok(facts)
    }

    fn inbox(&self, request: &SendRequest) -> Option<&Inbox> {
        self.inboxes.get(request.sender().as_str())
    }

    fn template_key(&self, request: &SendRequest) -> Option<(String, String)> {
        Some((self.inbox(request)?.cloud()?.waba_id.clone(), request.template()?.id.clone()))
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

    /// When the recipients of `CHAT` messages on Cloud last wrote.
    async fn load_windows<'r>(
        &mut self,
        db: &mut PgConnection,
        client: ClientId,
        requests: impl Iterator<Item = &'r SendRequest>,
    ) -> Result<()> {
        let mut wanted: HashMap<InboxId, Vec<Recipient>> = HashMap::new();
        for request in requests.filter(|request| request.kind() == SendKind::Chat) {
            let cloud = self.inbox(request).filter(|inbox| inbox.kind() == InboxKind::WhatsappCloud);
            let Some(inbox) = cloud.map(|inbox| inbox.id) else { continue };
            wanted.entry(inbox).or_default().extend(request.recipients());
        }
        for (inbox, recipients) in wanted {
            let addresses: Vec<&Address> = recipients.iter().flat_map(Recipient::iter).collect();
            let facts = inbox_customers::facts(db, client, inbox, &addresses).await?;
            self.windows.insert(inbox, facts);
        }
        Ok(())
    }

    fn window_open(&self, inbox: &Inbox, recipient: &Recipient, now: DateTime<Utc>) -> bool {
        let Some(known) = self.windows.get(&inbox.id) else { return false };
        recipient.iter().filter_map(|address| known.get(address)).any(|facts| chat_allowed(facts.last_inbound_at, now))
    }
}

/// A request with everything that will be stored and answered for it.
pub(super) struct Prepared {
    pub(super) parts: Vec<NewPart>,
    pub(super) messages: Vec<NewMessage>,
    pub(super) response: Bytes,
}

/// Resolves a request against the facts. Pure but for ids and the clock.
pub(super) fn prepare(ctx: &Context, facts: &Facts, pending: &Pending) -> std::result::Result<Prepared, AcceptError> {
    let request = &pending.request;
    let inbox = facts.inbox(request).ok_or_else(|| fault(request.unknown_sender()))?;
    let template = facts.template_key(request).and_then(|key| facts.templates.get(&key));
    let known =
        NumberFacts { msisdn: request.sender().clone(), waba_id: inbox.cloud().map(|cloud| cloud.waba_id.clone()) };
    let mut tokens = || format!("pb1:{}", ctx.ids.mint(ctx.now()).simple());
    let mut send = request.resolve(&known, template, &mut tokens).map_err(AcceptError::Faults)?;
    let now = ctx.now();
    if send.kind == SendKind::Chat && inbox.kind() == InboxKind::WhatsappCloud {
        send.reject_where(|recipient| {
            (!facts.window_open(inbox, recipient, now)).then_some(RejectionReason::OutsideWindow)
        });
    }
    if send.kind == SendKind::Conversation {
        send.reject_in_parts(|conversation, recipient| {
            facts.conversations.fault(inbox.id, conversation, recipient, now).map(RejectionReason::from)
        });
    }
    rows(ctx, facts, pending, inbox, &send, now).map_err(|error| AcceptError::Failed(std::sync::Arc::new(error)))
}

fn fault(fault: FieldFault) -> AcceptError {
    AcceptError::Faults(fault.into())
}

fn rows(
    ctx: &Context,
    facts: &Facts,
    pending: &Pending,
    inbox: &Inbox,
    send: &ResolvedSend,
    now: DateTime<Utc>,
) -> Result<Prepared> {
    let unreadable = |source| Error::Unreadable { what: "content of a send request", source };
    let batch: BatchId = ctx.mint();
    let mut parts = Vec::with_capacity(send.parts.len());
    for part in &send.parts {
        parts.push(NewPart {
            id: ctx.mint::<PartId>(),
            batch,
            inbox: inbox.id,
            origin: PartOrigin::from(send.kind),
            content: part.content.clone(),
            fallback: send.fallback.clone(),
            quoted_provider_id: None,
        });
    }
    let mut messages = Vec::with_capacity(send.accepted_count());
    for (at, accepted) in send.accepted() {
        let Some(part) = parts.get(at) else { continue };
        let id: MessageId = ctx.mint();
        messages.push(NewMessage {
            id,
            part: part.id,
            origin: part.origin,
            inbox: inbox.id,
            channel: inbox.channel(),
            recipient: accepted.recipient.clone(),
            ct_id: accepted.ct_id.clone(),
            gst_id: accepted.gst_id.clone().unwrap_or_else(|| id.to_string()),
            order_key: order_key(inbox.id, accepted.recipient.address()),
            chat: None,
            conversation: facts.conversations.of(
                inbox.id,
                send.parts.get(at).and_then(|part| part.conversation),
                &accepted.recipient,
            ),
        });
    }
    let echo: &RawValue = serde_json::from_slice(&pending.call.body).map_err(unreadable)?;
    let receipt = SendReceipt {
        batch_id: batch,
        request_id: pending.call.request_id,
        accepted_at: now,
        accepted_count: messages.len(),
    };
    let response = serde_json::to_vec(&SendResponse::new(receipt, echo, send.rejected())).map_err(unreadable)?;
    Ok(Prepared { parts, messages, response: response.into() })
}
