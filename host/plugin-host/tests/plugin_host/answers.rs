//! Answers that break a rule, and errors that guests return.

use plugin_host::webhook_shaper::{SessionStatusEvent, ShapedBody, WebhookEvent};
use plugin_host::{CallError, CallLimits, ExceededLimit};

use crate::support::{TestHost, call, limits};

fn reason(error: CallError) -> String {
    match error {
        CallError::BadAnswer { reason, .. } => reason,
        other => panic!("expected a bad answer, found {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_action_is_named_and_spoils_the_whole_answer() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let nul = reason(test.command("nul").await.unwrap_err());
    assert_eq!(nul, "action 2 (reply-text): the text contains a NUL character");
    let long = reason(test.command("reply 4097").await.unwrap_err());
    assert_eq!(long, "action 1 (reply-text): the text has 4097 characters; 4096 are allowed");
    let empty = reason(test.command("reply 0").await.unwrap_err());
    assert_eq!(empty, "action 1 (reply-text): the text is empty");
    let both = reason(test.command("close-and-hand-over").await.unwrap_err());
    assert!(both.contains("not together with `close`"), "{both}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_the_guest_comes_back_as_it_is() {
    let test = TestHost::with_hostile_guests(limits()).await;
    match test.command("refuse").await.unwrap_err() {
        CallError::Refused { error, .. } => {
            assert_eq!((error.code.as_str(), error.message.as_str()), ("no-luck", "not today"));
        }
        other => panic!("expected the guest's error, found {other:?}"),
    }
    assert!(!test.command("refuse").await.unwrap_err().is_retryable());
    assert!(test.command("refuse-for-now").await.unwrap_err().is_retryable());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_plugin_and_one_of_another_world_have_different_errors() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let event = session_event("fine");
    let unknown = test.host.shape(call("nobody"), &event).await.unwrap_err();
    assert!(matches!(&unknown, CallError::NotFound { plugin } if plugin == "nobody"), "{unknown:?}");
    let wrong = test.host.shape(call("hostile"), &event).await.unwrap_err();
    assert_eq!(wrong.to_string(), "plugin `hostile` is a chatbot, not a webhook-shaper");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_must_be_one_json_value_of_bounded_length() {
    let test = TestHost::with_hostile_guests(CallLimits { body_bytes: 100, ..limits() }).await;
    let shape = async |deed: &str| test.host.shape(call("hostile-shaper"), &session_event(deed)).await;
    assert_eq!(shape("fine").await.unwrap().0.text(), Some("{}"));
    assert!(reason(shape("not-json").await.unwrap_err()).starts_with("the body is not JSON"));
    assert!(reason(shape("trailing").await.unwrap_err()).starts_with("the body is not JSON"));
    assert_eq!(shape("long 98").await.unwrap().0.text().unwrap().len(), 100);
    assert_eq!(shape("unchanged").await.unwrap().0, ShapedBody::Unchanged);
    let long = shape("long 99").await.unwrap_err();
    assert!(matches!(long, CallError::LimitExceeded { which: ExceededLimit::Body, .. }), "{long:?}");
    let panicked = shape("panic").await.unwrap_err();
    assert!(panicked.to_string().contains("the shaper gives up on purpose"), "{panicked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_custom_answer_of_a_shaper_must_be_one_json_value() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let shape = async |deed: &str| test.host.shape(call("hostile-shaper"), &session_event(deed)).await;
    assert_eq!(shape("custom").await.unwrap().0, ShapedBody::Custom("{}".into()));
    assert!(reason(shape("custom-not-json").await.unwrap_err()).starts_with("the text is not JSON"));
}

fn session_event(status: &str) -> WebhookEvent {
    WebhookEvent::SessionStatus(SessionStatusEvent {
        whatsapp_number: "27110000000".into(),
        status: status.into(),
        status_type: "success".into(),
        timestamp_ms: 1,
        metadata: vec![],
    })
}
