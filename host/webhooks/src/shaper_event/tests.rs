use chrono::DateTime;
use domain::{
    channel::Channel,
    chat::ParticipantState,
    content::{OutboundContent, ReplyButton, ReplyButtons},
    conversation::ConversationRef,
    delivery::DeliveryState,
    event::{
        AnsweredMessage, AnsweredTemplate, ConnectionStatus, CustomerNumberChanged, EventChat, EventCustomer,
        MessageCame, MessageSaid, PluginMode, PluginSuspended, PluginSwapped, PluginVersion, Speaker, StepTimes,
        StoredEvent, Swap, TemplateApproval, TemplateChange, TemplateChanged, Tracking, WebhookDisabled,
    },
    ids::{
        ChatMessageId, ConversationId, ConversationParticipantId, CustomerId, MessageId, ParticipantId, WebhookConfigId,
    },
    inbound::{InboundContent, ProviderFailure},
    webhook::{DisabledReason, PayloadVersion, WebhookType},
    world::World,
};
use events::ChatbotReport;
use plugin_host::webhook_shaper::{
    Channel as PluginChannel, ChatbotEvent, Direction, IncomingMessageEvent, PartnerEvent,
};
use uuid::Uuid;

use super::*;

const BUSINESS: &str = "27600000001";

fn at() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_790_000_000_123).unwrap()
}

fn address(kind: AddressKind, value: &str) -> Address {
    Address::of_kind(kind, value).unwrap()
}

fn told(kind: ReportKind, event: Event) -> Option<WebhookEvent> {
    of(&WebhookReport { kind, recorded: StoredEvent { at: at(), event }, scene: None }, BUSINESS)
}

fn chatbot_report(payload_version: PayloadVersion) -> ReportKind {
    ReportKind::Chatbot(ChatbotReport {
        event_id: Uuid::from_u128(1),
        payload_version,
        include_outgoing: true,
        stop_on_agent_assignment: false,
    })
}

fn chat() -> EventChat {
    EventChat {
        participant: ParticipantId(Uuid::from_u128(2)),
        state: ParticipantState::Bot,
        missed: false,
        client_ref: Some("demo".to_owned()),
        agent: None,
        last_agent: None,
        team: Some("sales".to_owned()),
        team_id: None,
    }
}

fn customer() -> EventCustomer {
    EventCustomer {
        id: CustomerId(Uuid::from_u128(3)),
        name: Some("Zo".to_owned()),
        username: Some("zo".to_owned()),
        addresses: vec![address(AddressKind::Phone, "27820000001"), address(AddressKind::Bsuid, "ZA.100")],
    }
}

fn tap() -> MessageCame {
    MessageCame {
        conversation: None,
        cost: None,
        referral: None,
        message: ChatMessageId(Uuid::from_u128(4)),
        chat: chat(),
        customer: customer(),
        content: InboundContent::Button { text: "Track".to_owned(), payload: "TRACK".to_owned() },
        carousel: false,
        asks: true,
        media_url: None,
        answers: Some(AnsweredMessage {
            chat_message: None,
            message: Some(MessageId(Uuid::from_u128(5))),
            gst_id: "gst-42".to_owned(),
            ct_id: Some("order-42".to_owned()),
            text: Some("Zo, your order is ready".to_owned()),
            template: Some(AnsweredTemplate { id: "77".to_owned(), parameters: vec!["Zo".to_owned()] }),
        }),
        quoted_provider_id: Some("wamid.T".to_owned()),
        last_template: Some(domain::chat::SentTemplate { id: "77".to_owned(), name: "order_ready".to_owned() }),
    }
}

fn incoming_of(came: MessageCame) -> IncomingMessageEvent {
    let told = told(ReportKind::Incoming, Event::MessageCame(Box::new(came)));
    let Some(WebhookEvent::Incoming(event)) = told else { panic!("{told:?}") };
    event
}

