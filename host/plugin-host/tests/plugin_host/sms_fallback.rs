//! The built-in rule for the SMS fallback (SPEC 2.4).

use std::sync::Arc;

use plugin_host::NoKeyValues;
use plugin_host::sms_fallback::{Decision, RequestedFallback, Sms, Undeliverable};

use crate::support::{TestHost, call};

fn undeliverable(requested: RequestedFallback) -> Undeliverable {
    Undeliverable {
        client_ref: "demo".into(),
        local_time: crate::support::session().local_time,
        message_id: "m".into(),
        recipient: "27820000001".into(),
        sender: "27110000000".into(),
        error_code: "131026".into(),
        error_text: "Message undeliverable".into(),
        requested,
        auto_text: Some("Your parcel 7 is here".into()),
        seen_on_whatsapp: false,
        age_seconds: 5,
        template_name: Some("parcel".into()),
        metadata: vec![],
    }
}

fn asked(text: Option<&str>) -> RequestedFallback {
    RequestedFallback { send_fallback: true, text: text.map(str::to_owned), unicode: false }
}

async fn decide(undeliverable: Undeliverable) -> Decision {
    let test = TestHost::with_built_ins().await;
    test.host.decide_fallback(call("sms-fallback"), &undeliverable, Arc::new(NoKeyValues)).await.unwrap().decision
}

fn send(text: &str, unicode: bool) -> Decision {
    Decision::Send(Sms { text: text.into(), unicode, sender: None })
}

fn skip_reason(decision: Decision) -> String {
    match decision {
        Decision::Skip(reason) => reason,
        other => panic!("expected no SMS, found {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_custom_text_comes_before_the_text_of_the_template() {
    assert_eq!(decide(undeliverable(asked(Some("Mine")))).await, send("Mine", false));
    assert_eq!(decide(undeliverable(asked(None))).await, send("Your parcel 7 is here", false));
    let unicode = RequestedFallback { unicode: true, ..asked(Some("Größe ✓")) };
    assert_eq!(decide(undeliverable(unicode)).await, send("Größe ✓", true));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_without_a_request_or_a_text() {
    let unasked = RequestedFallback { send_fallback: false, ..asked(Some("Mine")) };
    assert!(skip_reason(decide(undeliverable(unasked)).await).contains("did not ask"));
    let textless = Undeliverable { auto_text: None, ..undeliverable(asked(None)) };
    assert!(skip_reason(decide(textless).await).contains("no text"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recipient_seen_on_whatsapp_gets_the_sms_because_the_host_has_judged_that() {
    let seen = Undeliverable { seen_on_whatsapp: true, ..undeliverable(asked(Some("Mine"))) };
    assert_eq!(decide(seen).await, send("Mine", false));
}
