//! Webhooks of clients: the type of webhook for an event, its endpoint (SPEC 2.12, 6.5), and the stored delivery, which
//! contains the event (ADR 0017).

mod assignment;
#[cfg(test)]
mod tests;

pub use assignment::EventContext;

use std::collections::BTreeSet;

use domain::{
    chat::Direction,
    content::OutboundContent,
    event::{Event, EventRecord, MessageMoved, MessageSaid, Speaker, StoredEvent, Swap},
    ids::{ClientId, DeliveryId, EndpointId, InboxId},
    webhook::{ChatbotEvent, PayloadVersion, WebhookSettings, WebhookType, in_force},
};
use serde::{Deserialize, Serialize};
use storage::{
    PgConnection, Queue,
    outbound::steps::StepWebhook,
    webhooks::{
        configs::{self, WebhookRoute},
        deliveries::{self, NewDelivery},
    },
};
use uuid::Uuid;

use crate::NewEvent;
use base::{Context, Result};

/// The content of a delivery until it is shaped.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct WebhookReport {
    pub kind: ReportKind,
    pub recorded: StoredEvent,
    #[serde(default)]
    pub scene: Option<Box<EventContext>>,
}

#[derive(Debug, Serialize)]
struct NewReport<'event> {
    kind: ReportKind,
    recorded: EventRecord<'event>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scene: Option<Box<EventContext>>,
}

/// The webhook of an event (SPEC 6), with the facts of the time when the event was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReportKind {
    Incoming,
    Status,
    Session,
    Partner,
    Chatbot(ChatbotReport),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatbotReport {
    pub event_id: Uuid,
    pub payload_version: PayloadVersion,
    pub include_outgoing: bool,
    pub stop_on_agent_assignment: bool,
}

/// Stores a delivery for each wanted webhook, in the order of the events. Returns the lanes to wake.
pub(crate) async fn take(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    events: &[NewEvent],
) -> Result<Vec<(Queue, Uuid)>> {
    let told: Vec<(InboxId, &NewEvent)> = events
        .iter()
        .filter(|event| !told_by(&event.event).is_empty())
        .filter_map(|event| Some((event.inbox?, event)))
        .collect();
    if told.is_empty() {
        return Ok(Vec::new());
    }
    let inboxes: BTreeSet<InboxId> = told.iter().map(|(inbox, _)| *inbox).collect();
    let inboxes: Vec<InboxId> = inboxes.into_iter().collect();
    let routes = configs::routes(db, client, &inboxes).await?;
    let mut deliveries = Vec::new();
    for (inbox, new) in told {
        for webhook in told_by(&new.event) {
            let Some(Destination { endpoint, is_disabled, settings }) =
                destination(&routes, inbox, *webhook, &new.event)
            else {
                continue;
            };
            let kind = kind_of(*webhook, settings, || ctx.ids.mint(ctx.now()));
            let scene = match &new.event {
                // The assignment of a removed chat is not reported.
                Event::ChatChangedHands(changed) => match assignment::scene(db, client, changed).await? {
                    Some(scene) => Some(scene),
                    None => continue,
                },
                _ => None,
            };
            let report = NewReport { kind, recorded: EventRecord::new(new.at, &new.event), scene };
            let id = id_of(&new.event).unwrap_or_else(|| ctx.mint());
            let order_key = new.order_key;
            deliveries.push(NewDelivery { id, endpoint, inbox, order_key, event: report, is_disabled });
        }
    }
    if deliveries.is_empty() {
        return Ok(Vec::new());
    }
    let to_send = deliveries.iter().filter(|delivery| !delivery.is_disabled);
    let endpoints: BTreeSet<EndpointId> = to_send.map(|delivery| delivery.endpoint).collect();
    deliveries::insert_all(db, client, &deliveries, ctx.now()).await?;
    Ok(endpoints.into_iter().map(|endpoint| (Queue::Webhook, endpoint.0)).collect())
}

/// The webhook of a step of a message, to be stored with the step; its route is found there.
pub fn webhook_of_step(new: &NewEvent) -> Result<Option<StepWebhook>> {
    let Some((id, inbox)) = id_of(&new.event).zip(new.inbox) else { return Ok(None) };
    if !told_by(&new.event).contains(&WebhookType::StatusUpdate) {
        return Ok(None);
    }
    let report = NewReport { kind: ReportKind::Status, recorded: EventRecord::new(new.at, &new.event), scene: None };
    Ok(Some(StepWebhook::new(id, inbox, new.order_key, &report)?))
}

/// A step of a message has one webhook. Its id is that of the step, by which the story of the message finds it.
fn id_of(event: &Event) -> Option<DeliveryId> {
    match event {
        Event::MessageMoved(moved) => moved.tracking.receipt.map(DeliveryId),
        _ => None,
    }
}

