//! Receipts and messages from subscribers (PROVIDERS C.3), delivered by a third-party SMSC.

use std::time::Duration;

use channels::smpp::SmsState;
use serde_json::{Value, json};

use crate::{
    smpp_peer::{Peer, bound},
    smpp_submits::part,
};

/// `ESME_RX_T_APPN`: deliver it again later.
const AGAIN: u64 = 0x64;

async fn answered(peer: &mut Peer, tag: &str) -> u64 {
    let event = peer.expect("delivered").await;
    assert_eq!(event["tag"], tag);
    event["status"].as_u64().unwrap()
}

fn mo(text: &str) -> Value {
    json!({"do":"mo","from":"+27820000001","to":"27110000000","text":text})
}

#[tokio::test]
async fn a_receipt_in_text_is_handed_over_and_then_acknowledged() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    peer.tell(json!({"do":"receipt","id":"M-7","stat":"UNDELIV","err":"045"})).await;
    let receipt = recorded.receipt().await;
    assert_eq!((receipt.bind.as_str(), receipt.smsc_id.as_str()), ("test", "M-7"));
    assert_eq!((receipt.state, receipt.error.as_deref()), (SmsState::Undeliverable, Some("045")));
    assert!(receipt.raw_text.starts_with("id:M-7 sub:001") && !receipt.intermediate);
    assert_eq!(answered(&mut peer, "receipt").await, 0);
}

#[tokio::test]
async fn a_receipt_in_parameters_needs_no_text() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    peer.tell(json!({"do":"receipt","form":"tlv","id":"abc","state":3,"err":"8"})).await;
    let receipt = recorded.receipt().await;
    assert_eq!((receipt.smsc_id.as_str(), receipt.state), ("abc", SmsState::Expired));
    assert_eq!((receipt.error.as_deref(), receipt.raw_text.as_str()), (Some("8"), ""));
}

#[tokio::test]
async fn the_parameter_of_a_receipt_may_have_the_id_of_the_answer_or_that_of_the_text() {
    let (mut peer, gateway, mut recorded) = bound("ids=hexdec").await;
    peer.behave(json!({"ids":"hexdec"})).await;
    let submitted = gateway.submit(part("x")).await.unwrap();
    assert_eq!(submitted.smsc_id, "1001", "the answer was 3E9");
    for receipt in [
        json!({"do":"receipt","form":"tlv","id":"3E9"}),
        json!({"do":"receipt","id":"0000001001","parameter_id":"3E9"}),
        json!({"do":"receipt","id":"0000001001","parameter_id":"0000001001"}),
    ] {
        peer.tell(receipt.clone()).await;
        assert_eq!(recorded.receipt().await.smsc_id, "1001", "{receipt}");
    }
    peer.tell(json!({"do":"receipt","form":"tlv","id":"1001"})).await;
    let receipt = recorded.receipt().await;
    assert_eq!((receipt.smsc_id.as_str(), receipt.others), ("4097", vec![("test".to_owned(), "1001".to_owned())]));
}

#[tokio::test]
async fn a_state_on_the_way_is_not_the_end_of_an_sms() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    for (stat, err, is_final) in
        [("SENT", "000", false), ("ROUTED", "000", false), ("SOMEWHERE", "000", false), ("SOMEWHERE", "069", true)]
    {
        peer.tell(json!({"do":"receipt","id":"M-1","stat":stat,"err":err})).await;
        assert_eq!(recorded.receipt().await.state.is_final(), is_final, "{stat} {err}");
    }
}

#[tokio::test]
async fn a_delivery_that_could_not_be_stored_is_requested_again() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    recorded.fail(2);
    peer.tell(json!({"do":"receipt","id":"M-1"})).await;
    assert_eq!(answered(&mut peer, "receipt").await, AGAIN);
    peer.tell(mo("hello")).await;
    assert_eq!(answered(&mut peer, "mo").await, AGAIN);
    peer.tell(json!({"do":"receipt","id":"M-1"})).await;
    assert_eq!(answered(&mut peer, "receipt").await, 0);
    assert_eq!(recorded.receipt().await.smsc_id, "M-1");
    assert!(recorded.messages.try_recv().is_err());
}

#[tokio::test]
async fn an_unreadable_receipt_is_acknowledged_and_dropped() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    peer.tell(json!({"do":"mo","from":"1","to":"2","text":"something else","esm_class":4})).await;
    assert_eq!(answered(&mut peer, "mo").await, 0);
    peer.tell(json!({"do":"receipt","id":"next"})).await;
    assert_eq!(recorded.receipt().await.smsc_id, "next");
}

