//! Submitting to a third-party SMSC (PROVIDERS C.2, C.4, C.5).

use std::{collections::HashSet, time::Duration};

use channels::smpp::{PartAlphabet, SmsState, SubmitFailure, SubmittedPart, concat_udh};
use serde_json::json;

use crate::smpp_peer::{bound, quick};

pub fn part(text: &str) -> SubmittedPart {
    SubmittedPart {
        validity_seconds: None,
        source: "PATCHBAY".into(),
        destination: "27820000001".into(),
        data_coding: PartAlphabet::SmscDefault,
        udh: None,
        octets: text.as_bytes().to_vec(),
        priority: 0,
    }
}

#[tokio::test]
async fn a_single_part_arrives_with_the_right_octets_and_flags() {
    let (mut peer, gateway, _) = bound("").await;
    // "@" is septet 0 and "€" is an escaped one in GSM 03.38.
    let octets = [b"Price: 5".as_slice(), &[0x1b, 0x65], b" ", &[0x00]].concat();
    let submitted = gateway.submit(SubmittedPart { octets, priority: 2, ..part("") }).await.unwrap();
    assert_eq!((submitted.bind.as_str(), submitted.smsc_id.as_str()), ("test", "M-1"));
    let seen = peer.expect("submit").await;
    assert_eq!(seen["text"], "Price: 5€ @");
    assert_eq!((&seen["esm_class"], &seen["registered_delivery"]), (&json!(0), &json!(1)));
    assert_eq!((&seen["data_coding"], &seen["priority_flag"]), (&json!(0), &json!(2)));
    assert_eq!((&seen["source_addr_ton"], &seen["source_addr_npi"]), (&json!(5), &json!(0)));
    assert_eq!((&seen["dest_addr_ton"], &seen["dest_addr_npi"]), (&json!(1), &json!(1)));
    assert_eq!((&seen["source_addr"], &seen["destination_addr"]), (&json!("PATCHBAY"), &json!("27820000001")));
}

#[tokio::test]
async fn senders_are_submitted_with_their_address_type() {
    let (mut peer, gateway, _) = bound("").await;
    for (source, ton, npi, shown) in [("40404", 3, 0, "40404"), ("+27110000000", 1, 1, "27110000000")] {
        gateway.submit(SubmittedPart { source: source.into(), ..part("x") }).await.unwrap();
        let seen = peer.expect("submit").await;
        assert_eq!(
            (&seen["source_addr"], &seen["source_addr_ton"], &seen["source_addr_npi"]),
            (&json!(shown), &json!(ton), &json!(npi))
        );
    }
}

#[tokio::test]
async fn two_parts_carry_a_header_that_the_peer_can_read() {
    let (mut peer, gateway, _) = bound("").await;
    // 153 septets, the most that fits with a header: 159 octets on the wire.
    let texts = ["a".repeat(153), "b".repeat(20)];
    for (number, text) in (1u8..).zip(&texts) {
        gateway.submit(SubmittedPart { udh: Some(concat_udh(0xcc, 2, number)), ..part(text) }).await.unwrap();
        let seen = peer.expect("submit").await;
        assert_eq!(seen["esm_class"], 0x40);
        assert_eq!(seen["udh"], json!([format!("0003cc02{number:02x}")]));
        assert_eq!(seen["text"], json!(text));
    }
}

#[tokio::test]
async fn segmented_text_is_read_back_by_the_peer() {
    let (mut peer, gateway, _) = bound("").await;
    // The euro sign would lie across the border of the first part, so that one holds 152 septets.
    let texts = [format!("{}€{}", "a".repeat(152), "b".repeat(50)), "Привет 👍 ".repeat(20)];
    for (reference, text) in (1u8..).zip(&texts) {
        let segmented = domain::segments::split(text, false).unwrap();
        assert!(segmented.parts.len() > 1);
        let total = u8::try_from(segmented.parts.len()).unwrap();
        let mut read = String::new();
        for (number, segment) in (1u8..).zip(segmented.parts) {
            let udh = Some(concat_udh(reference, total, number));
            let data_coding = segmented.encoding.into();
            gateway.submit(SubmittedPart { udh, data_coding, octets: segment.octets, ..part("") }).await.unwrap();
            let seen = peer.expect("submit").await;
            assert_eq!(seen["udh"], json!([format!("0003{reference:02x}{total:02x}{number:02x}")]));
            read.push_str(seen["text"].as_str().unwrap());
        }
        assert_eq!(&read, text);
    }
}

#[tokio::test]
async fn unicode_goes_out_as_ucs2() {
    let (mut peer, gateway, _) = bound("").await;
    let octets: Vec<u8> = "Привет 👍".encode_utf16().flat_map(u16::to_be_bytes).collect();
    gateway.submit(SubmittedPart { data_coding: PartAlphabet::Ucs2, octets, ..part("") }).await.unwrap();
    let seen = peer.expect("submit").await;
    assert_eq!((&seen["data_coding"], &seen["text"]), (&json!(8), &json!("Привет 👍")));
}

