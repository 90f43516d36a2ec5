//! One event of every kind that a webhook reports.

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    chat::{ParticipantState, SentTemplate},
    content::{Location, MediaKind, OutboundContent, OutboundMedia, ReplyButton, ReplyButtons},
    delivery::DeliveryState,
    event::{
        AnsweredMessage, AnsweredTemplate, ChannelStatus, ChatChangedHands, ConnectionStatus, CustomerNumberChanged,
        Event, EventAgent, EventChat, EventCustomer, InboxQualityChanged, MessageCame, MessageMoved, MessageSaid,
        PluginMode, PluginSuspended, PluginSwapped, PluginVersion, PreferenceChanged, Quality, SessionChanged, Speaker,
        StepTimes, Swap, TemplateApproval, TemplateChange, TemplateChanged, TemplateElement, Tracking, WebhookDisabled,
    },
    ids::{ChatMessageId, CustomerId, MessageId, ParticipantId, TeamId, UserId, WebhookConfigId},
    inbound::{InboundContent, InboundMedia, ProviderFailure},
    webhook::{DisabledReason, WebhookType},
    world::World,
};
use uuid::Uuid;

fn address(kind: AddressKind, value: &str) -> Address {
    Address::of_kind(kind, value).unwrap()
}

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000 + seconds, 0).unwrap()
}

fn chat() -> EventChat {
    EventChat {
        participant: CHAT,
        state: ParticipantState::Bot,
        missed: false,
        client_ref: Some("demo".to_owned()),
        agent: None,
        last_agent: None,
        team: None,
        team_id: None,
    }
}

/// The stored chat of an assignment, for events that only name it.
pub const CHAT: ParticipantId = ParticipantId(Uuid::from_u128(1));
/// Its customer.
pub const CUSTOMER: CustomerId = CustomerId(Uuid::from_u128(4));
/// Agents, by id and name.
pub const AGENTS: [(UserId, &str); 2] = [(UserId(Uuid::from_u128(2)), "Ann"), (UserId(Uuid::from_u128(3)), "Ben")];

const SALES: TeamId = TeamId(Uuid::from_u128(10));
const SUPPORT: TeamId = TeamId(Uuid::from_u128(11));

fn assigned() -> EventChat {
    let agent = |at: usize| Some(EventAgent { id: AGENTS[at].0, name: Some(AGENTS[at].1.to_owned()) });
    EventChat {
        state: ParticipantState::Active,
        missed: true,
        agent: agent(0),
        last_agent: agent(1),
        team: Some("sales".to_owned()),
        team_id: Some(SALES),
        ..chat()
    }
}

/// A chat that got to an agent, a team, or both, from an agent and a team.
fn given([previous, agent]: [Option<usize>; 2], [previous_team, team]: [Option<TeamId>; 2]) -> Event {
    let user = |at: Option<usize>| at.map(|at| AGENTS[at].0);
    let state = |agent: Option<usize>| agent.map_or(ParticipantState::Queued, |_| ParticipantState::Active);
    Event::ChatChangedHands(ChatChangedHands {
        participant: CHAT,
        from: state(previous),
        to: state(agent),
        bot: None,
        agent: user(agent),
        team: team.map(|team| if team == SALES { "sales" } else { "support" }.to_owned()),
        team_id: team,
        reason: None,
        previous_agent: user(previous),
        previous_team,
    })
}

fn assignments() -> Vec<(&'static str, Event)> {
    vec![
        ("an agent takes a chat", given([None, Some(0)], [None, None])),
        ("a chat is passed on to another agent", given([Some(1), Some(0)], [Some(SALES), Some(SALES)])),
        ("a chat is passed on to a team", given([Some(1), None], [None, Some(SALES)])),
        ("a chat is passed on to another team", given([Some(1), None], [Some(SUPPORT), Some(SALES)])),
        ("a chat is passed on to an agent of another team", given([Some(1), Some(0)], [Some(SUPPORT), Some(SALES)])),
        ("a chat that is assigned to nobody", given([Some(1), None], [Some(SALES), Some(SALES)])),
    ]
}

