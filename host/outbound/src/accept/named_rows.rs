//! Resolves the names in a group of requests: inboxes, templates, and stored responses of idempotency keys.

use std::collections::HashMap;

use base::Result;
use domain::{
    channel::Channel,
    ids::ClientId,
    inbox::InboxKind,
    send::{SendBody, SendRequest, SmsRequest},
    template::Template,
};
use storage::{
    PgConnection,
    outbound::named_rows::{self, GroupNames, SendingInbox},
};

use super::call::PendingSend;

#[derive(Default)]
pub(super) struct NamedFacts {
    pub(super) responses: HashMap<String, Vec<u8>>,
    numbers: HashMap<String, SendingInbox>,
    sources: HashMap<String, SendingInbox>,
    default_source: Option<SendingInbox>,
    templates: HashMap<(String, String), Template>,
    /// The first account (WABA) that has a template, by template. A WhatsApp Lite number sends that one.
    accounts: HashMap<String, String>,
}

impl NamedFacts {
    pub(super) async fn load(db: &mut PgConnection, client: ClientId, group: &[PendingSend]) -> Result<Self> {
        let names = names(group);
        let found = named_rows::find(db, client, &names).await?;
        let mut facts = Self { responses: found.responses, ..Self::default() };
        for inbox in found.inboxes {
            facts.add(inbox);
        }
        for record in found.templates {
            match Template::from_record(record) {
                Ok(template) => {
                    let key = (template.waba_id.clone(), template.id.clone());
                    let account = facts.accounts.entry(key.1.clone()).or_insert_with(|| key.0.clone());
                    if key.0 < *account {
                        account.clone_from(&key.0);
                    }
                    facts.templates.insert(key, template);
                }
                Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "a template cannot be used"),
            }
        }
        Ok(facts)
    }

    fn add(&mut self, inbox: SendingInbox) {
        if inbox.is_default_source {
            self.default_source = Some(inbox.clone());
        }
        let by_address = if inbox.kind.channel() == Channel::Sms { &mut self.sources } else { &mut self.numbers };
        by_address.extend(inbox.address.clone().map(|address| (address, inbox)));
    }

    pub(super) fn number(&self, request: &SendRequest) -> Option<&SendingInbox> {
        self.numbers.get(request.sender().as_str())
    }

    /// The source of an SMS: one of the client's sources, or the default one. `operators` is the operator's address.
    pub(super) fn source(&self, request: &SmsRequest, operators: &str) -> Option<&SendingInbox> {
        let default = self.default_source.as_ref();
        match request.source() {
            None => default,
            Some(source) => self
                .sources
                .get(source)
                .or_else(|| default.filter(|inbox| inbox.address.as_deref().unwrap_or(operators) == source)),
        }
    }

    pub(super) fn template(&self, request: &SendRequest) -> (Option<String>, Option<&Template>) {
        let Some(key) = self.template_key(request) else { return (None, None) };
        let template = self.templates.get(&key);
        (Some(key.0), template)
    }

    fn template_key(&self, request: &SendRequest) -> Option<(String, String)> {
        let id = request.template()?.id.clone();
        let number = self.number(request)?;
        match number.kind {
            InboxKind::WhatsappCloud => Some((number.waba_id.clone()?, id)),
            InboxKind::WhatsappLite => Some((self.accounts.get(&id)?.clone(), id)),
            _ => None,
        }
    }
}

fn names(group: &[PendingSend]) -> GroupNames<'_> {
    let mut names = GroupNames::default();
    for pending in group {
        names.keys.extend(pending.call.idempotency_key.as_deref());
        match &pending.request {
            SendBody::Message(request) => {
                let number = request.sender().as_str();
                names.numbers.push(number);
                names.templates.extend(request.template().map(|template| (number, template.id.as_str())));
            }
            SendBody::Sms(request) => {
                names.sources.extend(request.source());
                // If the client has no source of this name, it can be the default source with the operator's address.
                names.default_source = true;
            }
        }
    }
    for list in [&mut names.keys, &mut names.numbers, &mut names.sources] {
        list.sort_unstable();
        list.dedup();
    }
    names
}
