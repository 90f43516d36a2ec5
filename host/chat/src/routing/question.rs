use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    chat::{ArrivedMessage, ParticipantState},
    ids::{ClientId, ParticipantId},
    referral::Referral,
};
use plugin_host::{
    World, plugin_channel,
    router::{Inbound, TemplateReference},
    unix_millis,
};
use storage::{
    chat::{
        chat_messages,
        participant_events::WaitingEvent,
        participants::{self, Participant},
    },
    inboxes::{self, Inbox},
    people::customers::{self, Customer},
    tenancy::clients::Client,
};

use crate::conversation::{
    message::{self, CustomerMessage},
    plugin_view,
};
use base::{Context, Error, Result};
use plugins::{
    calls::AnsweringVersion,
    slots::{self, Mode},
};

pub(super) enum RoutingQuestion {
    NotTheBots,
    Nothing,
    Case(Box<RoutingCase>),
}

pub(super) struct RoutingCase {
    pub(super) participant: Participant,
    pub(super) inbox: Inbox,
    pub(super) event: WaitingEvent,
    pub(super) default_bot: Option<String>,
    pub(super) customer: Customer,
    client: Client,
    arrived: ArrivedMessage,
    wrote: CustomerMessage,
    first: Arc<AnsweringVersion>,
    next: Option<Arc<AnsweringVersion>>,
}

impl RoutingCase {
    pub(super) fn routers(&self) -> impl Iterator<Item = &Arc<AnsweringVersion>> {
        std::iter::once(&self.first).chain(&self.next)
    }

    /// The last router to ask: the live one, or a canary without a live one.
    pub(super) fn last_router(&self) -> &Arc<AnsweringVersion> {
        self.next.as_ref().unwrap_or(&self.first)
    }

    pub(super) fn inbound(&self, now: DateTime<Utc>) -> Inbound {
        let (participant, arrived) = (&self.participant, &self.arrived);
        Inbound {
            id: self.event.id.to_string(),
            participant_id: participant.id.to_string(),
            client_ref: self.client.client_ref.clone(),
            business_number: self.inbox.address().unwrap_or_default().to_owned(),
            customer: plugin_view::customer(&self.customer),
            channel: plugin_channel(participant.channel),
            message: plugin_view::message(&self.wrote),
            reopened: arrived.reopened,
            previous_template: arrived
                .template
                .as_ref()
                .map(|template| TemplateReference { id: template.id.clone(), name: template.name.clone() }),
            default_bot: self.default_bot.clone(),
            last_agent: participant.last_assigned_agent.map(|agent| agent.to_string()),
            last_team: arrived.last_team.clone(),
            tags: participant.tags.clone(),
            now_ms: unix_millis(now),
            local_time: plugin_view::zone(&self.client.time_zone).local_time(now),
            metadata: self.wrote.message.content.referral().into_iter().flat_map(Referral::metadata).collect(),
        }
    }
}

pub(super) async fn load(
    ctx: &Context,
    client: ClientId,
    id: ParticipantId,
    event: &WaitingEvent,
) -> Result<RoutingQuestion> {
    let mut db = ctx.db.acquire().await?;
    let db = &mut *db;
    let found = participants::find(db, client, id).await?.filter(|found| found.id == id);
    let Some(participant) = found.filter(|found| found.state == ParticipantState::Bot) else {
        return Ok(RoutingQuestion::NotTheBots);
    };
    let routers = slots::in_force(db, client, World::Router, participant.inbox).await?;
    // If the canary does not cover this participant, the live router decides, if there is one.
    let Some(first) = routers.answering(id.0) else { return Ok(RoutingQuestion::Nothing) };
    let next = routers.live.as_ref().filter(|_| first.mode == Mode::Canary);
    let ask = |router| Arc::new(AnsweringVersion::from(router).with_shadow_of(&routers));
    let (first, next) = (ask(first), next.map(ask));
    let customer = customers::find(db, client, participant.customer).await?;
    let inbox = inboxes::by_id(db, client, participant.inbox).await?;
    let owner = storage::tenancy::clients::get(db, client).await?;
    let (Some(customer), Some(inbox), Some(owner)) = (customer, inbox, owner) else {
        let value = participant.id.to_string();
        return Err(Error::Storage(storage::Error::Inconsistent { table: "participant", column: "id", value }));
    };
    let Some(arrived) = event.event.message().cloned() else { return Ok(RoutingQuestion::Nothing) };
    let Some(message) = chat_messages::find(db, client, arrived.message).await? else {
        return Ok(RoutingQuestion::Nothing);
    };
    let chatbots = slots::in_force(db, client, World::Chatbot, participant.inbox).await?;
    let default_bot = chatbots.answering(id.0).map(|bot| bot.plugin.name().to_owned());
    let wrote = message::read(ctx, db, client, message).await?;
    Ok(RoutingQuestion::Case(Box::new(RoutingCase {
        participant,
        inbox,
        event: event.clone(),
        default_bot,
        customer,
        client: owner,
        arrived,
        wrote,
        first,
        next,
    })))
}
