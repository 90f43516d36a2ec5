//! A second third-party SMSC: the Python package `smpp34`, whose code for PDUs is independent of the other peers and of
//! ours (tests/peers/smsc-python).

use channels::smpp::{PartAlphabet, SmppGateway, SmsState, SubmitFailure, SubmittedPart, concat_udh};
use domain::segments::split;
use serde_json::{Value, json};

use crate::{
    smpp_peer::{Peer, Recorded, SOON, quick},
    smpp_submits::part,
};

async fn bound() -> (Peer, SmppGateway, Recorded) {
    let mut peer = Peer::start_python().await;
    let recorded = Recorded::new();
    let gateway = SmppGateway::start_with(vec![peer.url("")], recorded.recorder.clone(), quick());
    assert!(gateway.wait_bound(SOON).await, "{:?}", gateway.status());
    let bind = peer.expect("bind").await;
    assert_eq!((&bind["system_id"], &bind["can_receive"]), (&json!("esme"), &json!(true)));
    (peer, gateway, recorded)
}

fn octets(seen: &Value) -> Vec<u8> {
    hex::decode(seen["hex"].as_str().unwrap()).unwrap()
}

fn ucs2(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

#[tokio::test]
async fn a_python_smsc_reads_every_coding_with_and_without_headers() {
    let (mut peer, gateway, _recorded) = bound().await;
    let long = format!("{}€{}", "a".repeat(152), "b".repeat(50));
    let mut submits = 0;
    for text in ["Price: 5€ @", &long, "Привет 👍", &"Привет 👍 ".repeat(20)] {
        let segmented = split(text, false).unwrap();
        let (coding, total) = (PartAlphabet::from(segmented.encoding), segmented.parts.len());
        for (number, segment) in (1u8..).zip(segmented.parts) {
            let udh = (total > 1).then(|| concat_udh(7, u8::try_from(total).unwrap(), number));
            let sent = SubmittedPart { udh, data_coding: coding, octets: segment.octets.clone(), ..part("") };
            let taken = gateway.submit(sent).await.unwrap();
            submits += 1;
            assert_eq!(taken.smsc_id, format!("P-{submits}"));
            let seen = peer.expect("submit").await;
            let header: &[u8] = udh.as_ref().map_or(&[], |udh| udh);
            assert_eq!(octets(&seen), [header, &segment.octets].concat(), "{text}");
            assert_eq!(seen["esm_class"], if udh.is_some() { 0x40 } else { 0 });
            assert_eq!(seen["data_coding"], if coding == PartAlphabet::Ucs2 { 8 } else { 0 });
            assert_eq!((&seen["source_addr"], &seen["source_addr_ton"]), (&json!("PATCHBAY"), &json!(5)));
            assert_eq!((&seen["destination_addr"], &seen["registered_delivery"]), (&json!("27820000001"), &json!(1)));
        }
    }
    peer.behave(json!({ "status": 0x0b })).await;
    let refused = gateway.submit(part("x")).await;
    assert!(matches!(&refused, Err(SubmitFailure::Rejected { code: 0x0b, .. })), "{refused:?}");
}

#[tokio::test]
async fn receipts_and_messages_of_a_python_smsc_are_read_and_acknowledged() {
    let (mut peer, _gateway, mut recorded) = bound().await;
    let text = "id:P-1 sub:001 dlvrd:001 submit date:2611202140 done date:2611202141 stat:DELIVRD err:000 text:Hello";
    let deliver = |hex: String, more: Value| {
        let mut command = json!({ "do": "deliver", "from": "27820000001", "to": "27110000000", "hex": hex });
        command.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        command
    };
    peer.tell(deliver(hex::encode(text), json!({ "esm_class": 4 }))).await;
    let receipt = recorded.receipt().await;
    assert_eq!((receipt.smsc_id.as_str(), receipt.state), ("P-1", SmsState::Delivered));
    assert_eq!(peer.expect("delivered").await["status"], 0);

    // receipted_message_id and message_state.
    let parameters = json!([[0x001e, hex::encode(b"P-2\0")], [0x0427, "03"]]);
    peer.tell(deliver(String::new(), json!({ "esm_class": 4, "tlvs": parameters }))).await;
    let receipt = recorded.receipt().await;
    assert_eq!((receipt.smsc_id.as_str(), receipt.state), ("P-2", SmsState::Expired));
    assert_eq!(peer.expect("delivered").await["status"], 0);

    for (number, half) in [(1, "Молоко, "), (2, "хлеб 🍞")] {
        let octets = [concat_udh(9, 2, number).as_slice(), &ucs2(half)].concat();
        peer.tell(deliver(hex::encode(octets), json!({ "esm_class": 0x40, "data_coding": 8 }))).await;
    }
    let message = recorded.message().await;
    assert_eq!((message.text.as_str(), message.parts, message.complete), ("Молоко, хлеб 🍞", 2, true));
    assert_eq!((message.from.as_str(), message.to.as_str()), ("27820000001", "27110000000"));
    for _ in 0..2 {
        assert_eq!(peer.expect("delivered").await["status"], 0);
    }
}

#[tokio::test]
async fn either_side_may_unbind_and_the_session_comes_back() {
    let (mut peer, gateway, _recorded) = bound().await;
    peer.tell(json!({ "do": "unbind" })).await;
    peer.expect("unbound").await;
    peer.expect("bind").await;
    assert!(gateway.wait_bound(SOON).await, "{:?}", gateway.status());
    gateway.submit(part("after the unbind")).await.unwrap();
    peer.expect("submit").await;

    gateway.shutdown().await;

    peer.expect("unbound").await;
}
