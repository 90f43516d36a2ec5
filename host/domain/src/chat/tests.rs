use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::{ParticipantState::*, *};
use crate::{
    content::{Location, MediaKind, OutboundContent, OutboundMedia},
    inbound::{InboundContent, InboundMedia},
};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_760_000_000, 0).unwrap()
}

#[test]
fn the_window_is_open_for_24_hours_after_the_last_message() {
    assert!(chat_allowed(Some(now()), now()));
    assert!(chat_allowed(Some(now() - TimeDelta::hours(24) + TimeDelta::milliseconds(1)), now()));
    assert!(!chat_allowed(Some(now() - TimeDelta::hours(24)), now()));
    assert!(!chat_allowed(None, now()));
}

fn due_facts() -> FallbackFacts {
    FallbackFacts {
        code: NOT_ON_WHATSAPP,
        mode: FallbackMode::Strict,
        seen_on_whatsapp: false,
        has_phone: true,
        age: TimeDelta::seconds(5),
        max_age: TimeDelta::hours(1),
        requested: true,
    }
}

#[test]
fn an_sms_takes_over_for_a_number_that_is_not_on_whatsapp() {
    assert_eq!(fallback_due(&due_facts()), Ok(()));
}

#[test]
fn no_sms_without_a_request_or_a_number() {
    assert_eq!(fallback_due(&FallbackFacts { requested: false, ..due_facts() }), Err(FallbackRefused::NotRequested));
    assert_eq!(fallback_due(&FallbackFacts { has_phone: false, ..due_facts() }), Err(FallbackRefused::NoPhone));
}

#[test]
fn no_sms_for_any_other_failure() {
    for code in [0, 131_000, 131_021, 131_047, 131_049, 131_050, 131_056, 132_001, 130_429] {
        let refused = fallback_due(&FallbackFacts { code, ..due_facts() });
        assert_eq!(refused, Err(FallbackRefused::OtherFailure { code }));
    }
}

#[test]
fn a_customer_recently_seen_gets_an_sms_only_in_the_lenient_mode() {
    let seen = FallbackFacts { seen_on_whatsapp: true, ..due_facts() };
    assert_eq!(fallback_due(&seen), Err(FallbackRefused::SeenOnWhatsapp));
    assert_eq!(fallback_due(&FallbackFacts { mode: FallbackMode::Any131026, ..seen }), Ok(()));
}

#[test]
fn a_late_failure_brings_no_sms() {
    let at_limit = FallbackFacts { age: TimeDelta::hours(1), ..due_facts() };
    assert_eq!(fallback_due(&at_limit), Ok(()));
    let late = FallbackFacts { age: TimeDelta::hours(1) + TimeDelta::milliseconds(1), ..due_facts() };
    assert_eq!(fallback_due(&late), Err(FallbackRefused::TooLate));
}

#[test]
fn the_automatic_text_shows_what_can_be_read() {
    let media = OutboundContent::Media(OutboundMedia {
        kind: MediaKind::Image,
        url: "https://a.example/x.jpg".to_owned(),
        caption: Some("Look".to_owned()),
        filename: None,
    });
    assert_eq!(automatic_text(&media), "Look\nhttps://a.example/x.jpg");
    let place = OutboundContent::Location(Location {
        latitude: -26.1,
        longitude: 28.0,
        name: Some("Shop".to_owned()),
        address: None,
    });
    assert_eq!(automatic_text(&place), "Shop\n-26.1,28");
}

#[test]
fn content_survives_storage() {
    let media = OutboundContent::Media(OutboundMedia {
        kind: MediaKind::Voice,
        url: "https://a.example/x.ogg".to_owned(),
        caption: None,
        filename: None,
    });
    let stored = serde_json::to_value(&media).unwrap();
    assert_eq!(stored["kind"], json!("media"));
    assert_eq!(serde_json::from_value::<OutboundContent>(stored).unwrap(), media);
}

const STATES: [ParticipantState; 4] = [Bot, Queued, Active, Closed];
const MOVES: [ParticipantMove; 10] = [
    ParticipantMove::CustomerWrote { bot: true },
    ParticipantMove::CustomerWrote { bot: false },
    ParticipantMove::HandedOver,
    ParticipantMove::BotFailed,
    ParticipantMove::ClosedByBot,
    ParticipantMove::Assigned,
    ParticipantMove::Transferred,
    ParticipantMove::Resolved,
    ParticipantMove::Terminated,
    ParticipantMove::Reopened,
];

#[test]
fn every_move_from_every_state_is_decided() {
    use MoveRefused::{Closed as IsClosed, NoAgent, NotClosed, NotWithBot};
    let table: [[Result<ParticipantState, MoveRefused>; 10]; 4] = [
        // wrote+bot, wrote, handed over, bot failed, closed by bot, assigned, transferred, resolved, terminated, reopened
        [
            Ok(Bot),
            Ok(Bot),
            Ok(Queued),
            Ok(Queued),
            Ok(Closed),
            Ok(Active),
            Ok(Queued),
            Err(NoAgent),
            Ok(Closed),
            Err(NotClosed),
        ],
        [
            Ok(Queued),
            Ok(Queued),
            Err(NotWithBot),
            Err(NotWithBot),
            Err(NotWithBot),
            Ok(Active),
            Ok(Queued),
            Err(NoAgent),
            Ok(Closed),
            Err(NotClosed),
        ],
        [
            Ok(Active),
            Ok(Active),
            Err(NotWithBot),
            Err(NotWithBot),
            Err(NotWithBot),
            Ok(Active),
            Ok(Queued),
            Ok(Closed),
            Ok(Closed),
            Err(NotClosed),
        ],
        [
            Ok(Bot),
            Ok(Queued),
            Err(IsClosed),
            Err(IsClosed),
            Err(IsClosed),
            Err(IsClosed),
            Err(IsClosed),
            Err(IsClosed),
            Err(IsClosed),
            Ok(Active),
        ],
    ];
    for (state, row) in STATES.into_iter().zip(table) {
        for (step, expected) in MOVES.into_iter().zip(row) {
            assert_eq!(state.apply(step).map(|moved| moved.state), expected, "{state:?} {step:?}");
        }
    }
}