#[tokio::test]
async fn content_that_smpp_cannot_carry_is_refused_before_it_is_sent() {
    let (mut peer, gateway, _) = bound("").await;
    let cases = [
        SubmittedPart { octets: vec![b'x'; 255], ..part("") },
        SubmittedPart { octets: vec![b'x'; 249], udh: Some(concat_udh(1, 2, 1)), ..part("") },
        SubmittedPart { source: "TWELVE CHARS".into(), ..part("x") },
        SubmittedPart { destination: "27 82".into(), ..part("x") },
    ];
    for case in cases {
        assert!(matches!(gateway.submit(case).await, Err(SubmitFailure::Invalid(_))));
    }
    assert!(peer.maybe("submit", Duration::from_millis(200)).await.is_none());
    assert!(gateway.submit(SubmittedPart { octets: vec![b'x'; 254], ..part("") }).await.is_ok());
}

#[tokio::test]
async fn refusals_are_classified_by_the_next_step() {
    let (mut peer, gateway, _) = bound("").await;
    let rejected = |code, name: &str| SubmitFailure::Rejected { code, name: name.into() };
    let cases = [
        (0x0b, rejected(0x0b, "ESME_RINVDSTADR")),
        (0x0a, rejected(0x0a, "ESME_RINVSRCADR")),
        (0x45, rejected(0x45, "ESME_RSUBMITFAIL")),
        (0x0400, rejected(0x0400, "0x00000400")),
        (0x08, SubmitFailure::Retry { code: 0x08, name: "ESME_RSYSERR".into() }),
    ];
    for (status, expected) in cases {
        peer.behave(json!({"status":status,"times":1})).await;
        assert_eq!(gateway.submit(part("x")).await, Err(expected));
    }
    assert!(gateway.submit(part("x")).await.is_ok(), "the session survives refusals");
}

#[tokio::test]
async fn throttling_pauses_the_bind_and_the_pause_ends() {
    let (mut peer, gateway, _) = bound("").await;
    for status in [0x58, 0x14] {
        peer.behave(json!({"status":status,"times":1})).await;
        let Err(SubmitFailure::Throttled { after }) = gateway.submit(part("x")).await else { panic!("not throttled") };
        assert_eq!(after, quick().throttle_first);
        let mut refusals = 0;
        while let Err(refusal) = gateway.submit(part("x")).await {
            let SubmitFailure::Throttled { after: left } = refusal else { panic!("{refusal:?}") };
            assert!(left <= after, "{left:?}");
            refusals += 1;
            tokio::time::sleep(left).await;
        }
        assert!(refusals > 0, "not paused");
        let first = peer.expect("submit").await["number"].as_u64().unwrap();
        let second = peer.expect("submit").await["number"].as_u64().unwrap();
        assert_eq!(second, first + 1, "nothing was sent during the pause");
    }
}

#[tokio::test]
async fn the_window_is_never_exceeded_and_everything_gets_through() {
    let (mut peer, gateway, _) = bound("window=5").await;
    let submits = (0..50).map(|_| gateway.submit(part("x")));
    let ids: HashSet<String> =
        futures::future::join_all(submits).await.into_iter().map(|outcome| outcome.unwrap().smsc_id).collect();
    assert_eq!(ids.len(), 50);
    peer.tell(json!({"do":"window"})).await;
    let most = peer.expect("window").await["most"].as_u64().unwrap();
    assert!((2..=5).contains(&most), "{most} were unanswered at once");
}

#[tokio::test]
async fn a_submit_that_is_taken_without_an_id_is_taken() {
    let (mut peer, gateway, _) = bound("").await;
    peer.behave(json!({"ids":"none"})).await;
    let submitted = gateway.submit(part("x")).await.unwrap();
    assert_eq!((submitted.bind.as_str(), submitted.smsc_id.as_str()), ("test", ""));
}

#[tokio::test]
async fn a_submit_without_answer_is_unknown() {
    let (mut peer, gateway, _) = bound("").await;
    peer.behave(json!({"silent":true})).await;
    assert!(matches!(gateway.submit(part("x")).await, Err(SubmitFailure::Unknown { .. })));
}

#[tokio::test]
async fn a_submit_whose_session_dies_is_unknown() {
    let (mut peer, gateway, _) = bound("").await;
    peer.behave(json!({"silent":true})).await;
    let submitting = tokio::spawn({
        let gateway = gateway.clone();
        async move { gateway.submit(part("x")).await }
    });
    peer.expect("submit").await;
    peer.tell(json!({"do":"drop"})).await;
    assert!(matches!(submitting.await.unwrap(), Err(SubmitFailure::Unknown { .. })));
}

#[tokio::test]
async fn a_receipt_may_overtake_the_answer_to_its_submit() {
    let (mut peer, gateway, mut recorded) = bound("ids=hexdec").await;
    peer.behave(json!({"receipt_first":true,"ids":"hexdec"})).await;
    let submitting = tokio::spawn({
        let gateway = gateway.clone();
        async move { gateway.submit(part("x")).await }
    });
    let receipt = recorded.receipt().await;
    assert!(!submitting.is_finished(), "the answer was not held back");
    let submitted = submitting.await.unwrap().unwrap();
    assert_eq!((receipt.smsc_id, receipt.bind), (submitted.smsc_id.clone(), submitted.bind));
    assert_eq!((submitted.smsc_id.as_str(), receipt.state), ("1001", SmsState::Delivered));
    assert_eq!(peer.expect("delivered").await["status"], 0);
}
