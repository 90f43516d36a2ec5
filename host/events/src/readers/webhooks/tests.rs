use std::collections::BTreeMap;

use chrono::DateTime;
use domain::{
    channel::Channel,
    chat::ParticipantState,
    content::TemplateSend,
    delivery::DeliveryState,
    event::{
        ChatChangedHands, ChatClosed, ConnectionStatus, EventAgent, EventChat, EventCustomer, MessageCame, PluginMode,
        PluginSwapped, PluginVersion, SessionChanged, StepTimes, Tracking, WebhookDisabled,
    },
    ids::{ChatMessageId, CustomerId, MessageId, ParticipantId, TeamId, UserId, WebhookConfigId},
    inbound::InboundContent,
    webhook::DisabledReason,
    world::World,
};

use super::*;

const INBOX: InboxId = InboxId(Uuid::from_u128(7));
const DEFAULT_CHATBOT: EndpointId = EndpointId(Uuid::from_u128(1));
const DEFAULT_SESSION: EndpointId = EndpointId(Uuid::from_u128(2));
const DEFAULT_INCOMING: EndpointId = EndpointId(Uuid::from_u128(4));
const STATUS: EndpointId = EndpointId(Uuid::from_u128(5));
const OVERRIDE_CHATBOT: EndpointId = EndpointId(Uuid::from_u128(3));

fn route(inbox: Option<InboxId>, endpoints: &[(WebhookType, EndpointId)]) -> WebhookRoute {
    let urls = endpoints.iter().map(|(kind, _)| (*kind, "https://example.com".to_owned())).collect();
    WebhookRoute {
        inbox,
        settings: WebhookSettings { urls, ..WebhookSettings::default() },
        endpoints: endpoints.iter().copied().collect::<BTreeMap<_, _>>(),
        disabled: BTreeSet::new(),
    }
}

fn default_route() -> WebhookRoute {
    route(
        None,
        &[
            (WebhookType::IncomingMessage, DEFAULT_INCOMING),
            (WebhookType::Chatbot, DEFAULT_CHATBOT),
            (WebhookType::SessionStatus, DEFAULT_SESSION),
        ],
    )
}

fn chat() -> EventChat {
    EventChat {
        participant: ParticipantId(Uuid::from_u128(20)),
        state: ParticipantState::Bot,
        missed: false,
        client_ref: Some("demo".to_owned()),
        agent: None,
        last_agent: None,
        team: None,
        team_id: None,
    }
}

fn customer() -> EventCustomer {
    EventCustomer { id: CustomerId(Uuid::from_u128(21)), name: None, username: None, addresses: Vec::new() }
}

fn came_to(chat: EventChat) -> Event {
    Event::MessageCame(Box::new(MessageCame {
        conversation: None,
        cost: None,
        referral: None,
        message: ChatMessageId(Uuid::from_u128(22)),
        chat,
        customer: customer(),
        content: InboundContent::Text { body: "hello".to_owned() },
        carousel: false,
        asks: true,
        media_url: None,
        answers: None,
        quoted_provider_id: None,
        last_template: None,
    }))
}

fn said(by: Speaker, content: OutboundContent) -> Event {
    let message = ChatMessageId(Uuid::from_u128(23));
    Event::MessageSaid(Box::new(MessageSaid {
        message,
        rest: Vec::new(),
        by,
        chat: chat(),
        customer: customer(),
        content,
        quoted: None,
        ct_id: None,
    }))
}

fn text() -> OutboundContent {
    OutboundContent::Text { body: "hi".to_owned() }
}

fn session() -> Event {
    Event::SessionChanged(SessionChanged { status: ConnectionStatus::Success, words: "Connected".to_owned() })
}

fn told(routes: &[WebhookRoute], event: &Event) -> Vec<EndpointId> {
    let webhooks = told_by(event).iter();
    webhooks.filter_map(|webhook| Some(destination(routes, INBOX, *webhook, event)?.endpoint)).collect()
}

#[test]
fn an_override_counts_as_a_whole() {
    let own = route(Some(INBOX), &[(WebhookType::Chatbot, OVERRIDE_CHATBOT)]);
    let routes = [default_route(), own];
    assert_eq!(told(&routes, &came_to(chat())), [OVERRIDE_CHATBOT]);
    assert_eq!(told(&routes, &session()), [], "an event that the override leaves out does not go to the default");
}