fn customer() -> EventCustomer {
    EventCustomer {
        id: CUSTOMER,
        name: Some("Zo".to_owned()),
        username: Some("zo".to_owned()),
        addresses: vec![address(AddressKind::Phone, "27820000001"), address(AddressKind::Bsuid, "ZA.100")],
    }
}

/// A customer with a withheld number.
fn withheld() -> EventCustomer {
    let addresses = vec![address(AddressKind::Bsuid, "ZA.100")];
    EventCustomer { username: None, addresses, ..customer() }
}

fn came(content: InboundContent) -> MessageCame {
    MessageCame {
        message: ChatMessageId(Uuid::from_u128(5)),
        chat: chat(),
        customer: customer(),
        content,
        carousel: false,
        asks: true,
        media_url: None,
        answers: None,
        quoted_provider_id: None,
        last_template: None,
        conversation: None,
        cost: None,
        referral: None,
    }
}

fn text() -> InboundContent {
    InboundContent::Text { body: "hello".to_owned() }
}

/// One that answers a template, right after it was sent.
fn after_template(content: InboundContent) -> MessageCame {
    let answers = AnsweredMessage {
        chat_message: None,
        message: Some(MessageId(Uuid::from_u128(6))),
        gst_id: "gst-42".to_owned(),
        ct_id: Some("order-42".to_owned()),
        text: Some("Zo, your order is ready".to_owned()),
        template: Some(AnsweredTemplate { id: "77".to_owned(), parameters: vec!["Zo".to_owned(), "#42".to_owned()] }),
    };
    MessageCame {
        answers: Some(answers),
        quoted_provider_id: Some("wamid.T".to_owned()),
        last_template: Some(SentTemplate { id: "77".to_owned(), name: "order_ready".to_owned() }),
        ..came(content)
    }
}

/// One that quotes a message of the chat.
fn quoting() -> MessageCame {
    let answers = AnsweredMessage {
        chat_message: Some(ChatMessageId(Uuid::from_u128(7))),
        message: None,
        gst_id: "gst-7".to_owned(),
        ct_id: None,
        text: Some("What do you need?".to_owned()),
        template: None,
    };
    MessageCame { answers: Some(answers), quoted_provider_id: Some("wamid.Q".to_owned()), ..came(text()) }
}

fn file() -> InboundContent {
    InboundContent::Media(InboundMedia {
        media_kind: MediaKind::Image,
        provider_media_id: "M1".to_owned(),
        url: None,
        mime_type: "image/jpeg".to_owned(),
        sha256: None,
        caption: Some("look".to_owned()),
        filename: None,
    })
}

fn place() -> InboundContent {
    InboundContent::Location(Location {
        latitude: -26.1,
        longitude: 28.05,
        name: Some("Shop".to_owned()),
        address: Some("1 Main Road".to_owned()),
    })
}

fn button() -> InboundContent {
    InboundContent::Button { text: "Track".to_owned(), payload: "TRACK".to_owned() }
}

fn reaction(emoji: Option<&str>) -> MessageCame {
    let content = InboundContent::Reaction { message_id: "wamid.Q".to_owned(), emoji: emoji.map(str::to_owned) };
    MessageCame { content, quoted_provider_id: None, ..quoting() }
}

fn incoming() -> Vec<(&'static str, MessageCame)> {
    let contact = InboundContent::Contact { formatted: "Thandi, +27820000009".to_owned() };
    let choice = InboundContent::Interactive { text: "Sales".to_owned(), payload: "x1".to_owned() };
    let media_url = Some("https://files.example.com/m1".to_owned());
    vec![
        ("a text", came(text())),
        ("a text of somebody whose number is withheld", MessageCame { customer: withheld(), ..came(text()) }),
        ("a file", MessageCame { media_url, ..came(file()) }),
        ("a place", came(place())),
        ("a contact", came(contact)),
        ("a choice from a list", came(choice)),
        ("a reaction", reaction(Some("\u{1f44d}"))),
        ("a reaction that was taken back", reaction(None)),
        ("a text that quotes", quoting()),
        ("a text after a template", after_template(text())),
        ("a tap after a template", after_template(button())),
        ("a tap on a carousel after a template", MessageCame { carousel: true, ..after_template(button()) }),
        ("a tap on an older template", MessageCame { last_template: None, ..after_template(button()) }),
        ("a text to an agent", MessageCame { chat: assigned(), ..came(text()) }),
    ]
}

