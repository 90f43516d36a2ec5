use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::*;
use crate::ids::{InboxId, WebhookConfigId};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_760_000_000, 0).unwrap()
}

const SCHEDULE: [Duration; 3] = [Duration::from_secs(10), Duration::from_secs(100), Duration::from_secs(1000)];

fn delay(attempts: usize, jitter: u64, retry_after: Option<u64>) -> Option<i64> {
    let retry_after = retry_after.map(Duration::from_secs);
    match after_failure(&SCHEDULE, &FailedAttempt { attempts, now: now(), jitter, retry_after }) {
        AfterFailure::RetryAt(moment) => Some((moment - now()).num_milliseconds()),
        AfterFailure::GiveUp => None,
    }
}

#[test]
fn the_schedule_allows_one_attempt_more_than_it_has_delays() {
    assert_eq!(delay(1, u64::MAX / 2, None), Some(10_000));
    assert_eq!(delay(2, u64::MAX / 2, None), Some(100_000));
    assert_eq!(delay(3, u64::MAX / 2, None), Some(1_000_000));
    assert_eq!(delay(4, u64::MAX / 2, None), None);
    assert_eq!(delay(0, u64::MAX / 2, None), None);
}

#[test]
fn a_delay_varies_by_a_fifth_either_way_and_no_more() {
    assert_eq!(delay(1, 0, None), Some(8_000));
    assert_eq!(delay(1, u64::MAX, None), Some(12_000));
}

#[test]
fn retry_after_counts_from_the_planned_delay_to_an_hour() {
    assert_eq!(delay(1, 0, Some(3)), Some(10_000));
    assert_eq!(delay(1, 0, Some(15)), Some(15_000));
    assert_eq!(delay(1, u64::MAX, Some(15)), Some(18_000));
    assert_eq!(delay(1, 0, Some(900)), Some(900_000));
    for jitter in [0, u64::MAX] {
        assert_eq!(delay(1, jitter, Some(3600)), Some(3_600_000));
        assert_eq!(delay(1, jitter, Some(3601)), Some(3_600_000));
        assert_eq!(delay(1, jitter, Some(u64::MAX)), Some(3_600_000));
    }
}

#[test]
fn retry_after_counts_to_twice_a_planned_delay_of_more_than_half_an_hour() {
    let planned = [Duration::from_secs(2 * 3600)];
    let delay = |asked| {
        let failed =
            FailedAttempt { attempts: 1, now: now(), jitter: 0, retry_after: Some(Duration::from_secs(asked)) };
        let AfterFailure::RetryAt(moment) = after_failure(&planned, &failed) else { panic!("given up") };
        (moment - now()).num_seconds()
    };
    assert_eq!([3600, 3 * 3600, 9 * 3600].map(delay), [2 * 3600, 3 * 3600, 4 * 3600]);
}

#[test]
fn an_absurd_delay_gives_up_and_does_not_overflow() {
    let failed = FailedAttempt { attempts: 1, now: now(), jitter: 7, retry_after: Some(Duration::MAX) };
    assert_eq!(after_failure(&[Duration::MAX], &failed), AfterFailure::GiveUp);
}

#[test]
fn only_2xx_is_success_and_only_410_disables() {
    for (status, verdict) in [
        (199, AnswerVerdict::Failure),
        (200, AnswerVerdict::Success),
        (299, AnswerVerdict::Success),
        (300, AnswerVerdict::Failure),
        (308, AnswerVerdict::Failure),
        (404, AnswerVerdict::Failure),
        (409, AnswerVerdict::Failure),
        (410, AnswerVerdict::Disable),
        (411, AnswerVerdict::Failure),
        (503, AnswerVerdict::Failure),
    ] {
        assert_eq!(AnswerVerdict::of_status(status), verdict, "{status}");
    }
}

fn parsed(body: serde_json::Value) -> WebhookConfigRequest {
    WebhookConfigRequest::parse(body.to_string().as_bytes()).unwrap()
}