fn chatbot_of(event: Event) -> ChatbotEvent {
    let told = told(chatbot_report(PayloadVersion::V2), event);
    let Some(WebhookEvent::Chatbot(event)) = told else { panic!("{told:?}") };
    event
}

fn partner_of(event: Event) -> PartnerEvent {
    let told = told(ReportKind::Partner, event);
    let Some(WebhookEvent::Partner(event)) = told else { panic!("{told:?}") };
    event
}

#[test]
fn a_tap_names_the_button_the_template_and_the_answered_message() {
    let event = incoming_of(tap());
    assert_eq!((event.sender.as_deref(), event.sender_user_id.as_deref()), (Some("27820000001"), Some("ZA.100")));
    assert_eq!((event.receiver.as_str(), event.message_content_type.as_str()), (BUSINESS, "BUTTON"));
    assert_eq!((event.button_text.as_deref(), event.button_payload.as_deref()), (Some("Track"), Some("TRACK")));
    assert_eq!((event.ct_id.as_deref(), event.tqrmt_id.as_deref()), (Some("order-42"), Some("gst-42")));
    assert_eq!(event.body_parameters, Some(vec![("1".to_owned(), "Zo".to_owned())]));
    assert_eq!(event.gst_id, Some(Uuid::from_u128(4).to_string()));
    assert_eq!(event.sent_time.as_deref(), Some("2026-09-21T14:13:20.123Z"));
}

#[test]
fn a_reaction_has_the_id_of_the_message_that_it_is_about() {
    let content = InboundContent::Reaction { message_id: "wamid.T".to_owned(), emoji: None };
    let event = incoming_of(MessageCame { content, ..tap() });
    assert_eq!((event.gst_id.as_deref(), event.text.as_deref()), (Some("gst-42"), Some("")));
    assert_eq!(event.tqrmt_id, None, "nothing was tapped");
}

#[test]
fn one_message_is_reported_in_the_terms_of_both_webhooks() {
    let event = chatbot_of(Event::MessageCame(Box::new(tap())));
    assert_eq!((event.direction, event.timestamp_ms), (Direction::Incoming, 1_790_000_000_123));
    assert_eq!(
        (event.sender_msisdn.as_deref(), event.receiver_msisdn.as_deref()),
        (Some("27820000001"), Some(BUSINESS))
    );
    assert_eq!(
        (event.quoted_message_id, event.quoted_text.as_deref()),
        (Some(Uuid::from_u128(5).to_string()), Some("Zo, your order is ready"),)
    );
    assert_eq!((event.settings.payload_version.as_str(), event.settings.include_outgoing), ("v2", true));
    assert_eq!(event.team.unwrap().name.as_deref(), Some("sales"));
    assert_eq!(event.event_id, Uuid::from_u128(1).to_string());
}

#[test]
fn a_tap_that_names_no_message_quotes_the_one_with_its_button_and_a_reaction_quotes_none() {
    let unnamed = || MessageCame { quoted_provider_id: None, ..tap() };
    let event = chatbot_of(Event::MessageCame(Box::new(unnamed())));
    assert_eq!(event.quoted_message_id, Some(Uuid::from_u128(5).to_string()));
    assert_eq!(event.quoted_text.as_deref(), Some("Zo, your order is ready"));

    let content = InboundContent::Reaction { message_id: "wamid.T".to_owned(), emoji: None };
    let event = chatbot_of(Event::MessageCame(Box::new(MessageCame { content, ..unnamed() })));
    assert_eq!((event.quoted_message_id, event.quoted_text), (None, None));
}