fn said(content: OutboundContent, quoted: Option<ChatMessageId>) -> Event {
    let message = ChatMessageId(Uuid::from_u128(8));
    Event::MessageSaid(Box::new(MessageSaid {
        message,
        rest: Vec::new(),
        by: Speaker::Bot,
        chat: chat(),
        customer: customer(),
        content,
        quoted,
        ct_id: None,
    }))
}

/// An answer of the agent that has the chat.
fn answered(content: OutboundContent) -> Event {
    let Event::MessageSaid(said) = said(content, None) else { unreachable!() };
    let by = Speaker::Agent(AGENTS[0].0);
    Event::MessageSaid(Box::new(MessageSaid { by, chat: assigned(), ct_id: Some("answer-1".to_owned()), ..*said }))
}

fn outgoing() -> Vec<(&'static str, Event)> {
    let buttons = OutboundContent::Buttons(ReplyButtons {
        header: None,
        body: "Choose".to_owned(),
        footer: None,
        buttons: vec![ReplyButton { id: "a".to_owned(), title: "A".to_owned() }],
    });
    let file = OutboundContent::Media(OutboundMedia {
        kind: MediaKind::Document,
        url: "https://files.example.com/a.pdf".to_owned(),
        caption: Some("the invoice".to_owned()),
        filename: None,
    });
    let quoted = Some(ChatMessageId(Uuid::from_u128(5)));
    vec![
        ("a reply", said(OutboundContent::Text { body: "hi".to_owned() }, None)),
        ("a reply that quotes", said(OutboundContent::Text { body: "hi".to_owned() }, quoted)),
        ("a reply with buttons", said(buttons, None)),
        ("a reply with a file", said(file.clone(), None)),
        ("a reply of an agent", answered(OutboundContent::Text { body: "hi".to_owned() })),
        ("a file of an agent", answered(file)),
    ]
}

fn moved(state: DeliveryState) -> MessageMoved {
    MessageMoved {
        message: MessageId(Uuid::from_u128(6)),
        chat_message: None,
        leg: 0,
        channel: Channel::Whatsapp,
        state,
        to: vec![address(AddressKind::Phone, "27820000001"), address(AddressKind::Bsuid, "ZA.100")],
        gst_id: "gst-42".to_owned(),
        ct_id: Some("order-42".to_owned()),
        conversation: None,
        times: StepTimes::up_to(state, [Some(at(1)), Some(at(2)), Some(at(3)), Some(at(4))]),
        failure: None,
        tracking: Tracking::default(),
    }
}

fn statuses() -> Vec<(&'static str, MessageMoved)> {
    let failure = Some(ProviderFailure { code: 131_026, text: "Message undeliverable".to_owned() });
    let only_bsuid = vec![address(AddressKind::Bsuid, "ZA.100")];
    vec![
        ("a status ACCEPTED", moved(DeliveryState::Accepted)),
        ("a status SENT", moved(DeliveryState::Sent)),
        ("a status DELIVERED", moved(DeliveryState::Delivered)),
        ("a status READ", moved(DeliveryState::Read)),
        ("a status PLAYED", moved(DeliveryState::Played)),
        ("a status FAILED", MessageMoved { failure, ..moved(DeliveryState::Failed) }),
        ("a status of an SMS", MessageMoved { leg: 1, channel: Channel::Sms, ..moved(DeliveryState::Delivered) }),
        ("a status without a number", MessageMoved { to: only_bsuid, ct_id: None, ..moved(DeliveryState::Sent) }),
    ]
}

fn template(change: TemplateChange) -> Event {
    let (id, name) = (Some("77".to_owned()), "order_ready".to_owned());
    Event::TemplateChanged(TemplateChanged { id, name, language: Some("en".to_owned()), change })
}

