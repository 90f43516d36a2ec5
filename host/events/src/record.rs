//! Stores an event for the endpoint that wants it, inside the transaction of what happened.

use std::collections::BTreeSet;

use domain::{
    ids::{ClientId, DeliveryId, EndpointId, InboxId},
    webhook::{ChatbotEvent as ChatbotMoment, WebhookSettings, WebhookType, in_force},
};
use plugin_host::webhook_shaper::{ChatbotEvent, ChatbotSettings, Direction, WebhookEvent};
use storage::{
    PgConnection,
    webhooks::{
        configs::{self, Route},
        deliveries::{self, NewDelivery},
    },
};

use base::{Context, Result};

/// Something that happened and that the client may want to hear of.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// The inbox that it is about.
    pub inbox: InboxId,
    /// `domain::recipient::order_key` of the conversation: first attempts of the same key go out in order.
    pub order_key: i64,
    /// What happened. The settings of a chatbot event are filled in here.
    pub event: WebhookEvent,
}

/// Stores events in the order given, each for the endpoint of its type in the configuration of its inbox, else in the
/// client's default (SPEC 2.12). What nobody wants (SPEC 6.5) is left out. Wake the endpoints answered
/// (`Queue::Webhook`) after the commit.
pub async fn enqueue(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    events: Vec<NewEvent>,
) -> Result<Vec<EndpointId>> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let inboxes: BTreeSet<InboxId> = events.iter().map(|event| event.inbox).collect();
    let inboxes: Vec<InboxId> = inboxes.into_iter().collect();
    let routes = configs::routes(db, client, &inboxes).await?;
    let mut deliveries = Vec::with_capacity(events.len());
    for mut event in events {
        let Some(endpoint) = destination(&routes, &mut event) else { continue };
        deliveries.push(NewDelivery {
            id: ctx.mint::<DeliveryId>(),
            endpoint,
            inbox: event.inbox,
            order_key: event.order_key,
            event: event.event,
        });
    }
    if deliveries.is_empty() {
        return Ok(Vec::new());
    }
    let wake: BTreeSet<EndpointId> = deliveries.iter().map(|delivery| delivery.endpoint).collect();
    deliveries::insert_all(db, client, &deliveries, ctx.now()).await?;
    Ok(wake.into_iter().collect())
}

/// The endpoint of an event; `None` when nobody wants it. A chatbot event gets the settings of the configuration that
/// applies to it.
pub(crate) fn destination(routes: &[Route], event: &mut NewEvent) -> Option<EndpointId> {
    let own = routes.iter().find(|route| route.inbox == Some(event.inbox));
    let default = routes.iter().find(|route| route.inbox.is_none());
    let route = in_force(own, default)?;
    let endpoint = *route.endpoints.get(&kind_of(&event.event))?;
    if let WebhookEvent::Chatbot(chatbot) = &mut event.event {
        if !route.settings.emits_chatbot_event(moment_of(chatbot), chatbot.assigned_agent.is_some()) {
            return None;
        }
        chatbot.settings = shaper_settings(&route.settings);
    }
    Some(endpoint)
}

/// The webhook type that reports an event.
fn kind_of(event: &WebhookEvent) -> WebhookType {
    match event {
        WebhookEvent::Incoming(_) => WebhookType::IncomingMessage,
        WebhookEvent::Status(_) => WebhookType::StatusUpdate,
        WebhookEvent::SessionStatus(_) => WebhookType::SessionStatus,
        WebhookEvent::Partner(_) => WebhookType::PartnerEvent,
        WebhookEvent::Chatbot(_) => WebhookType::Chatbot,
    }
}

/// What happened, as far as gating cares. Only a template send carries the template on the way out.
fn moment_of(event: &ChatbotEvent) -> ChatbotMoment {
    match event.direction {
        Direction::Incoming => ChatbotMoment::Incoming,
        Direction::Outgoing if event.template_id.is_some() => ChatbotMoment::TemplateSend,
        Direction::Outgoing => ChatbotMoment::BotReply,
    }
}

fn shaper_settings(settings: &WebhookSettings) -> ChatbotSettings {
    ChatbotSettings {
        payload_version: settings.chatbot_payload_version.as_str().to_owned(),
        include_outgoing: settings.chatbot_include_outgoing,
        stop_on_agent_assignment: settings.chatbot_stop_on_agent_assignment,
    }
}
