//! SMPP as a carrier, against a third-party SMSC: windows, parts, throttling, lost answers.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use channels::{
    carrier::{CANNOT_CARRY, Carrier, CarrierInbox, OutgoingMessage, PartTaken, SendPlace},
    smpp::{BindState, NO_ANSWER_FROM_SMSC, REFUSED_BY_SMSC, SmppCarrier, SmppGateway, SmppSettings},
};
use domain::{
    address::{Address, AddressKind},
    carriage::{Acceptance, SendFailure},
    content::{MediaKind, OutboundContent, OutboundMedia},
    ids::MessageId,
    inbox::InboxKind,
};
use futures::future::join_all;
use serde_json::json;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::{
    carriers::{inbox, message, phone, text},
    smpp_peer::{Peer, Recorded, SOON, bound, quick},
};

fn sms_inbox(which: u128) -> CarrierInbox {
    inbox(which, InboxKind::Sms)
}

async fn carrier(options: &str) -> (Peer, SmppCarrier, SmppGateway) {
    let (peer, gateway, _) = bound(options).await;
    (peer, SmppCarrier::new(gateway.clone()), gateway)
}

/// A place, as soon as there is one.
async fn place(carrier: &SmppCarrier, inbox: &CarrierInbox) -> SendPlace {
    let deadline = Instant::now() + SOON;
    loop {
        if let Some(place) = carrier.take(inbox, 1).unwrap().pop() {
            return place;
        }
        assert!(Instant::now() < deadline, "no place became free");
        carrier.ready(inbox).await;
    }
}

/// Sends a text and returns the outcome, with the recorded parts.
async fn send(carrier: &SmppCarrier, body: &str, taken: &[u8]) -> (Result<Acceptance, SendFailure>, Vec<PartTaken>) {
    let (journal, mut noted) = mpsc::unbounded_channel();
    let (inbox, to, content) = (sms_inbox(1), phone("27820000001"), text(body));
    let outgoing = OutgoingMessage { taken, ..OutgoingMessage::new(message(9), "", &to, &content, &journal) };
    let place = place(carrier, &inbox).await;
    let result = carrier.send(&inbox, place, &outgoing).await;
    let mut parts = Vec::new();
    while let Ok(part) = noted.try_recv() {
        parts.push(part);
    }
    (result, parts)
}

async fn most_unanswered(peer: &mut Peer) -> u64 {
    peer.tell(json!({"do":"window"})).await;
    peer.expect("window").await["most"].as_u64().unwrap()
}

fn numbers(parts: &[PartTaken]) -> BTreeSet<u8> {
    parts.iter().map(|part| part.part).collect()
}

#[tokio::test]
async fn a_message_is_submitted_and_its_part_noted() {
    let (mut peer, carrier, _gateway) = carrier("").await;
    let (result, parts) = send(&carrier, "Hello", &[]).await;
    assert_eq!(result, Ok(Acceptance::default()));
    let noted = PartTaken { message: message(9), part: 1, bind: "test".into(), smsc_id: "M-1".into() };
    assert_eq!(parts, [noted]);
    let seen = peer.expect("submit").await;
    assert_eq!((&seen["source_addr"], &seen["text"]), (&json!("PATCHBAY"), &json!("Hello")));
}

#[tokio::test]
async fn source_alphabet_and_priority_can_be_named() {
    let (mut peer, carrier, _gateway) = carrier("").await;
    let (inbox, to, content) = (sms_inbox(1), phone("27820000001"), text("Hello"));
    let usual = OutgoingMessage::new(message(1), "", &to, &content, &());
    let outgoing = OutgoingMessage { source: Some("SHOP"), unicode: true, priority: 2, ..usual };
    carrier.send(&inbox, place(&carrier, &inbox).await, &outgoing).await.unwrap();
    let seen = peer.expect("submit").await;
    assert_eq!(
        (&seen["source_addr"], &seen["data_coding"], &seen["priority_flag"]),
        (&json!("SHOP"), &json!(8), &json!(2))
    );
}

#[tokio::test]
async fn richer_content_goes_as_text() {
    let (mut peer, carrier, _gateway) = carrier("").await;
    let content = OutboundContent::Media(OutboundMedia {
        kind: MediaKind::Image,
        url: "https://host/a.jpg".to_owned(),
        caption: Some("A cat".to_owned()),
        filename: None,
    });
    assert_eq!(*carrier.carry(&content).unwrap(), text("A cat\nhttps://host/a.jpg"));
    let (inbox, to) = (sms_inbox(1), phone("27820000001"));
    let outgoing = OutgoingMessage::new(message(1), "", &to, &content, &());
    carrier.send(&inbox, place(&carrier, &inbox).await, &outgoing).await.unwrap();
    assert_eq!(peer.expect("submit").await["text"], "A cat\nhttps://host/a.jpg");
}

