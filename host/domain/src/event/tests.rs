//! Every case is read back from its stored form. An unknown form is an error.

use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::{
    address::Address,
    address_kind::AddressKind,
    change::ChangeKind,
    channel::Channel,
    chat::{Direction, ParticipantState, Rating},
    content::OutboundContent,
    delivery::DeliveryState,
    ids::{ChatMessageId, CustomerId, MessageId, NoteId, ParticipantId, TeamId, UserId, WebhookConfigId},
    inbound::{InboundContent, ProviderFailure},
    webhook::{DisabledReason, WebhookType},
    world::World,
};

fn at() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_790_000_000_123).unwrap()
}

fn phone(digits: &str) -> Address {
    Address::of_kind(AddressKind::Phone, digits).unwrap()
}

fn participant() -> ParticipantId {
    ParticipantId(Uuid::from_u128(1))
}

fn chat() -> EventChat {
    EventChat {
        participant: participant(),
        state: ParticipantState::Active,
        missed: true,
        client_ref: Some("demo".to_owned()),
        agent: Some(EventAgent { id: UserId(Uuid::from_u128(2)), name: Some("Ann".to_owned()) }),
        last_agent: Some(EventAgent { id: UserId(Uuid::from_u128(3)), name: None }),
        team: Some("sales".to_owned()),
        team_id: None,
    }
}

fn customer() -> EventCustomer {
    EventCustomer {
        id: CustomerId(Uuid::from_u128(4)),
        name: Some("Zo".to_owned()),
        username: None,
        addresses: vec![phone("27820000001")],
    }
}

fn messages() -> [Event; 4] {
    let answered = AnsweredMessage {
        chat_message: None,
        message: Some(MessageId(Uuid::from_u128(5))),
        gst_id: "gst".to_owned(),
        ct_id: Some("order".to_owned()),
        text: None,
        template: Some(AnsweredTemplate { id: "77".to_owned(), parameters: vec!["Zo".to_owned()] }),
    };
    let came = MessageCame {
        conversation: None,
        cost: None,
        referral: None,
        message: ChatMessageId(Uuid::from_u128(6)),
        chat: chat(),
        customer: customer(),
        content: InboundContent::Button { text: "Yes".to_owned(), payload: "yes".to_owned() },
        carousel: true,
        asks: false,
        media_url: Some("https://example.org/m".to_owned()),
        answers: Some(answered),
        quoted_provider_id: Some("wamid.Q".to_owned()),
        last_template: Some(crate::chat::SentTemplate { id: "77".to_owned(), name: "order_ready".to_owned() }),
    };
    let said = MessageSaid {
        message: ChatMessageId(Uuid::from_u128(7)),
        rest: Vec::new(),
        by: Speaker::Agent(UserId(Uuid::from_u128(2))),
        chat: chat(),
        customer: customer(),
        content: OutboundContent::Text { body: "Hello \u{0} there".to_owned() },
        quoted: Some(ChatMessageId(Uuid::from_u128(6))),
        ct_id: Some("answer-1".to_owned()),
    };
    let moved = MessageMoved {
        conversation: None,
        message: MessageId(Uuid::from_u128(5)),
        chat_message: None,
        leg: 1,
        channel: Channel::Sms,
        state: DeliveryState::Failed,
        to: vec![phone("27820000001")],
        gst_id: "gst".to_owned(),
        ct_id: None,
        times: StepTimes { sent: Some(at()), ..StepTimes::default() },
        failure: Some(ProviderFailure { code: 131_026, text: "undeliverable".to_owned() }),
        tracking: Tracking::default(),
    };
    let changed = MessageChanged {
        message: ChatMessageId(Uuid::from_u128(6)),
        direction: Direction::Incoming,
        kind: ChangeKind::Edited,
        text: Some("Hello".to_owned()),
        chat: chat(),
        customer: customer(),
    };
    [
        Event::MessageCame(Box::new(came)),
        Event::MessageSaid(Box::new(said)),
        Event::MessageMoved(Box::new(moved)),
        Event::MessageChanged(Box::new(changed)),
    ]
}

