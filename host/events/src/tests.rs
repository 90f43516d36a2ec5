//! Tests of who is told of an event.

use std::collections::BTreeMap;

use domain::webhook::PayloadVersion;
use plugin_host::webhook_shaper::{Agent, SessionStatusEvent};
use uuid::Uuid;

use domain::{
    ids::{EndpointId, InboxId},
    webhook::{WebhookSettings, WebhookType},
};
use plugin_host::webhook_shaper::{ChatbotEvent, Direction, WebhookEvent};
use storage::webhooks::configs::Route;

use crate::record::*;
use crate::sample::chatbot_event;

const NUMBER: InboxId = InboxId(Uuid::from_u128(7));
const DEFAULT_CHATBOT: EndpointId = EndpointId(Uuid::from_u128(1));
const DEFAULT_SESSION: EndpointId = EndpointId(Uuid::from_u128(2));
const OVERRIDE_CHATBOT: EndpointId = EndpointId(Uuid::from_u128(3));

fn route(inbox: Option<InboxId>, endpoints: &[(WebhookType, EndpointId)]) -> Route {
    let urls = endpoints.iter().map(|(kind, _)| (*kind, "https://example.com".to_owned())).collect();
    Route {
        inbox,
        settings: WebhookSettings { urls, ..WebhookSettings::default() },
        endpoints: endpoints.iter().copied().collect::<BTreeMap<_, _>>(),
    }
}

fn default_route() -> Route {
    route(None, &[(WebhookType::Chatbot, DEFAULT_CHATBOT), (WebhookType::SessionStatus, DEFAULT_SESSION)])
}

fn about(event: WebhookEvent) -> NewEvent {
    NewEvent { inbox: NUMBER, order_key: 1, event }
}

fn chatbot(change: impl FnOnce(&mut ChatbotEvent)) -> NewEvent {
    let mut event = chatbot_event();
    change(&mut event);
    about(WebhookEvent::Chatbot(event))
}

fn session() -> NewEvent {
    about(WebhookEvent::SessionStatus(SessionStatusEvent {
        whatsapp_number: "27600000001".to_owned(),
        status: "Connected".to_owned(),
        status_type: "success".to_owned(),
        timestamp_ms: 1,
        metadata: Vec::new(),
    }))
}

#[test]
fn an_override_counts_as_a_whole() {
    let own = route(Some(NUMBER), &[(WebhookType::Chatbot, OVERRIDE_CHATBOT)]);
    let routes = [default_route(), own];
    assert_eq!(destination(&routes, &mut chatbot(|_| ())), Some(OVERRIDE_CHATBOT));
    assert_eq!(destination(&routes, &mut session()), None, "what the override leaves out does not go to the default");
}

#[test]
fn an_override_of_another_number_changes_nothing() {
    let other = route(Some(InboxId(Uuid::from_u128(8))), &[(WebhookType::Chatbot, OVERRIDE_CHATBOT)]);
    assert_eq!(destination(&[other.clone(), default_route()], &mut chatbot(|_| ())), Some(DEFAULT_CHATBOT));
    assert_eq!(destination(&[other], &mut session()), None, "without a default there is nobody to tell");
}

#[test]
fn an_override_without_addresses_silences_its_number() {
    let routes = [default_route(), route(Some(NUMBER), &[])];
    assert_eq!(destination(&routes, &mut chatbot(|_| ())), None);
    assert_eq!(destination(&routes, &mut session()), None);
}

#[test]
fn bot_replies_are_reported_only_when_included_and_template_sends_never() {
    let mut route = default_route();
    let reply = |event: &mut ChatbotEvent| event.direction = Direction::Outgoing;
    let template = |event: &mut ChatbotEvent| {
        event.direction = Direction::Outgoing;
        event.template_id = Some("12".to_owned());
    };
    assert_eq!(destination(std::slice::from_ref(&route), &mut chatbot(reply)), None);
    route.settings.chatbot_include_outgoing = true;
    assert_eq!(destination(std::slice::from_ref(&route), &mut chatbot(reply)), Some(DEFAULT_CHATBOT));
    assert_eq!(destination(std::slice::from_ref(&route), &mut chatbot(template)), None);
}

#[test]
fn an_assigned_agent_stops_chatbot_events_only_when_asked_for() {
    let mut route = default_route();
    let assigned = |event: &mut ChatbotEvent| {
        event.assigned_agent = Some(Agent { id: "agent".to_owned(), name: None });
    };
    assert_eq!(destination(std::slice::from_ref(&route), &mut chatbot(assigned)), Some(DEFAULT_CHATBOT));
    route.settings.chatbot_stop_on_agent_assignment = true;
    assert_eq!(destination(std::slice::from_ref(&route), &mut chatbot(assigned)), None);
    assert_eq!(destination(std::slice::from_ref(&route), &mut chatbot(|_| ())), Some(DEFAULT_CHATBOT));
}

#[test]
fn a_chatbot_event_carries_the_settings_of_the_configuration_that_applies() {
    let mut own = route(Some(NUMBER), &[(WebhookType::Chatbot, OVERRIDE_CHATBOT)]);
    own.settings.chatbot_payload_version = PayloadVersion::V2;
    own.settings.chatbot_include_outgoing = true;
    let mut event = chatbot(|_| ());
    destination(&[default_route(), own], &mut event);
    let WebhookEvent::Chatbot(event) = event.event else { panic!("the event changed its kind") };
    assert_eq!(event.settings.payload_version, "v2");
    assert!(event.settings.include_outgoing);
}