#[test]
fn a_configuration_is_shown_with_every_field_of_the_specification() {
    let settings =
        parsed(json!({"incomingMessageURL": "https://a.example/in", "chatbotPayloadVersion": "v2"})).create();
    let shown = WebhookConfig::new(WebhookConfigId::from(uuid::Uuid::nil()), None, &settings);
    assert_eq!(
        serde_json::to_value(shown).unwrap(),
        json!({
            "id": "00000000-0000-0000-0000-000000000000",
            "whatsAppNumberId": null,
            "whatsAppNumberMsisdn": null,
            "incomingMessageURL": "https://a.example/in",
            "statusUpdateURL": "",
            "sessionStatusURL": "",
            "eventWebhookURL": "",
            "chatbotWebhookURL": "",
            "chatbotIncludeOutgoing": false,
            "chatbotStopOnAgentAssignment": false,
            "chatbotPayloadVersion": "v2",
        })
    );
}

#[test]
fn every_type_is_set_by_its_own_field() {
    for kind in WebhookType::ALL {
        let settings = parsed(json!({ kind.url_field(): "https://a.example/" })).create();
        assert_eq!(settings.urls.keys().copied().collect::<Vec<_>>(), [kind]);
        assert_eq!(kind.as_str().parse(), Ok(kind));
    }
}

#[test]
fn on_update_an_absent_field_is_unchanged_and_an_empty_url_turns_its_type_off() {
    let stored = parsed(json!({
        "incomingMessageURL": "https://a.example/in", "statusUpdateURL": "https://a.example/st",
        "chatbotIncludeOutgoing": true, "chatbotPayloadVersion": "v2"
    }))
    .create();
    let updated = parsed(json!({"incomingMessageURL": "", "chatbotStopOnAgentAssignment": true})).update(&stored);
    assert_eq!(updated.url(WebhookType::IncomingMessage), None);
    assert_eq!(updated.url(WebhookType::StatusUpdate), Some("https://a.example/st"));
    assert!(updated.chatbot_include_outgoing && updated.chatbot_stop_on_agent_assignment);
    assert_eq!(updated.chatbot_payload_version, PayloadVersion::V2);
}

#[test]
fn a_url_that_cannot_be_called_is_refused_by_name() {
    for url in ["example.com/x", "ftp://a.example/", "https://u:p@a.example/", "https://", "javascript:alert(1)", " "] {
        let faults = WebhookConfigRequest::parse(json!({"statusUpdateURL": url}).to_string().as_bytes()).unwrap_err();
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].field, "statusUpdateURL", "{url}");
    }
}