#[test]
fn a_reply_goes_from_the_business_to_the_customer() {
    let content = OutboundContent::Buttons(ReplyButtons {
        header: None,
        body: "Choose".to_owned(),
        footer: None,
        buttons: vec![ReplyButton { id: "a".to_owned(), title: "A".to_owned() }],
    });
    let said = MessageSaid {
        message: ChatMessageId(Uuid::from_u128(6)),
        rest: Vec::new(),
        by: Speaker::Bot,
        chat: EventChat { state: ParticipantState::Closed, ..chat() },
        customer: customer(),
        content,
        quoted: Some(ChatMessageId(Uuid::from_u128(4))),
        ct_id: Some("answer-1".to_owned()),
    };
    let event = chatbot_of(Event::MessageSaid(Box::new(said)));
    assert_eq!((event.direction, event.message_type.as_deref()), (Direction::Outgoing, Some("INTERACTIVE")));
    assert_eq!(
        (event.sender_msisdn.as_deref(), event.receiver_msisdn.as_deref()),
        (Some(BUSINESS), Some("27820000001"))
    );
    assert_eq!((event.conversation_status.as_deref(), event.conversation_closed), (Some("CLOSED"), true));
    assert_eq!((event.message_text.as_deref(), event.ct_id.as_deref()), (Some("Choose"), Some("answer-1")));
    assert_eq!((event.quoted_message_id, event.template_id), (None, None), "these are of replies of customers");
}

fn moved(leg: i16, channel: Channel, state: DeliveryState) -> MessageMoved {
    MessageMoved {
        conversation: None,
        message: MessageId(Uuid::from_u128(5)),
        chat_message: None,
        leg,
        channel,
        state,
        to: vec![address(AddressKind::Phone, "27820000001")],
        gst_id: "gst-42".to_owned(),
        ct_id: None,
        times: StepTimes::up_to(state, [Some(at()), Some(at()), None, None]),
        failure: Some(ProviderFailure { code: 131_026, text: "undeliverable".to_owned() }),
        tracking: Tracking::default(),
    }
}

#[test]
fn a_step_shows_the_times_up_to_it_and_a_failure_its_reason() {
    let event = status(&moved(0, Channel::Whatsapp, DeliveryState::Sent), BUSINESS);
    assert_eq!((event.status.as_str(), event.channel, event.error_code), ("SENT", None, None));
    assert_eq!((event.send_time.as_deref(), event.delivery_time), (Some("2026-09-21T14:13:20.123Z"), None));
    let event = status(&moved(1, Channel::Sms, DeliveryState::Failed), BUSINESS);
    assert_eq!(event.channel.as_deref(), Some("SMS"));
    assert_eq!((event.send_time.as_deref(), event.delivery_time), (Some("2026-09-21T14:13:20.123Z"), None));
    assert_eq!(
        (event.error_code.as_deref(), event.error_code_string.as_deref()),
        (Some("131026"), Some("undeliverable"))
    );
}

#[test]
fn a_message_in_a_conversation_names_it_and_its_participant() {
    let conversation = ConversationRef {
        id: ConversationId(Uuid::from_u128(30)),
        participant: ConversationParticipantId(Uuid::from_u128(31)),
        ct_id: Some("first".to_owned()),
    };
    let named = (Some(Uuid::from_u128(30).to_string()), Some(Uuid::from_u128(31).to_string()));
    let sent =
        MessageMoved { conversation: Some(conversation.clone()), ..moved(0, Channel::Whatsapp, DeliveryState::Sent) };
    let event = status(&sent, BUSINESS);
    assert_eq!((event.conversation_id, event.conversation_participant_id), named);
    assert_eq!(event.conversation_ct_id.as_deref(), Some("first"));
    let event = incoming_of(MessageCame { conversation: Some(conversation), ..tap() });
    assert_eq!((event.conversation_id, event.conversation_participant_id), named);
    assert_eq!(event.message_type.as_deref(), Some("CONVERSATION"));
    assert_eq!(incoming_of(tap()).message_type.as_deref(), Some("INTERACTION"));
}