fn chats() -> [Event; 10] {
    let (from, to) = (ParticipantState::Bot, ParticipantState::Queued);
    let message = ChatMessageId(Uuid::from_u128(6));
    [
        Event::ChatOpened(ChatOpened { participant: participant(), state: from, again: true, message: Some(message) }),
        Event::ChatChangedHands(ChatChangedHands {
            participant: participant(),
            from,
            to,
            bot: None,
            agent: None,
            team: Some("sales".to_owned()),
            team_id: None,
            reason: Some("asked for a person".to_owned()),
            previous_agent: None,
            previous_team: Some(TeamId(Uuid::from_u128(11))),
        }),
        Event::ChatClosed(ChatClosed { participant: participant(), from, agent: None, missed: false }),
        Event::ChatMissed(ChatMissed { participant: participant(), state: to, agent: None }),
        Event::ChatAfterHours(ChatAfterHours { participant: participant(), team: TeamId(Uuid::from_u128(11)) }),
        Event::CustomerTypes(CustomerTypes { participant: participant() }),
        Event::NoteWritten(NoteWritten {
            participant: participant(),
            note: NoteId(Uuid::from_u128(12)),
            author: UserId(Uuid::from_u128(13)),
            mentions: vec![UserId(Uuid::from_u128(14))],
            whisper_to: None,
        }),
        Event::ChatViewed(ChatViewed { participant: participant() }),
        Event::ChatRated(ChatRated { participant: participant(), message, rating: Rating::Excellent }),
        Event::TicketMoved(TicketMoved {
            number: 7,
            participant: participant(),
            from: None,
            to: TicketStatus::AwaitingAgent,
            agent: None,
        }),
    ]
}

fn of_inboxes() -> [Event; 5] {
    let change = TemplateChange::Status { status: TemplateApproval::Rejected, reason: Some("SPAM".to_owned()) };
    let template = TemplateChanged { id: Some("77".to_owned()), name: "hello".to_owned(), language: None, change };
    let number = CustomerNumberChanged { customer: None, before: phone("27820000001"), now: phone("27820000002") };
    let quality =
        InboxQualityChanged { quality: Some(Quality::Red), limit: None, status: Some(ChannelStatus::Flagged) };
    let preference = PreferenceChanged { address: None, category: "MARKETING".to_owned(), stop: true };
    let session = SessionChanged { status: ConnectionStatus::Disconnected, words: "Logged Out".to_owned() };
    [
        Event::TemplateChanged(template),
        Event::CustomerNumberChanged(number),
        Event::InboxQualityChanged(quality),
        Event::PreferenceChanged(preference),
        Event::SessionChanged(session),
    ]
}

fn of_plugins() -> [Event; 2] {
    let plugin = PluginVersion { name: "bot".to_owned(), version: Some(3) };
    let swapped = PluginSwapped {
        activation: Uuid::from_u128(8),
        plugin: plugin.clone(),
        world: World::SmsFallback,
        mode: PluginMode::Canary,
        swap: Swap::TakenBack { reason: "3 of its 20 calls failed".to_owned() },
    };
    let suspended = PluginSuspended { plugin, reason: "it crashed".to_owned() };
    [Event::PluginSwapped(swapped), Event::PluginSuspended(suspended)]
}

fn of_webhooks() -> Event {
    Event::WebhookDisabled(WebhookDisabled {
        config: WebhookConfigId(Uuid::from_u128(9)),
        is_default: true,
        webhook: WebhookType::StatusUpdate,
        url: "https://hooks.example.com/status".to_owned(),
        reason: DisabledReason::Gone,
    })
}

/// One of every case: a case that is added is missed here by the compiler.
fn every_case() -> Vec<Event> {
    let all: Vec<Event> =
        messages().into_iter().chain(chats()).chain(of_inboxes()).chain(of_plugins()).chain([of_webhooks()]).collect();
    let places: std::collections::BTreeSet<usize> = all.iter().map(place).collect();
    assert_eq!(places.len(), 22, "a case is missing");
    all
}

fn place(event: &Event) -> usize {
    match event {
        Event::MessageCame(_) => 0,
        Event::MessageSaid(_) => 1,
        Event::MessageMoved(_) => 2,
        Event::ChatOpened(_) => 3,
        Event::ChatChangedHands(_) => 4,
        Event::ChatClosed(_) => 5,
        Event::ChatRated(_) => 6,
        Event::TicketMoved(_) => 7,
        Event::TemplateChanged(_) => 8,
        Event::CustomerNumberChanged(_) => 9,
        Event::InboxQualityChanged(_) => 10,
        Event::PreferenceChanged(_) => 11,
        Event::PluginSwapped(_) => 12,
        Event::PluginSuspended(_) => 13,
        Event::SessionChanged(_) => 14,
        Event::WebhookDisabled(_) => 15,
        Event::ChatMissed(_) => 16,
        Event::ChatAfterHours(_) => 17,
        Event::CustomerTypes(_) => 18,
        Event::MessageChanged(_) => 19,
        Event::NoteWritten(_) => 20,
        Event::ChatViewed(_) => 21,
    }
}