#[tokio::test]
async fn a_receipted_message_id_without_a_state_is_not_a_receipt() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    let mut reply = mo("on my way");
    reply["parameters"] = json!({ "receipted_message_id": "something" });
    peer.tell(reply).await;
    assert_eq!(recorded.message().await.text, "on my way");
    assert_eq!(answered(&mut peer, "mo").await, 0);
    let mut untyped = mo("done");
    untyped["parameters"] = json!({ "receipted_message_id": "M-8", "message_state": 2 });
    peer.tell(untyped).await;
    let receipt = recorded.receipt().await;
    assert_eq!((receipt.smsc_id.as_str(), receipt.state), ("M-8", SmsState::Delivered));
}

#[tokio::test]
async fn a_stop_from_a_subscriber_is_handed_over() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    peer.tell(mo("STOP")).await;
    let message = recorded.message().await;
    assert_eq!((message.from.as_str(), message.to.as_str()), ("27820000001", "27110000000"));
    assert_eq!((message.text.as_str(), message.parts, message.complete), ("STOP", 1, true));
    assert_eq!(answered(&mut peer, "mo").await, 0);
}

#[tokio::test]
async fn text_in_every_alphabet_is_read() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    for (coding, text) in [(0, "Price €5 [ok] @ñ"), (8, "Привет 👍"), (3, "Café")] {
        peer.tell(json!({"do":"mo","from":"27820000001","to":"27110000000","text":text,"data_coding":coding})).await;
        assert_eq!(recorded.message().await.text, text);
    }
}

/// A part with its header, in hexadecimal.
fn piece(header: &str, text: &str, tag: &str) -> Value {
    let length = header.len() / 2;
    let hex = format!("{length:02x}{header}{}", hex::encode(text));
    json!({"do":"mo","from":"27820000001","to":"27110000000","hex":hex,"esm_class":64,"tag":tag})
}

#[tokio::test]
async fn parts_are_joined_and_acknowledged_only_when_the_whole_is_stored() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    peer.tell(piece("0003070302", "two ", "p2")).await;
    peer.tell(piece("0003070301", "one ", "p1")).await;
    assert!(peer.maybe("delivered", Duration::from_millis(200)).await.is_none(), "a part was acknowledged early");
    peer.tell(piece("0003070303", "three", "p3")).await;
    let message = recorded.message().await;
    assert_eq!((message.text.as_str(), message.parts, message.complete), ("one two three", 3, true));
    for _ in 0..3 {
        assert_eq!(peer.expect("delivered").await["status"], 0);
    }
}

#[tokio::test]
async fn wide_references_and_foreign_header_elements_are_understood() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    // A port element (05) in front of a 16-bit reference (08).
    peer.tell(piece("050415811581080401020201", "left ", "a")).await;
    peer.tell(piece("0804010202020000", "", "bad")).await;
    peer.tell(piece("08040102020205040b8423f0", "right", "b")).await;
    let message = recorded.message().await;
    assert_eq!(message.parts, 2);
    assert!(message.text.starts_with("left "), "{}", message.text);
}

#[tokio::test]
async fn an_smsc_that_sends_one_part_at_a_time_is_not_blocked() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    peer.tell(piece("0003080201", "first ", "one")).await;
    assert_eq!(answered(&mut peer, "one").await, 0);
    assert!(recorded.messages.try_recv().is_err());
    peer.tell(piece("0003080202", "second", "two")).await;
    assert_eq!(recorded.message().await.text, "first second");
    assert_eq!(answered(&mut peer, "two").await, 0);
}

#[tokio::test]
async fn a_message_that_stays_incomplete_is_handed_over_with_its_gap() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    peer.tell(piece("0003090301", "start", "one")).await;
    let message = recorded.message().await;
    assert_eq!((message.text.as_str(), message.parts, message.complete), ("start", 1, false));
}

#[tokio::test]
async fn a_header_longer_than_its_message_is_harmless() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    for hex in ["ff0003", "", "05", "0500030a0201", "06000a0a"] {
        peer.tell(json!({"do":"mo","from":"1","to":"2","hex":hex,"esm_class":64})).await;
    }
    peer.tell(mo("still here")).await;
    loop {
        if recorded.message().await.text == "still here" {
            break;
        }
    }
}

#[tokio::test]
async fn a_reference_that_a_phone_uses_again_does_not_replace_acknowledged_text() {
    let (mut peer, _gateway, mut recorded) = bound("").await;
    peer.tell(piece("0003110201", "first ", "one")).await;
    assert_eq!(answered(&mut peer, "one").await, 0);
    peer.tell(piece("0003110201", "second ", "two")).await;
    let message = recorded.message().await;
    assert_eq!((message.text.as_str(), message.parts, message.complete), ("first ", 1, false));
    peer.tell(piece("0003110202", "message", "three")).await;
    let message = recorded.message().await;
    assert_eq!((message.text.as_str(), message.parts, message.complete), ("second message", 2, true));
}