fn approval(status: TemplateApproval, reason: Option<&str>) -> Event {
    template(TemplateChange::Status { status, reason: reason.map(str::to_owned) })
}

fn quality(quality: Option<Quality>, limit: Option<&str>, status: Option<ChannelStatus>) -> Event {
    Event::InboxQualityChanged(InboxQualityChanged { quality, limit: limit.map(str::to_owned), status })
}

fn preference(address: Option<Address>, stop: bool) -> Event {
    Event::PreferenceChanged(PreferenceChanged { address, category: "MARKETING".to_owned(), stop })
}

fn partner() -> Vec<(&'static str, Event)> {
    let (before, now) = (address(AddressKind::Phone, "27820000001"), address(AddressKind::Phone, "27820000002"));
    let plugin = PluginVersion { name: "bot".to_owned(), version: Some(3) };
    let failed_canary = PluginSwapped {
        activation: Uuid::from_u128(8),
        plugin: plugin.clone(),
        world: World::Chatbot,
        mode: PluginMode::Canary,
        swap: Swap::TakenBack { reason: "3 of its 20 calls failed".to_owned() },
    };
    let off = WebhookDisabled {
        config: WebhookConfigId(Uuid::from_u128(9)),
        is_default: false,
        webhook: WebhookType::StatusUpdate,
        url: "https://hooks.example.com/status".to_owned(),
        reason: DisabledReason::Failing,
    };
    vec![
        ("PHONE_QUALITY_CHANGED", quality(Some(Quality::Red), Some("TIER_250"), Some(ChannelStatus::Flagged))),
        (
            "PHONE_QUALITY_CHANGED with the status alone",
            quality(None, Some("TIER_NOT_SET"), Some(ChannelStatus::Connected)),
        ),
        ("TEMPLATE_STATUS_CHANGED to APPROVED", approval(TemplateApproval::Approved, None)),
        ("TEMPLATE_STATUS_CHANGED to REJECTED", approval(TemplateApproval::Rejected, Some("INVALID_FORMAT"))),
        ("TEMPLATE_STATUS_CHANGED to PAUSED", approval(TemplateApproval::Paused, None)),
        ("TEMPLATE_STATUS_CHANGED to DISABLED", approval(TemplateApproval::Disabled, None)),
        (
            "TEMPLATE_QUALITY_CHANGED",
            template(TemplateChange::Quality { before: Quality::Unknown, now: Quality::Yellow }),
        ),
        ("TEMPLATE_COMPONENTS_CHANGED", template(TemplateChange::Components { element: TemplateElement::Footer })),
        ("USER_PREFERENCE to stop", preference(Some(before.clone()), true)),
        ("USER_PREFERENCE to resume, of a withheld number", preference(None, false)),
        ("USER_CHANGED_NUMBER", Event::CustomerNumberChanged(CustomerNumberChanged { customer: None, before, now })),
        ("PLUGIN_CANARY_FAILED", Event::PluginSwapped(failed_canary)),
        ("PLUGIN_SUSPENDED", Event::PluginSuspended(PluginSuspended { plugin, reason: "it crashed".to_owned() })),
        ("WEBHOOK_DISABLED", Event::WebhookDisabled(off)),
    ]
}

fn session(status: ConnectionStatus, words: &str) -> Event {
    Event::SessionChanged(SessionChanged { status, words: words.to_owned() })
}

/// All of them, by name.
pub fn all() -> Vec<(&'static str, Event)> {
    let incoming = incoming().into_iter().map(|(name, came)| (name, Event::MessageCame(Box::new(came))));
    let statuses = statuses().into_iter().map(|(name, moved)| (name, Event::MessageMoved(Box::new(moved))));
    let sessions = [
        ("a session that begins", session(ConnectionStatus::Connecting, "Paired Successfully")),
        ("a session that stands", session(ConnectionStatus::Success, "Sync Complete. You can now send messages")),
        ("a session that ends", session(ConnectionStatus::Disconnected, "Disconnected: Logged in on another device")),
    ];
    incoming.chain(outgoing()).chain(assignments()).chain(statuses).chain(sessions).chain(partner()).collect()
}