#[test]
fn an_override_of_another_inbox_changes_nothing() {
    let other = route(Some(InboxId(Uuid::from_u128(8))), &[(WebhookType::Chatbot, OVERRIDE_CHATBOT)]);
    assert_eq!(told(&[other.clone(), default_route()], &came_to(chat())), [DEFAULT_INCOMING, DEFAULT_CHATBOT]);
    assert_eq!(told(&[other], &session()), [], "without a default there is no endpoint");
}

#[test]
fn an_override_without_addresses_silences_its_inbox() {
    let routes = [default_route(), route(Some(INBOX), &[])];
    assert_eq!(told(&routes, &came_to(chat())), []);
    assert_eq!(told(&routes, &session()), []);
}

#[test]
fn messages_of_bots_and_agents_are_reported_only_when_included_and_template_sends_never() {
    let mut routes = [default_route()];
    let template = OutboundContent::Template(TemplateSend {
        id: "12".to_owned(),
        name: "order_ready".to_owned(),
        language: "en".to_owned(),
        header: None,
        header_text: Vec::new(),
        body: Vec::new(),
        buttons: Vec::new(),
        cards: Vec::new(),
        rendered_text: "ready".to_owned(),
        replies: Vec::new(),
    });
    let agent = Speaker::Agent(UserId(Uuid::from_u128(9)));
    for by in [Speaker::Bot, agent, Speaker::Elsewhere] {
        assert_eq!(told(&routes, &said(by, text())), []);
    }
    routes[0].settings.chatbot_include_outgoing = true;
    for by in [Speaker::Bot, agent] {
        assert_eq!(told(&routes, &said(by, text())), [DEFAULT_CHATBOT]);
        assert_eq!(told(&routes, &said(by, template.clone())), []);
    }
    assert_eq!(told(&routes, &said(Speaker::Elsewhere, text())), [], "neither a bot nor an agent of ours");
}

/// A step of a message: of a chat or not, of an SMS product or not, and whether it is a template of a chat.
fn moved(chat: bool, of_product: bool, template_of_chat: bool) -> Event {
    Event::MessageMoved(Box::new(MessageMoved {
        message: MessageId(Uuid::from_u128(24)),
        chat_message: chat.then_some(ChatMessageId(Uuid::from_u128(23))),
        leg: 0,
        channel: Channel::Whatsapp,
        state: DeliveryState::Sent,
        to: Vec::new(),
        gst_id: "gst".to_owned(),
        ct_id: None,
        conversation: None,
        times: StepTimes::default(),
        failure: None,
        tracking: Tracking { of_product, template_of_chat, ..Tracking::default() },
    }))
}

#[test]
fn steps_of_what_was_sent_and_of_templates_of_chats_are_reported_as_statuses() {
    let routes = [route(None, &[(WebhookType::StatusUpdate, STATUS)])];
    assert_eq!(told(&routes, &moved(false, false, false)), [STATUS]);
    assert_eq!(told(&routes, &moved(true, false, true)), [STATUS]);
    assert_eq!(told(&routes, &moved(true, false, false)), []);
    assert_eq!(told(&routes, &moved(false, true, false)), [], "SMS products tell of their own");
    assert_eq!(told(&[default_route()], &moved(true, false, true)), [], "no endpoint listens");
}

fn changed_hands(agent: Option<UserId>, team: Option<TeamId>) -> Event {
    Event::ChatChangedHands(ChatChangedHands {
        participant: ParticipantId(Uuid::from_u128(20)),
        from: ParticipantState::Bot,
        to: if agent.is_some() { ParticipantState::Active } else { ParticipantState::Queued },
        bot: None,
        agent,
        team: team.map(|_| "sales".to_owned()),
        team_id: team,
        reason: None,
        previous_agent: None,
        previous_team: None,
    })
}

#[test]
fn assignments_are_reported_only_when_outgoing_events_are_and_none_to_an_agent_when_those_stop() {
    let (agent, team) = (Some(UserId(Uuid::from_u128(9))), Some(TeamId(Uuid::from_u128(8))));
    let mut routes = [default_route()];
    assert_eq!(told(&routes, &changed_hands(agent, team)), []);
    routes[0].settings.chatbot_include_outgoing = true;
    assert_eq!(told(&routes, &changed_hands(agent, None)), [DEFAULT_CHATBOT]);
    assert_eq!(told(&routes, &changed_hands(None, team)), [DEFAULT_CHATBOT]);
    assert_eq!(told(&routes, &changed_hands(None, None)), [], "it was assigned to no agent");
    routes[0].settings.chatbot_stop_on_agent_assignment = true;
    assert_eq!(told(&routes, &changed_hands(agent, team)), []);
    assert_eq!(told(&routes, &changed_hands(None, team)), [DEFAULT_CHATBOT]);
}