#[test]
fn partner_events_have_their_documented_names() {
    let change = TemplateChange::Status { status: TemplateApproval::Rejected, reason: Some("SPAM".to_owned()) };
    let event = partner_of(Event::TemplateChanged(TemplateChanged {
        id: None,
        name: "hello".to_owned(),
        language: None,
        change,
    }));
    assert_eq!(
        (event.event_type.as_str(), event.template_status.as_deref()),
        ("TEMPLATE_STATUS_CHANGED", Some("REJECTED"))
    );
    assert_eq!((event.rejected_reason.as_deref(), event.whatsapp_number.as_deref()), (Some("SPAM"), Some(BUSINESS)));
    let event = partner_of(Event::CustomerNumberChanged(CustomerNumberChanged {
        customer: None,
        before: address(AddressKind::Phone, "27820000001"),
        now: address(AddressKind::Phone, "27820000002"),
    }));
    assert_eq!((event.old_number.as_deref(), event.new_number.as_deref()), (Some("27820000001"), Some("27820000002")));
    let event = partner_of(Event::PluginSuspended(PluginSuspended {
        plugin: PluginVersion { name: "bot".to_owned(), version: Some(3) },
        reason: "it crashed".to_owned(),
    }));
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let metadata = vec![pair("plugin", "bot"), pair("reason", "it crashed"), pair("pluginVersion", "3")];
    assert_eq!((event.event_type.as_str(), event.metadata), ("PLUGIN_SUSPENDED", metadata));
}

#[test]
fn a_canary_that_was_taken_back_is_named_with_its_reason_and_other_swaps_are_not_reported() {
    let swapped = |swap| {
        Event::PluginSwapped(PluginSwapped {
            activation: Uuid::from_u128(8),
            plugin: PluginVersion { name: "bot".to_owned(), version: Some(3) },
            world: World::Chatbot,
            mode: PluginMode::Canary,
            swap,
        })
    };
    let event = partner_of(swapped(Swap::TakenBack { reason: "3 of its 20 calls failed".to_owned() }));
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let metadata = vec![pair("plugin", "bot"), pair("reason", "3 of its 20 calls failed"), pair("pluginVersion", "3")];
    assert_eq!((event.event_type.as_str(), event.metadata), ("PLUGIN_CANARY_FAILED", metadata));
    assert!(told(ReportKind::Partner, swapped(Swap::RolledBack)).is_none());
}

#[test]
fn a_disabled_webhook_is_named_with_its_address_and_the_number_of_its_override() {
    let off = |is_default| {
        partner_of(Event::WebhookDisabled(WebhookDisabled {
            config: WebhookConfigId(Uuid::from_u128(9)),
            is_default,
            webhook: WebhookType::IncomingMessage,
            url: "https://hooks.example.com/in".to_owned(),
            reason: DisabledReason::Gone,
        }))
    };
    let event = off(false);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let metadata = [
        pair("webhookId", &Uuid::from_u128(9).to_string()),
        pair("webhookType", "INCOMING_MESSAGE"),
        pair("url", "https://hooks.example.com/in"),
        pair("reason", "GONE"),
    ];
    assert_eq!((event.event_type.as_str(), event.whatsapp_number.as_deref()), ("WEBHOOK_DISABLED", Some(BUSINESS)));
    assert_eq!(event.metadata, metadata);
    assert_eq!(off(true).whatsapp_number, None);
}

fn session_changed() -> Event {
    Event::SessionChanged(SessionChanged { status: ConnectionStatus::Success, words: "Connected".to_owned() })
}