#[tokio::test]
async fn the_window_is_shared_by_all_inboxes_and_never_exceeded() {
    let (mut peer, carrier, _gateway) = carrier("window=5").await;
    let content = text("Hello");
    let sends = (0..60).map(|number: u8| {
        let (carrier, content, inbox) = (&carrier, &content, sms_inbox(u128::from(number % 3)));
        async move {
            let to = phone(&format!("278200000{number:02}"));
            let outgoing = OutgoingMessage::new(message(number), "", &to, content, &());
            let place = place(carrier, &inbox).await;
            carrier.send(&inbox, place, &outgoing).await.unwrap();
        }
    });
    join_all(sends).await;
    assert_eq!(most_unanswered(&mut peer).await, 5);
    assert_eq!(carrier.take(&sms_inbox(1), 9).unwrap().len(), 5, "every place came back");
}

#[tokio::test]
async fn an_inbox_with_few_messages_does_not_wait_for_one_with_many() {
    let (mut peer, carrier, _gateway) = carrier("window=4").await;
    let (busy, other) = (sms_inbox(1), sms_inbox(2));
    let mut held = carrier.take(&busy, 100).unwrap();
    assert_eq!(held.len(), 4);
    assert!(carrier.take(&other, 1).unwrap().is_empty());
    let waiting = carrier.ready(&other);
    held.pop();
    assert!(carrier.take(&busy, 100).unwrap().is_empty(), "it has more than its share already");
    // Paused time moves only if something waits for it.
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    waiting.await;
    assert!(began.elapsed() < Duration::from_millis(100));
    tokio::time::resume();
    assert_eq!(carrier.take(&other, 1).unwrap().len(), 1);
    assert!(peer.maybe("submit", Duration::from_millis(50)).await.is_none());
}

#[tokio::test]
async fn the_parts_of_a_message_are_sent_in_parallel_while_no_other_message_needs_the_window() {
    let (mut peer, carrier, _gateway) = carrier("window=4").await;
    let body = "a".repeat(153 * 9);
    let (result, parts) = send(&carrier, &body, &[]).await;
    assert!(result.is_ok());
    assert_eq!(numbers(&parts), (1..=9).collect());
    assert_eq!(most_unanswered(&mut peer).await, 4);
}

#[tokio::test]
async fn a_repetition_submits_only_parts_that_were_not_accepted() {
    let (mut peer, carrier, _gateway) = carrier("window=1").await;
    let body = format!("{}{}{}", "a".repeat(153), "b".repeat(153), "c".repeat(20));
    let (result, parts) = send(&carrier, &body, &[1, 3]).await;
    assert!(result.is_ok());
    assert_eq!(numbers(&parts), [2].into());
    let seen = peer.expect("submit").await;
    assert_eq!((&seen["udh"], &seen["text"]), (&json!(["0003090302"]), &json!("b".repeat(153))));
    let (result, parts) = send(&carrier, &body, &[1, 2, 3]).await;
    assert!(result.is_ok() && parts.is_empty(), "nothing is left to be sent");
    assert!(peer.maybe("submit", Duration::from_millis(100)).await.is_none());
}