#[test]
fn every_case_comes_back_from_its_stored_form() {
    for event in every_case() {
        let stored = serde_json::to_string(&EventRecord::new(at(), &event)).unwrap();
        assert!(stored.starts_with(r#"{"v":1,"at":"2026-09-21T14:13:20.123Z","event":{""#), "{stored}");
        let read: StoredEvent = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, StoredEvent { at: at(), event });
    }
}

#[test]
fn an_unknown_version_or_case_is_an_error_that_quotes_no_data() {
    let read = |v: u32, event: serde_json::Value| {
        let stored = json!({ "v": v, "at": at(), "event": event }).to_string();
        serde_json::from_str::<StoredEvent>(&stored)
    };
    let rated = json!({ "chatRated": { "participant": Uuid::nil(), "message": Uuid::nil(), "rating": "POOR" } });
    assert!(read(1, rated.clone()).is_ok());
    let other = read(2, json!({ "anything": "secret" })).unwrap_err().to_string();
    assert!(other.contains("version 2") && !other.contains("secret"), "{other}");
    let unknown = read(1, json!({ "secret": {} })).unwrap_err().to_string();
    assert!(unknown.contains("no event of version 1") && !unknown.contains("secret"), "{unknown}");
    assert!(serde_json::from_value::<StoredEvent>(json!({ "at": at(), "event": rated })).is_err(), "without a version");
}

#[test]
fn the_times_of_a_step_are_those_up_to_it() {
    let all = [Some(at()); 4];
    let delivered = StepTimes::up_to(DeliveryState::Delivered, all);
    assert_eq!(delivered, StepTimes { sent: Some(at()), delivered: Some(at()), ..StepTimes::default() });
    let failed = StepTimes::up_to(DeliveryState::Failed, all);
    assert_eq!(failed, StepTimes { sent: Some(at()), ..StepTimes::default() }, "it had been sent");
    assert_eq!(StepTimes::up_to(DeliveryState::Failed, [None; 4]), StepTimes::default());
    assert_eq!(StepTimes::up_to(DeliveryState::Accepted, all), StepTimes::default());
}

fn hands(agents: [Option<u128>; 2], teams: [Option<u128>; 2]) -> ChatChangedHands {
    let [previous_agent, agent] = agents.map(|id| id.map(|id| UserId(Uuid::from_u128(id))));
    let [previous_team, team_id] = teams.map(|id| id.map(|id| TeamId(Uuid::from_u128(id))));
    let to = if agent.is_some() { ParticipantState::Active } else { ParticipantState::Queued };
    ChatChangedHands {
        participant: ParticipantId(Uuid::from_u128(20)),
        from: ParticipantState::Queued,
        to,
        bot: None,
        agent,
        team: None,
        team_id,
        reason: None,
        previous_agent,
        previous_team,
    }
}

#[test]
fn a_chat_given_to_an_agent_or_a_team_is_assigned_and_shows_a_change_of_team() {
    let routed = |agents, teams| hands(agents, teams).assignment().map(|assigned| assigned.to_another_team);
    let none = [None, None];
    assert_eq!(routed([None, Some(1)], none), Some(false), "an agent takes it");
    assert_eq!(routed([Some(2), Some(1)], [Some(8), Some(8)]), Some(false), "another agent of the team");
    assert_eq!(routed([Some(2), Some(1)], [Some(8), Some(9)]), Some(true), "an agent of another team");
    assert_eq!(routed(none, [None, Some(9)]), Some(false), "its first team");
    assert_eq!(routed(none, [Some(8), Some(9)]), Some(true), "another team");
    assert_eq!(routed([Some(2), None], [Some(8), Some(8)]), None, "it left its agent");
    assert_eq!(routed([Some(2), None], [Some(8), None]), None, "it left its agent and its team");
    assert_eq!(routed(none, none), None, "it waits for all");
}
