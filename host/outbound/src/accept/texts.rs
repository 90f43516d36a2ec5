//! Requests for SMS (SPEC 4.1 `/v2/channels/sms`): what they are sent from, and to whom not.

use std::collections::HashMap;

use base::{Context, Result};
use domain::{
    channel::Channel,
    ids::ClientId,
    send::{RejectionReason, SmsRequest},
};
use storage::{
    PgConnection,
    inboxes::{self, Inbox},
    outbound::parts::PartOrigin,
    sms::products::{
        opt_outs::{self, Stopped},
        replies,
    },
};

use super::{
    AcceptError,
    prepare::{Prepared, by_address, fault},
    rows::{self, Sorted},
};

/// What the SMS requests of a group need to know.
#[derive(Default)]
pub(super) struct TextFacts {
    /// Sources that requests name.
    inboxes: HashMap<String, Inbox>,
    /// The source of those that name none.
    default: Option<Inbox>,
    /// The operator's source, which inboxes without an address have.
    operators: String,
    /// Subscribers who stopped SMS, with the source.
    stopped: Stopped,
}

impl TextFacts {
    /// Reads what `requests` are about; nothing where there are none.
    pub(super) async fn load<'r>(
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        requests: impl Iterator<Item = &'r SmsRequest> + Clone,
    ) -> Result<Self> {
        if requests.clone().next().is_none() {
            return Ok(Self::default());
        }
        let mut sources: Vec<String> = requests.clone().filter_map(|one| one.source().map(str::to_owned)).collect();
        sources.sort_unstable();
        sources.dedup();
        let mut facts = Self {
            inboxes: by_address(db, client, Channel::Sms, &sources).await?,
            default: inboxes::default_sms(db, client).await?,
            operators: ctx.settings.sms_default_source.clone(),
            stopped: Stopped::default(),
        };
        let recipients = |request: &SmsRequest| {
            request.recipients().map(|recipient| recipient.address().value().to_owned()).collect::<Vec<_>>()
        };
        let asked: Vec<(String, String)> = requests
            .filter_map(|request| Some((facts.source(facts.inbox(request)?).to_owned(), recipients(request))))
            .flat_map(|(source, to)| to.into_iter().map(move |to| (source.clone(), to)))
            .collect();
        let asked: Vec<(&str, &str)> = asked.iter().map(|(source, to)| (source.as_str(), to.as_str())).collect();
        facts.stopped = opt_outs::stopped(db, client, &asked).await?;
        Ok(facts)
    }

    /// Its source is one of the client's, or the default one.
    fn inbox(&self, request: &SmsRequest) -> Option<&Inbox> {
        match request.source() {
            None => self.default.as_ref(),
            Some(source) => {
                self.inboxes.get(source).or_else(|| self.default.as_ref().filter(|inbox| self.source(inbox) == source))
            }
        }
    }

    fn source<'a>(&'a self, inbox: &'a Inbox) -> &'a str {
        inbox.address().unwrap_or(&self.operators)
    }

    /// A request with its recipients sorted: those who stopped are rejected.
    pub(super) fn sort(&self, request: &SmsRequest) -> std::result::Result<Sorted, AcceptError> {
        let inbox = self.inbox(request).ok_or_else(|| fault(request.unknown_source()))?;
        let source = self.source(inbox);
        let mut parts = request.resolve();
        if !self.stopped.is_empty() {
            for part in &mut parts {
                part.reject_where(|recipient| {
                    let stopped = self.stopped.contains(source, recipient.address().value());
                    stopped.then_some(RejectionReason::StoppedSms)
                });
            }
        }
        Ok(Sorted {
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
}

/// Notes who may answer the SMS of a group.
pub(super) async fn correspond(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    prepared: &[&Prepared],
) -> Result<()> {
    let mut sent = Vec::new();
    for one in prepared {
        let Some(source) = one.source.as_deref() else { continue };
        sent.extend(one.messages.iter().map(|message| (source, message.recipient.address().value(), message.id)));
    }
    Ok(replies::correspond(db, client, &sent, ctx.now()).await?)
}