#[tokio::test]
async fn two_long_messages_to_one_recipient_have_different_references() {
    let (mut peer, carrier, _gateway) = carrier("window=1").await;
    let (inbox, content) = (sms_inbox(1), text(&"a".repeat(200)));
    let (nothing, first): (&[u8], &[u8]) = (&[], &[1]);
    // Both ids end in the same byte.
    let (one, two) = (message(9), MessageId(Uuid::from_u128((8 << 76) | 9)));
    let mut seen = Vec::new();
    for (id, to, taken) in [
        (one, "27820000001", nothing),
        (two, "27820000001", nothing),
        (two, "27820000001", first),
        (one, "27820000001", first),
        (two, "27820000002", first),
    ] {
        let to = phone(to);
        let outgoing = OutgoingMessage { taken, ..OutgoingMessage::new(id, "", &to, &content, &()) };
        carrier.send(&inbox, place(&carrier, &inbox).await, &outgoing).await.unwrap();
        for _ in taken.len()..2 {
            seen.push(peer.expect("submit").await["udh"][0].as_str().unwrap().to_owned());
        }
    }
    let expected = ["0003090201", "0003090202", "00030a0201", "00030a0202", "00030a0202", "0003090202", "0003090202"];
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn throttling_pauses_the_bind_and_nothing_is_lost() {
    let (mut peer, carrier, _gateway) = carrier("").await;
    for status in [0x58, 0x14] {
        peer.behave(json!({"status":status,"times":1})).await;
        let (result, parts) = send(&carrier, "Hello", &[]).await;
        let Err(SendFailure::SlowDown { after: Some(after), .. }) = result else { panic!("{result:?}") };
        assert!(parts.is_empty() && after > Duration::from_millis(900));
        assert!(carrier.take(&sms_inbox(1), 1).unwrap().is_empty(), "a paused bind takes nothing");
        let began = Instant::now();
        let (result, _) = send(&carrier, "Hello", &[]).await;
        assert!(result.is_ok() && began.elapsed() > after / 2);
    }
}

#[tokio::test]
async fn refusals_decide_the_next_step() {
    let (mut peer, carrier, _gateway) = carrier("").await;
    peer.behave(json!({"status":0x0b,"times":1})).await;
    let (result, _) = send(&carrier, "Hello", &[]).await;
    let Err(SendFailure::Rejected(failure)) = result else { panic!("{result:?}") };
    assert_eq!((failure.code, failure.text.as_str()), (REFUSED_BY_SMSC, "the SMSC refused it: ESME_RINVDSTADR (11)"));
    peer.behave(json!({"status":0x08,"times":1})).await;
    let (result, _) = send(&carrier, "Hello", &[]).await;
    let Err(SendFailure::Retry { failure, after }) = result else { panic!("{result:?}") };
    assert_eq!((failure.code, after), (REFUSED_BY_SMSC, None), "the usual pauses, which bear trouble of ten minutes");
}

#[tokio::test]
async fn a_permanently_refused_part_decides_and_no_more_parts_are_sent() {
    let (mut peer, carrier, _gateway) = carrier("window=1").await;
    peer.behave(json!({"status":0x45,"times":1})).await;
    let (result, parts) = send(&carrier, &"a".repeat(500), &[]).await;
    assert!(matches!(result, Err(SendFailure::Rejected(_))) && parts.is_empty());
    peer.expect("submit").await;
    assert!(peer.maybe("submit", Duration::from_millis(100)).await.is_none());
}

#[tokio::test]
async fn a_lost_answer_is_unknown_and_its_place_comes_back() {
    let (mut peer, carrier, _gateway) = carrier("window=2").await;
    peer.behave(json!({"silent":true})).await;
    let (result, parts) = send(&carrier, "Hello", &[]).await;
    assert!(matches!(result, Err(SendFailure::Unknown { .. })) && parts.is_empty());
    assert_eq!(carrier.take(&sms_inbox(1), 9).unwrap().len(), 2);
    assert_eq!(carrier.no_answer().code, NO_ANSWER_FROM_SMSC);
}

#[tokio::test]
async fn a_message_of_which_a_part_was_refused_and_another_not_answered_may_have_arrived() {
    let (mut peer, carrier, _gateway) = carrier("window=2").await;
    peer.behave(json!({"silent":1,"status":0x45,"times":1})).await;
    let (result, parts) = send(&carrier, &"a".repeat(300), &[]).await;
    let Err(SendFailure::Rejected(failure)) = result else { panic!("{result:?}") };
    assert_eq!((failure.code, parts.len()), (NO_ANSWER_FROM_SMSC, 0));
    assert!(failure.text.contains("(69)") && failure.text.ends_with("may have arrived"), "{}", failure.text);
}

#[tokio::test]
async fn a_place_whose_session_ended_sends_nothing() {
    let (peer, carrier, gateway) = carrier("").await;
    let (inbox, to, content) = (sms_inbox(1), phone("27820000001"), text("Hello"));
    let place = place(&carrier, &inbox).await;
    peer.kill().await;
    let deadline = Instant::now() + SOON;
    while gateway.is_connected() {
        assert!(Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let result = carrier.send(&inbox, place, &OutgoingMessage::new(message(1), "", &to, &content, &())).await;
    assert!(matches!(result, Err(SendFailure::NotSent { after: Some(_), .. })), "{result:?}");
    assert!(carrier.take(&inbox, 1).is_err(), "without a session the way is closed");
}

#[tokio::test]
async fn a_rate_is_kept_by_places() {
    let (mut peer, carrier, _gateway) = carrier("rate=20&window=100").await;
    let inbox = sms_inbox(1);
    drop(carrier.take(&inbox, 100).unwrap());
    assert_eq!(carrier.take(&inbox, 100).unwrap().len(), 5, "a place that is given back is not lost");
    let began = Instant::now();
    for _ in 0..10 {
        assert!(send(&carrier, "Hello", &[]).await.0.is_ok());
        peer.expect("submit").await;
    }
    let took = began.elapsed();
    assert!(took > Duration::from_millis(400), "{took:?}");
}

#[tokio::test]
async fn without_an_smsc_no_place_is_given() {
    let carrier = SmppCarrier::new(SmppGateway::new(Vec::new(), SmppSettings::default()));
    let closed = carrier.take(&sms_inbox(1), 1).unwrap_err();
    assert_eq!(closed.look_again, Duration::from_secs(60));
}

#[tokio::test]
async fn content_that_is_not_an_sms_is_refused_before_it_is_sent() {
    let (mut peer, carrier, _gateway) = carrier("").await;
    let inbox = sms_inbox(1);
    let visitor = Address::of_kind(AddressKind::Visitor, "v-1").unwrap();
    let (phone, hello, empty, long) =
        (phone("27820000001"), text("Hello"), text(" "), text(&"a".repeat(255 * 153 + 1)));
    for (to, content, code) in
        [(&visitor, &hello, REFUSED_BY_SMSC), (&phone, &long, REFUSED_BY_SMSC), (&phone, &empty, CANNOT_CARRY)]
    {
        let outgoing = OutgoingMessage::new(message(1), "", to, content, &());
        let result = carrier.send(&inbox, place(&carrier, &inbox).await, &outgoing).await;
        let Err(SendFailure::Rejected(failure)) = result else { panic!("{result:?}") };
        assert_eq!(failure.code, code);
    }
    assert!(peer.maybe("submit", Duration::from_millis(100)).await.is_none());
}

/// Two binds that are up, the second for numbers that begin with 264.
async fn two_binds() -> (Peer, Peer, SmppCarrier, SmppGateway) {
    let (mut one, mut two) = (Peer::start().await, Peer::start().await);
    let recorded = Recorded::new();
    let urls = vec![one.url("name=one"), two.url("name=two&prefixes=264,2782")];
    let gateway = SmppGateway::start_with(urls, recorded.recorder.clone(), quick());
    one.expect("bind").await;
    two.expect("bind").await;
    let deadline = Instant::now() + SOON;
    while gateway.status().iter().any(|bind| bind.state != BindState::Bound) {
        assert!(Instant::now() < deadline, "{:?}", gateway.status());
        tokio::task::yield_now().await;
    }
    (one, two, SmppCarrier::new(gateway.clone()), gateway)
}

/// The bind that a message goes over.
async fn went_over(carrier: &SmppCarrier, to: &str, bind: Option<&str>) -> String {
    let (journal, mut noted) = mpsc::unbounded_channel::<PartTaken>();
    let (inbox, to, content) = (sms_inbox(1), phone(to), text("Hello"));
    let outgoing = OutgoingMessage {
        bind,
        validity_seconds: Some(600),
        ..OutgoingMessage::new(message(9), "", &to, &content, &journal)
    };
    let place = place(carrier, &inbox).await;
    assert_eq!(carrier.send(&inbox, place, &outgoing).await, Ok(Acceptance::default()));
    noted.recv().await.unwrap().bind
}

#[tokio::test]
async fn a_message_goes_over_the_bind_that_it_names() {
    let (_one, _two, carrier, _gateway) = two_binds().await;
    assert_eq!(carrier.binds(), ["one", "two"]);
    for bind in ["one", "two", "one", "one", "two"] {
        assert_eq!(went_over(&carrier, "27831234567", Some(bind)).await, bind);
    }
    assert_eq!(went_over(&carrier, "27821234567", Some("three")).await, "two", "as without it");
}

#[tokio::test]
async fn without_a_named_bind_the_longest_prefix_of_the_number_decides() {
    let (_one, _two, carrier, _gateway) = two_binds().await;
    for (to, bind) in [("27821234567", "two"), ("264811234567", "two"), ("27831234567", "one"), ("447700900001", "one")]
    {
        for _ in 0..3 {
            assert_eq!(went_over(&carrier, to, None).await, bind, "{to}");
        }
    }
}

#[tokio::test]
async fn a_lost_bind_leaves_its_numbers_to_the_others() {
    let (_one, two, carrier, gateway) = two_binds().await;
    drop(two);
    let deadline = Instant::now() + SOON;
    while gateway.status().iter().all(|bind| bind.state == BindState::Bound) {
        assert!(Instant::now() < deadline, "{:?}", gateway.status());
        tokio::task::yield_now().await;
    }
    assert_eq!(went_over(&carrier, "27821234567", None).await, "one");
    assert_eq!(went_over(&carrier, "27821234567", Some("two")).await, "one");
}