#[test]
fn an_unknown_payload_version_lists_the_known_ones() {
    let faults = WebhookConfigRequest::parse(br#"{"chatbotPayloadVersion":"v3"}"#).unwrap_err();
    assert_eq!(faults[0].field, "chatbotPayloadVersion");
    assert!(faults[0].message.contains("`v1` or `v2`"), "{}", faults[0]);
}

#[test]
fn the_number_id_decides_the_scope() {
    let id = uuid::Uuid::from_u128(7);
    assert_eq!(parsed(json!({})).scope(), NumberScope::ClientDefault);
    assert_eq!(parsed(json!({"whatsAppNumberId": null})).scope(), NumberScope::ClientDefault);
    assert_eq!(parsed(json!({"whatsAppNumberId": id})).scope(), NumberScope::Number(InboxId::from(id)));
    assert_eq!(parsed(json!({"whatsAppNumberId": "x"})).scope(), NumberScope::Impossible);
}

#[test]
fn chatbot_events_are_gated() {
    let with = |extra: serde_json::Value| {
        let mut body = json!({"chatbotWebhookURL": "https://a.example/bot"});
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        parsed(body).create()
    };
    let plain = with(json!({}));
    assert!(plain.emits_chatbot_event(ChatbotEvent::Incoming, false));
    assert!(plain.emits_chatbot_event(ChatbotEvent::Incoming, true));
    assert!(!plain.emits_chatbot_event(ChatbotEvent::Reply, false));
    assert!(!plain.emits_chatbot_event(ChatbotEvent::Assignment, false));
    let outgoing = with(json!({"chatbotIncludeOutgoing": true}));
    assert!(outgoing.emits_chatbot_event(ChatbotEvent::Reply, false));
    assert!(outgoing.emits_chatbot_event(ChatbotEvent::Reply, true));
    assert!(outgoing.emits_chatbot_event(ChatbotEvent::Assignment, true));
    assert!(!outgoing.emits_chatbot_event(ChatbotEvent::TemplateSend, false));
    let stopping = with(json!({"chatbotIncludeOutgoing": true, "chatbotStopOnAgentAssignment": true}));
    assert!(!stopping.emits_chatbot_event(ChatbotEvent::Incoming, true));
    assert!(!stopping.emits_chatbot_event(ChatbotEvent::Reply, true));
    assert!(!stopping.emits_chatbot_event(ChatbotEvent::Assignment, true));
    assert!(stopping.emits_chatbot_event(ChatbotEvent::Assignment, false), "a team has it, and no agent");
    assert!(stopping.emits_chatbot_event(ChatbotEvent::Reply, false));
    assert!(!WebhookSettings::default().emits_chatbot_event(ChatbotEvent::Incoming, false));
}

#[test]
fn an_override_replaces_the_default_as_a_whole() {
    let own = WebhookSettings::default();
    let default = parsed(json!({"statusUpdateURL": "https://a.example/"})).create();
    let url =
        |settings: Option<&WebhookSettings>| settings.and_then(|s| s.url(WebhookType::StatusUpdate).map(str::to_owned));
    assert_eq!(url(in_force(Some(&own), Some(&default))), None);
    assert_eq!(url(in_force(None, Some(&default))).as_deref(), Some("https://a.example/"));
    assert!(in_force::<WebhookSettings>(None, None).is_none());
}

#[test]
fn delays_spread_over_the_whole_range() {
    let delays: Vec<i64> = (0..100_u64).map(|at| delay(1, at * (u64::MAX / 99), None).unwrap()).collect();
    assert!(delays.iter().all(|delay| (8_000..=12_000).contains(delay)));
    assert!(delays.windows(2).all(|pair| pair[0] <= pair[1]));
    assert!(TimeDelta::milliseconds(delays[99] - delays[0]) >= TimeDelta::seconds(3));
}

#[test]
fn an_update_names_its_configuration() {
    let id = uuid::Uuid::from_u128(9);
    assert_eq!(parsed(json!({ "id": id })).updates(), Ok(Some(WebhookConfigId::from(id))));
    assert_eq!(parsed(json!({ "id": "none of ours" })).updates(), Ok(None));
    for missing in [json!({}), json!({ "id": "" }), json!({ "id": null })] {
        assert_eq!(parsed(missing).updates().unwrap_err().field, "id");
    }
}

#[test]
fn a_configuration_is_taken_back_as_it_was_shown_and_a_mistyped_field_is_refused() {
    let settings = parsed(json!({ "statusUpdateURL": "https://a.example/st" })).create();
    let number = (InboxId::from(uuid::Uuid::from_u128(7)), "27110000001".parse().unwrap());
    let shown = WebhookConfig::new(WebhookConfigId::from(uuid::Uuid::from_u128(9)), Some(number), &settings);
    assert_eq!(parsed(serde_json::to_value(shown).unwrap()).update(&WebhookSettings::default()), settings);

    let faults = WebhookConfigRequest::parse(br#"{"statusUpdateUrl":"https://a.example/st"}"#).unwrap_err();
    assert_eq!(faults[0].field, "statusUpdateUrl");
    assert!(faults[0].message.contains("`statusUpdateURL`"), "{}", faults[0]);
}