#[test]
fn events_about_chats_name_their_channel() {
    let came = || Event::MessageCame(Box::new(tap()));
    let incoming = told(ReportKind::Incoming, came()).unwrap();
    let chatbot = told(chatbot_report(PayloadVersion::V2), came()).unwrap();
    for (channel, named) in [
        (Some(Channel::Whatsapp), Some(PluginChannel::Whatsapp)),
        (Some(Channel::Sms), Some(PluginChannel::Sms)),
        (Some(Channel::Facebook), Some(PluginChannel::Messenger)),
        (Some(Channel::Telegram), Some(PluginChannel::Telegram)),
        (Some(Channel::Web), Some(PluginChannel::Web)),
        (None, None),
    ] {
        for event in [&incoming, &chatbot] {
            let (found, metadata) = match naming(event.clone(), channel) {
                WebhookEvent::Incoming(event) => (event.channel, event.metadata),
                WebhookEvent::Chatbot(event) => (event.channel, event.metadata),
                other => panic!("{other:?}"),
            };
            assert_eq!((found, metadata), (named, Vec::new()));
        }
    }
    let session = told(ReportKind::Session, session_changed()).unwrap();
    assert_eq!(naming(session.clone(), Some(Channel::Sms)), session);
    for (channel, name) in [
        (Channel::Whatsapp, None),
        (Channel::Sms, Some("SMS")),
        (Channel::Facebook, Some("FACEBOOK")),
        (Channel::Telegram, Some("TELEGRAM")),
        (Channel::Web, Some("WEB")),
    ] {
        let named: Vec<_> = name.map(|name| ("channel".to_owned(), name.to_owned())).into_iter().collect();
        for leg in [0, 1] {
            let step = moved(leg, channel, DeliveryState::Sent);
            let event = told(ReportKind::Status, Event::MessageMoved(Box::new(step))).unwrap();
            let WebhookEvent::Status(event) = naming(event, Some(channel)) else { panic!("{channel:?}") };
            assert_eq!(event.metadata, named, "{channel:?}, attempt {leg}");
        }
    }
}

#[test]
fn a_webhook_has_no_events_of_others() {
    assert!(told(ReportKind::Session, session_changed()).is_some());
    assert!(told(ReportKind::Status, session_changed()).is_none());
    assert!(told(ReportKind::Partner, session_changed()).is_none());
}

#[test]
fn chatbot_events_go_by_their_version_and_the_rest_to_the_standard_shaper() {
    let came = |version| told(chatbot_report(version), Event::MessageCame(Box::new(tap()))).unwrap();
    assert_eq!(built_in(&came(PayloadVersion::V1)), "webhook-v1");
    assert_eq!(built_in(&came(PayloadVersion::V2)), "webhook-v2");
    assert_eq!(built_in(&told(ReportKind::Session, session_changed()).unwrap()), "webhook-standard");
}

#[test]
fn an_event_of_another_version_or_kind_is_an_error() {
    let stored = |v: u32, event: &str| {
        format!(r#"{{"kind":"session","recorded":{{"v":{v},"at":"2026-09-21T14:13:20Z","event":{event}}}}}"#)
    };
    let session = r#"{"sessionChanged":{"status":"success","words":"Connected"}}"#;
    assert!(read(&stored(1, session), BUSINESS).is_ok());
    let other = read(&stored(2, session), BUSINESS).unwrap_err();
    let ShaperEventError::Form(why) = other else { panic!("{other}") };
    assert!(why.to_string().contains("version 2"), "{why}");
    assert!(matches!(read(&stored(1, r#"{"comet":{}}"#), BUSINESS), Err(ShaperEventError::Form(_))));
    let chat = r#"{"chatRated":{"participant":"00000000-0000-0000-0000-000000000002",
        "message":"00000000-0000-0000-0000-000000000004","rating":"POOR"}}"#;
    assert!(matches!(read(&stored(1, chat), BUSINESS), Err(ShaperEventError::Kind)));
}

#[test]
fn events_stored_by_an_older_program_are_still_shaped() {
    let Some(event) = told(ReportKind::Session, session_changed()) else { panic!("not told") };
    let stored = serde_json::to_string(&event).unwrap();
    assert!(matches!(read(&stored, BUSINESS), Ok(WebhookEvent::SessionStatus(_))));
}

#[test]
fn the_participant_of_an_event_stored_by_an_older_program_is_kept() {
    let event = status(&moved(0, Channel::Whatsapp, DeliveryState::Sent), BUSINESS);
    let named = StatusEvent { conversation_participant_id: Some("p".to_owned()), ..event };
    let stored = serde_json::to_string(&WebhookEvent::Status(named.clone())).unwrap();
    let older = stored.replace("conversation_participant_id", "participant_id");
    assert_ne!(older, stored);
    assert_eq!(read(&older, BUSINESS).unwrap(), WebhookEvent::Status(named));
}
