use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    chat::{
        ArrivedMessage, CustomEvent, EndedRequest, ParticipantEvent, ParticipantEventKind, ParticipantState,
        SentTemplate,
    },
    ids::{ClientId, ParticipantId},
    referral::Referral,
};
use storage::{
    PgConnection,
    chat::{
        chat_messages,
        participant_events::WaitingEvent,
        participants::{self, Participant},
    },
    inboxes::{self, Inbox},
    people::{
        customers::{self, Customer},
        inbox_customers,
    },
    tenancy::{
        clients::{self, Client},
        contact_attributes::{self, AttributeValues},
    },
};

use crate::conversation::{
    message::{self, CustomerMessage},
    responsible_plugin::{self, ChatbotInCharge},
    window::ChatWindow,
};
use base::{Context, Error, Result};
use plugins::calls::AnsweringVersion;

pub(super) enum Situation {
    /// The chat is with people or closed, so none of its events are for the chatbot.
    NotTheBots,
    NoBot,
    /// The chat has too many messages within an hour.
    Endless,
    Nothing,
    /// The event belongs to an earlier conversation or to another chatbot.
    Stale,
    Ready(Box<TurnContext>),
}

pub(super) struct TurnContext {
    pub(super) participant: Participant,
    pub(super) customer: Customer,
    pub(super) inbox: Inbox,
    pub(super) client: Client,
    /// The chatbot: the same version for the whole turn, unless it is a canary and fails.
    pub(super) answering: Arc<AnsweringVersion>,
    /// The live version, if `answering` is a canary.
    pub(super) live_version: Option<Arc<AnsweringVersion>>,
    pub(super) subject: Subject,
    pub(super) reopened: bool,
    pub(super) template: Option<SentTemplate>,
    pub(super) window_end: Option<DateTime<Utc>>,
    /// The attributes of the contact.
    pub(super) attributes: AttributeValues,
}

impl TurnContext {
    pub(super) fn plugin(&self) -> &str {
        self.answering.name()
    }
}

pub(super) enum Subject {
    Started(Box<CustomerMessage>),
    Message(Box<CustomerMessage>),
    Rating(String, Box<CustomerMessage>),
    Timer(String),
    Custom(CustomEvent),
    RequestEnded(Box<EndedRequest>),
    Released,
}

impl Subject {
    fn message(&self) -> Option<&CustomerMessage> {
        match self {
            Self::Started(wrote) | Self::Message(wrote) | Self::Rating(_, wrote) => Some(wrote.as_ref()),
            Self::Timer(_) | Self::Custom(_) | Self::RequestEnded(_) | Self::Released => None,
        }
    }

    pub(super) fn referral(&self) -> Option<&Referral> {
        self.message()?.message.content.referral()
    }
}

pub(super) async fn load(
    ctx: &Context,
    client: ClientId,
    id: ParticipantId,
    event: &WaitingEvent,
) -> Result<Situation> {
    let mut db = ctx.db.acquire().await?;
    let db = &mut *db;
    let Some(participant) = participants::find(db, client, id).await?.filter(|found| found.id == id) else {
        return Ok(Situation::NotTheBots);
    };
    if participant.state != ParticipantState::Bot {
        return Ok(Situation::NotTheBots);
    }
    let Some(ChatbotInCharge { answering, live_version }) =
        responsible_plugin::chatbot(ctx, db, client, &participant).await?
    else {
        return Ok(Situation::NoBot);
    };
    // An event of the live version is not for a canary that is another plugin.
    let (answering, live_version) = match live_version {
        Some(live) if !event.event.is_for(answering.name()) && event.event.is_for(live.name()) => (live, None),
        live_version => (answering, live_version),
    };
    let is_of_earlier = match &event.event {
        ParticipantEvent::RequestEnded(ended) => ended.control_version != participant.control_version,
        _ => false,
    };
    if is_of_earlier || !event.event.is_for(answering.name()) {
        return Ok(Situation::Stale);
    }
    let customer = customers::find(db, client, participant.customer).await?;
    let inbox = inboxes::by_id(db, client, participant.inbox).await?;
    let owner = clients::get(db, client).await?;
    let (Some(customer), Some(inbox), Some(owner)) = (customer, inbox, owner) else {
        let value = participant.id.to_string();
        return Err(Error::Storage(storage::Error::Inconsistent { table: "participant", column: "id", value }));
    };
    let Some(known) = subject(ctx, db, client, event).await? else { return Ok(Situation::Nothing) };
    let (subject, reopened, template) = match known {
        Known::WithoutMessage(subject) => {
            let template = inbox_customers::last_template_of(db, client, inbox.id, customer.id).await?;
            (subject, false, template)
        }
        Known::Arrived(subject, arrived) => (subject, arrived.reopened, arrived.template),
    };
    if subject.message().is_some() && is_endless(ctx, db, client, &participant).await? {
        return Ok(Situation::Endless);
    }
    let wrote = subject.message().map(|wrote| wrote.message.created_at);
    let window_end = ChatWindow { chat: &participant, kind: inbox.kind() }.end_for_programs(db, client, wrote).await?;
    let attributes = contact_attributes::of_customer(db, client, customer.id).await?;
    Ok(Situation::Ready(Box::new(TurnContext {
        participant,
        customer,
        inbox,
        client: owner,
        answering: Arc::new(answering),
        live_version: live_version.map(Arc::new),
        subject,
        reopened,
        template,
        window_end,
        attributes,
    })))
}

/// Two programs that answer each other, such as a chatbot and the automatic answer of a business, would not end.
async fn is_endless(ctx: &Context, db: &mut PgConnection, client: ClientId, participant: &Participant) -> Result<bool> {
    let most = i64::from(ctx.settings.limits.bot_chat_messages_per_hour);
    let first = participant.next_sequence - most;
    // 0: no bound. A message that arrives now may already have the next number.
    if most == 0 || first < 1 {
        return Ok(false);
    }
    let since = ctx.now() - TimeDelta::hours(1);
    Ok(chat_messages::is_younger_than(db, client, participant.id, first, since).await?)
}

enum Known {
    WithoutMessage(Subject),
    Arrived(Subject, ArrivedMessage),
}

async fn subject(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    event: &WaitingEvent,
) -> Result<Option<Known>> {
    let arrived = match &event.event {
        ParticipantEvent::Timer(timer) => return Ok(Some(Known::WithoutMessage(Subject::Timer(timer.name.clone())))),
        ParticipantEvent::Custom(custom) => return Ok(Some(Known::WithoutMessage(Subject::Custom(custom.clone())))),
        ParticipantEvent::RequestEnded(ended) => {
            return Ok(Some(Known::WithoutMessage(Subject::RequestEnded(ended.clone()))));
        }
        ParticipantEvent::Released => return Ok(Some(Known::WithoutMessage(Subject::Released))),
        ParticipantEvent::Route(arrived)
        | ParticipantEvent::Started(arrived)
        | ParticipantEvent::Message(arrived)
        | ParticipantEvent::Rating(arrived) => arrived.clone(),
    };
    let Some(message) = chat_messages::find(db, client, arrived.message).await? else { return Ok(None) };
    let message = Box::new(message::read(ctx, db, client, message).await?);
    let subject = match (event.event.kind(), &arrived.rating) {
        (ParticipantEventKind::Started, _) => Subject::Started(message),
        (ParticipantEventKind::Rating, Some(score)) => Subject::Rating(score.clone(), message),
        _ => Subject::Message(message),
    };
    Ok(Some(Known::Arrived(subject, arrived)))
}