fn told_by(event: &Event) -> &'static [WebhookType] {
    match event {
        Event::MessageCame(_) => &[WebhookType::IncomingMessage, WebhookType::Chatbot],
        // A message that was written outside the platform is neither a bot's nor an agent's.
        Event::MessageSaid(said) if said.by != Speaker::Elsewhere => &[WebhookType::Chatbot],
        // Changes that the business makes elsewhere are not reported, like its messages there.
        Event::MessageChanged(changed) if changed.direction == Direction::Incoming => &[WebhookType::Chatbot],
        Event::ChatChangedHands(changed) if changed.assignment().is_some() => &[WebhookType::Chatbot],
        Event::MessageMoved(moved) if steps_are_reported(moved) => &[WebhookType::StatusUpdate],
        Event::SessionChanged(_) => &[WebhookType::SessionStatus],
        Event::PluginSwapped(swapped) if matches!(swapped.swap, Swap::TakenBack { .. }) => &[WebhookType::PartnerEvent],
        Event::TemplateChanged(_)
        | Event::CustomerNumberChanged(_)
        | Event::InboxQualityChanged(_)
        | Event::PreferenceChanged(_)
        | Event::PluginSuspended(_)
        | Event::WebhookDisabled(_) => &[WebhookType::PartnerEvent],
        Event::MessageSaid(_)
        | Event::MessageChanged(_)
        | Event::MessageMoved(_)
        | Event::ChatOpened(_)
        | Event::ChatChangedHands(_)
        | Event::ChatClosed(_)
        | Event::ChatRated(_)
        | Event::ChatMissed(_)
        | Event::ChatAfterHours(_)
        | Event::CustomerTypes(_)
        | Event::NoteWritten(_)
        | Event::ChatViewed(_)
        | Event::TicketMoved(_)
        | Event::PluginSwapped(_) => &[],
    }
}

/// True for messages of the send endpoints (SPEC 6.2), and for templates of chats (no chatbot event, SPEC 6.5).
fn steps_are_reported(moved: &MessageMoved) -> bool {
    (moved.chat_message.is_none() || moved.tracking.template_of_chat) && !moved.tracking.of_product
}

struct Destination<'routes> {
    endpoint: EndpointId,
    /// True if nothing is sent there until its address is saved again.
    is_disabled: bool,
    settings: &'routes WebhookSettings,
}

fn destination<'routes>(
    routes: &'routes [WebhookRoute],
    inbox: InboxId,
    webhook: WebhookType,
    event: &Event,
) -> Option<Destination<'routes>> {
    let own = routes.iter().find(|route| route.inbox == Some(inbox));
    let default = routes.iter().find(|route| route.inbox.is_none());
    let route = in_force(own, default)?;
    let endpoint = *route.endpoints.get(&webhook)?;
    // The disabled address does not get this event.
    if let Event::WebhookDisabled(off) = event
        && route.settings.url(webhook) == Some(&off.url)
    {
        return None;
    }
    if webhook == WebhookType::Chatbot {
        let (moment, agent) = chatbot_moment(event)?;
        if !route.settings.emits_chatbot_event(moment, agent) {
            return None;
        }
    }
    Some(Destination { endpoint, is_disabled: route.disabled.contains(&webhook), settings: &route.settings })
}

/// The kind of event for gating, and if an agent has the chat.
fn chatbot_moment(event: &Event) -> Option<(ChatbotEvent, bool)> {
    match event {
        Event::MessageCame(came) => Some((ChatbotEvent::Incoming, came.chat.agent.is_some())),
        Event::MessageChanged(changed) => Some((ChatbotEvent::Incoming, changed.chat.agent.is_some())),
        Event::MessageSaid(said) => Some((moment_of_reply(said), said.chat.agent.is_some())),
        Event::ChatChangedHands(changed) => Some((ChatbotEvent::Assignment, changed.agent.is_some())),
        _ => None,
    }
}

fn moment_of_reply(said: &MessageSaid) -> ChatbotEvent {
    match said.content {
        OutboundContent::Template(_) => ChatbotEvent::TemplateSend,
        _ => ChatbotEvent::Reply,
    }
}

fn kind_of(webhook: WebhookType, settings: &WebhookSettings, event_id: impl FnOnce() -> Uuid) -> ReportKind {
    match webhook {
        WebhookType::IncomingMessage => ReportKind::Incoming,
        WebhookType::StatusUpdate => ReportKind::Status,
        WebhookType::SessionStatus => ReportKind::Session,
        WebhookType::PartnerEvent => ReportKind::Partner,
        WebhookType::Chatbot => ReportKind::Chatbot(ChatbotReport {
            event_id: event_id(),
            payload_version: settings.chatbot_payload_version,
            include_outgoing: settings.chatbot_include_outgoing,
            stop_on_agent_assignment: settings.chatbot_stop_on_agent_assignment,
        }),
    }
}