#[test]
fn a_message_changes_control_only_when_it_reopens_the_chat() {
    for state in [Bot, Queued, Active] {
        assert!(!state.apply(ParticipantMove::CustomerWrote { bot: true }).unwrap().control_changed);
    }
    assert!(Closed.apply(ParticipantMove::CustomerWrote { bot: true }).unwrap().control_changed);
    for step in [ParticipantMove::Assigned, ParticipantMove::Transferred, ParticipantMove::Terminated] {
        assert!(Active.apply(step).unwrap().control_changed, "{step:?}");
    }
}

#[test]
fn ending_a_chat_releases_its_agent_and_ending_a_waiting_one_marks_it_missed() {
    let ended = Active.apply(ParticipantMove::Terminated).unwrap();
    assert!(ended.releases_agent && !ended.missed);
    let missed = Queued.apply(ParticipantMove::Terminated).unwrap();
    assert!(!missed.releases_agent && missed.missed);
    assert!(!Bot.apply(ParticipantMove::ClosedByBot).unwrap().missed);
    assert!(!Active.apply(ParticipantMove::Assigned).unwrap().releases_agent);
}

#[test]
fn only_a_chat_that_waits_for_an_agent_is_returned_to_the_chatbot() {
    let returned = Queued.apply(ParticipantMove::ReturnedToBot).unwrap();
    assert_eq!((returned.state, returned.control_changed, returned.missed), (Bot, true, false));
    for (state, refused) in
        [(Bot, MoveRefused::NotWaiting), (Active, MoveRefused::NotWaiting), (Closed, MoveRefused::Closed)]
    {
        assert_eq!(state.apply(ParticipantMove::ReturnedToBot), Err(refused), "{state:?}");
    }
}

#[test]
fn flags_follow_the_state() {
    assert!(Closed.flags().conversation_closed);
    assert!(Bot.flags().chat_bot_conversation && !Bot.flags().conversation_closed);
    assert_eq!(STATES.map(|state| state.flags().conversation_status), ["ACTIVE", "ACTIVE", "ACTIVE", "CLOSED"]);
    for state in STATES {
        assert_eq!(ParticipantState::from_name(state.as_str()), Some(state));
        assert_eq!(serde_json::to_value(state).unwrap(), json!(state.as_str()));
    }
}

fn inbound_media(media_kind: MediaKind) -> InboundContent {
    InboundContent::Media(InboundMedia {
        media_kind,
        provider_media_id: "M".to_owned(),
        url: None,
        mime_type: "x/y".to_owned(),
        sha256: None,
        caption: None,
        filename: None,
    })
}

#[test]
fn incoming_content_has_its_documented_names() {
    let button = InboundContent::Button { text: "Yes".to_owned(), payload: "y".to_owned() };
    assert_eq!(MessageContentType::of_inbound(&button, false).as_str(), "BUTTON");
    assert_eq!(MessageContentType::of_inbound(&button, true).as_str(), "CAROUSEL");
    let reply = InboundContent::Interactive { text: "Yes".to_owned(), payload: "y".to_owned() };
    assert_eq!(MessageContentType::of_inbound(&reply, true), MessageContentType::Interactive);
    let reaction = InboundContent::Reaction { message_id: "w".to_owned(), emoji: None };
    assert_eq!(MessageContentType::of_inbound(&reaction, false), MessageContentType::Reaction);
    assert_eq!(ContentType::of_inbound(&reaction, false), ContentType::Text);
    let names = [
        (MediaKind::Image, ContentType::Image),
        (MediaKind::Sticker, ContentType::Image),
        (MediaKind::Video, ContentType::Video),
        (MediaKind::Audio, ContentType::Audio),
        (MediaKind::Voice, ContentType::Voice),
        (MediaKind::Document, ContentType::Document),
    ];
    for (kind, expected) in names {
        assert_eq!(ContentType::of_inbound(&inbound_media(kind), false), expected);
        assert_eq!(MessageContentType::of_inbound(&inbound_media(kind), false), MessageContentType::Media);
        assert_eq!(ContentType::from_name(expected.as_str()), Some(expected));
    }
}

#[test]
fn a_message_keeps_the_json_of_the_provider_with_the_parsed_content() {
    let content = InboundContent::Text { body: "hi".to_owned() };
    let received = ReceivedContent { content, raw: json!({ "type": "text" }).into(), referral: None };
    let stored = serde_json::to_value(&received).unwrap();
    assert_eq!(stored, json!({ "kind": "text", "body": "hi", "raw": { "type": "text" } }));
    assert_eq!(serde_json::from_value::<ReceivedContent>(stored).unwrap(), received);
}

#[test]
fn events_and_modes_keep_their_names() {
    for kind in ParticipantEventKind::ALL {
        assert_eq!(ParticipantEventKind::from_name(kind.as_str()), Some(kind));
    }
    for mode in [FallbackMode::Strict, FallbackMode::Any131026] {
        assert_eq!(mode.as_str().parse(), Ok(mode));
    }
    assert!("strict".parse::<FallbackMode>().is_err());
}