#[test]
fn an_assigned_agent_stops_chatbot_events_only_when_asked_for() {
    let mut routes = [default_route()];
    let agent = Some(EventAgent { id: UserId(Uuid::from_u128(9)), name: None });
    let assigned = came_to(EventChat { agent, ..chat() });
    assert_eq!(told(&routes, &assigned), [DEFAULT_INCOMING, DEFAULT_CHATBOT]);
    routes[0].settings.chatbot_stop_on_agent_assignment = true;
    assert_eq!(told(&routes, &assigned), [DEFAULT_INCOMING]);
    assert_eq!(told(&routes, &came_to(chat())), [DEFAULT_INCOMING, DEFAULT_CHATBOT]);
}

#[test]
fn a_chatbot_event_carries_the_settings_of_the_configuration_that_applies() {
    let mut own = route(Some(INBOX), &[(WebhookType::Chatbot, OVERRIDE_CHATBOT)]);
    own.settings.chatbot_payload_version = PayloadVersion::V2;
    own.settings.chatbot_include_outgoing = true;
    let routes = [default_route(), own];
    let Destination { settings, .. } = destination(&routes, INBOX, WebhookType::Chatbot, &came_to(chat())).unwrap();
    let ReportKind::Chatbot(report) = kind_of(WebhookType::Chatbot, settings, || Uuid::from_u128(5)) else {
        panic!("not a chatbot event")
    };
    assert_eq!((report.event_id, report.payload_version), (Uuid::from_u128(5), PayloadVersion::V2));
    assert!(report.include_outgoing);
}

#[test]
fn an_event_without_a_webhook_has_no_delivery() {
    let closed = Event::ChatClosed(ChatClosed {
        participant: ParticipantId(Uuid::from_u128(20)),
        from: ParticipantState::Bot,
        agent: None,
        missed: false,
    });
    assert!(told_by(&closed).is_empty());
}

#[test]
fn a_canary_that_was_taken_back_is_reported_to_the_partner_webhook_and_other_swaps_are_not() {
    let swapped = |swap| {
        Event::PluginSwapped(PluginSwapped {
            activation: Uuid::from_u128(9),
            plugin: PluginVersion { name: "shop".to_owned(), version: Some(2) },
            world: World::Chatbot,
            mode: PluginMode::Canary,
            swap,
        })
    };
    let taken_back = swapped(Swap::TakenBack { reason: "2 of its 3 calls failed".to_owned() });
    assert_eq!(told_by(&taken_back), [WebhookType::PartnerEvent]);
    for swap in [Swap::Activated { instead_of: None }, Swap::BroughtBack, Swap::RolledBack, Swap::Deactivated] {
        assert!(told_by(&swapped(swap)).is_empty());
    }
}

#[test]
fn a_report_comes_back_as_it_was_stored() {
    let (at, event) = (DateTime::from_timestamp_millis(1_790_000_000_123).unwrap(), came_to(chat()));
    let kind = kind_of(WebhookType::Chatbot, &WebhookSettings::default(), || Uuid::from_u128(5));
    let stored =
        serde_json::to_string(&NewReport { kind, recorded: EventRecord::new(at, &event), scene: None }).unwrap();
    let read: WebhookReport = serde_json::from_str(&stored).unwrap();
    assert_eq!(read, WebhookReport { kind, recorded: StoredEvent { at, event }, scene: None });
}

#[test]
fn a_disabled_webhook_is_reported_to_the_partner_webhook_unless_it_has_the_same_address() {
    let partner = EndpointId(Uuid::from_u128(6));
    let mut routes = [default_route()];
    routes[0].endpoints.insert(WebhookType::PartnerEvent, partner);
    routes[0].settings.urls.insert(WebhookType::PartnerEvent, "https://example.com/events".to_owned());
    let off = |url: &str| {
        Event::WebhookDisabled(WebhookDisabled {
            config: WebhookConfigId(Uuid::from_u128(8)),
            is_default: true,
            webhook: WebhookType::IncomingMessage,
            url: url.to_owned(),
            reason: DisabledReason::Gone,
        })
    };
    assert_eq!(told(&routes, &off("https://example.com/incoming")), [partner]);
    assert_eq!(told(&routes, &off("https://example.com/events")), []);
}
