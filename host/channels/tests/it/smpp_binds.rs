//! Several binds side by side, TLS, and SMSCs that talk nonsense (PROVIDERS C.1).

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use channels::{
    carrier::{Carrier, CarrierInbox, Credentials, OutgoingMessage, SendPlace},
    smpp::{BindState, SmppCarrier, SmppGateway, SmppUrl, SmscReceipt, SubmitFailure, SubmittedSms},
};
use domain::{
    address::{Address, AddressKind},
    carriage::SendFailure,
    content::OutboundContent,
    ids::{ClientId, InboxId, MessageId},
    inbox::InboxKind,
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use uuid::Uuid;

use crate::{
    smpp_peer::{Peer, Recorded, SOON, quick},
    smpp_submits::part,
};

fn url(peer: &Peer, options: &str) -> SmppUrl {
    SmppUrl::parse(&format!("smpp://esme:secret@127.0.0.1:{}?{options}", peer.port)).unwrap()
}

/// Waits until so many binds are up.
async fn up(gateway: &SmppGateway, wanted: usize) {
    let deadline = Instant::now() + SOON;
    while gateway.status().iter().filter(|bind| bind.state == BindState::Bound).count() != wanted {
        assert!(Instant::now() < deadline, "{:?}", gateway.status());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn inbox() -> CarrierInbox {
    CarrierInbox {
        client: ClientId(Uuid::from_u128(1)),
        id: InboxId(Uuid::from_u128(2)),
        kind: InboxKind::Sms,
        address: "PATCHBAY".to_owned(),
        rate_per_second: None,
        credentials: Credentials::default(),
    }
}

/// Submits over this place.
async fn send(carrier: &SmppCarrier, place: SendPlace) -> Result<(), SendFailure> {
    let to = Address::of_kind(AddressKind::Phone, "27820000001").unwrap();
    let content = OutboundContent::Text { body: "Hello".to_owned() };
    let outgoing = OutgoingMessage::new(MessageId(Uuid::from_u128(3)), "", &to, &content, &());
    carrier.send(&inbox(), place, &outgoing).await.map(drop)
}

#[tokio::test]
async fn a_throttled_bind_hands_its_work_to_the_others_at_once() {
    for (status, kind) in [(0x58, "ESME_RTHROTTLED"), (0x14, "ESME_RMSGQFUL")] {
        let (mut slow, mut other) = (Peer::start().await, Peer::start().await);
        slow.behave(json!({ "status": status, "times": 1 })).await;
        let recorded = Recorded::new();
        let urls = vec![url(&slow, "name=slow&window=2"), url(&other, "name=other&window=2")];
        let gateway = SmppGateway::start_with(urls, recorded.recorder.clone(), quick());
        up(&gateway, 2).await;
        let carrier = SmppCarrier::new(gateway.clone());
        assert_eq!(carrier.window(&inbox()), 4);

        let mut results = Vec::new();
        for place in carrier.take(&inbox(), 2).unwrap() {
            results.push(send(&carrier, place).await);
        }

        let refused: Vec<&SendFailure> = results.iter().filter_map(|result| result.as_ref().err()).collect();
        assert!(
            matches!(refused[..], [SendFailure::SlowDown { after: Some(Duration::ZERO), .. }]),
            "{kind}: {results:?}"
        );
        let places = carrier.take(&inbox(), 9).unwrap();
        assert_eq!(places.len(), 2, "{kind}: the slow one pauses, the other has its window");
        for place in places {
            send(&carrier, place).await.unwrap();
        }
        slow.expect("submit").await;
        for _ in 0..3 {
            other.expect("submit").await;
        }
        tokio::time::sleep(Duration::from_millis(1100)).await;
        let places = carrier.take(&inbox(), 9).unwrap();
        assert_eq!(places.len(), 3, "{kind}: the pause is over, and one submit probes");
        for place in places {
            send(&carrier, place).await.unwrap();
        }
        assert_eq!(carrier.take(&inbox(), 9).unwrap().len(), 4, "{kind}: it was taken");
    }
}

#[tokio::test]
async fn a_lost_bind_hands_its_work_to_the_others_and_takes_its_share_after_its_return() {
    let (first, second) = (Peer::start().await, Peer::start().await);
    let recorded = Recorded::new();
    let urls = vec![url(&first, "name=one&window=3"), url(&second, "name=two&window=3")];
    let gateway = SmppGateway::start_with(urls, recorded.recorder.clone(), quick());
    up(&gateway, 2).await;
    let carrier = SmppCarrier::new(gateway.clone());
    let mut places = carrier.take(&inbox(), 9).unwrap();
    assert_eq!(places.len(), 6);

    let port = first.kill().await;
    up(&gateway, 1).await;

    let mut moved = 0;
    while let Some(place) = places.pop() {
        match send(&carrier, place).await {
            Ok(()) => {}
            Err(SendFailure::NotSent { after: Some(Duration::ZERO), .. }) => moved += 1,
            Err(failure) => panic!("{failure:?}"),
        }
    }
    assert_eq!(moved, 3, "messages for the bind that is gone go out at once over the other");
    for _ in 0..4 {
        assert_eq!(gateway.submit(part("x")).await.unwrap().bind, "two");
    }
    let _first = Peer::start_on(port).await;
    up(&gateway, 2).await;
    let mut used = Vec::new();
    for _ in 0..4 {
        used.push(gateway.submit(part("x")).await.unwrap().bind);
    }
    used.sort();
    assert_eq!(used, ["one", "one", "two", "two"]);
}

#[tokio::test]
async fn receipts_and_parts_of_replies_may_come_over_any_bind_of_an_account() {
    let mut peer = Peer::start().await;
    let mut recorded = Recorded::new();
    let urls = vec![url(&peer, ""), url(&peer, "")];
    let gateway = SmppGateway::start_with(urls, recorded.recorder.clone(), quick());
    up(&gateway, 2).await;
    let submitted = gateway.submit(part("x")).await.unwrap();

    peer.tell(json!({ "do": "receipt", "id": submitted.smsc_id })).await;
    let receipt = recorded.receipt().await;
    assert_eq!((receipt.bind, receipt.smsc_id), (submitted.bind, submitted.smsc_id));

    for (number, text, over) in [(1, "one ", 0), (2, "two", 1)] {
        let octets: String = text.bytes().map(|octet| format!("{octet:02x}")).collect();
        let hex = format!("0500030702{number:02x}{octets}");
        let piece = json!({ "do": "mo", "from": "27820000001", "to": "PATCHBAY", "esm_class": 0x40, "hex": hex,
                            "over": over });
        peer.tell(piece).await;
    }
    let message = recorded.message().await;
    assert_eq!((message.text.as_str(), message.parts, message.complete), ("one two", 2, true));
}

/// Whether the next receipt may be about this message.
async fn names(recorded: &mut Recorded, submitted: &SubmittedSms) -> bool {
    let SmscReceipt { bind, smsc_id, mut others, .. } = recorded.receipt().await;
    others.push((bind, smsc_id));
    others.contains(&(submitted.bind.clone(), submitted.smsc_id.clone()))
}

#[tokio::test]
async fn hosts_with_the_same_credentials_are_one_account_unless_they_are_named() {
    for (options, is_one) in [(["", ""], true), (["name=one", "name=two"], false)] {
        let (mut one, mut two) = (Peer::start().await, Peer::start().await);
        let mut recorded = Recorded::new();
        let urls = vec![url(&one, options[0]), url(&two, options[1])];
        let gateway = SmppGateway::start_with(urls.clone(), recorded.recorder.clone(), quick());
        up(&gateway, 2).await;
        let submitted = loop {
            let submitted = gateway.submit(part("x")).await.unwrap();
            if submitted.bind == urls[0].bind_name() {
                break submitted;
            }
        };

        one.tell(json!({ "do": "receipt", "id": submitted.smsc_id })).await;
        assert!(names(&mut recorded, &submitted).await);
        two.tell(json!({ "do": "receipt", "id": submitted.smsc_id })).await;
        assert_eq!(names(&mut recorded, &submitted).await, is_one);

        for (number, text, peer) in [(1, "one ", &mut one), (2, "two", &mut two)] {
            let hex = format!("0500030702{number:02x}{}", hex::encode(text));
            let piece = json!({ "do": "mo", "from": "27820000001", "to": "PATCHBAY", "esm_class": 0x40, "hex": hex });
            peer.tell(piece).await;
        }
        let message = recorded.message().await;
        assert_eq!((message.complete, message.text == "one two"), (is_one, is_one), "{message:?}");
    }
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../app/tests/fixtures").join(name)
}

#[tokio::test]
async fn tls_trusts_the_authority_that_the_bind_names_and_no_other() {
    let certificate = fixture("localhost.pem");
    let mut peer = Peer::start_tls(&fixture("localhost.key"), &certificate).await;
    let bind = |options: &str| {
        let url = format!("smpps://esme:secret@localhost:{}?name=tls&{options}", peer.port);
        SmppUrl::parse(&url).unwrap()
    };
    let (trusting, distrusting) = (bind(&format!("ca={}", certificate.display())), bind(""));
    let recorded = Recorded::new();

    let gateway = SmppGateway::start_with(vec![trusting], recorded.recorder.clone(), quick());
    up(&gateway, 1).await;
    for _ in 0..40 {
        gateway.submit(part("x")).await.unwrap();
        peer.expect("submit").await;
    }

    let other = SmppGateway::start_with(vec![distrusting], recorded.recorder.clone(), quick());
    assert!(!other.wait_bound(Duration::from_secs(1)).await, "no known authority signed its certificate");
    let state = other.status().remove(0).state;
    assert!(matches!(state, BindState::Waiting { .. } | BindState::Connecting), "{state:?}");
}

/// An SMSC that accepts every bind, then answers every PDU with these bytes.
async fn strange(greets: bool, says: &'static [u8]) -> (SmppGateway, Recorded) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(talk(stream, greets, says));
        }
    });
    let recorded = Recorded::new();
    let url = SmppUrl::parse(&format!("smpp://esme:secret@127.0.0.1:{port}?mode=trx")).unwrap();
    (SmppGateway::start_with(vec![url], recorded.recorder.clone(), quick()), recorded)
}

async fn talk(mut stream: TcpStream, greets: bool, says: &[u8]) {
    let mut octets = [0; 512];
    if greets {
        let Ok(16..) = stream.read(&mut octets).await else { return };
        let mut bound = vec![0, 0, 0, 18, 0x80, 0, 0, 9, 0, 0, 0, 0];
        bound.extend_from_slice(&octets[12..16]);
        bound.extend_from_slice(b"x\0");
        stream.write_all(&bound).await.unwrap();
    }
    while let Ok(1..) = stream.read(&mut octets).await {
        if stream.write_all(says).await.is_err() {
            return;
        }
    }
}

const NOISE: &[u8] = &[0xff; 64];
/// A header that announces less than itself.
const TOO_SHORT: &[u8] = &[0, 0, 0, 3, 0x80, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1];
/// An answer to nothing that was asked.
const STRANGER: &[u8] = b"\0\0\0\x12\x80\0\0\x04\0\0\0\0\x7f\xff\xff\x00M\0";

#[tokio::test]
async fn an_smsc_that_answers_nonsense_leaves_submits_unknown_and_is_tried_again() {
    for says in [NOISE, TOO_SHORT, STRANGER] {
        let (gateway, _recorded) = strange(true, says).await;
        assert!(gateway.wait_bound(SOON).await);
        let outcome = gateway.submit(part("x")).await;
        assert!(matches!(outcome, Err(SubmitFailure::Unknown { .. })), "{says:?}: {outcome:?}");
        assert!(gateway.wait_bound(SOON).await, "{says:?}: it binds again");
    }
}

#[tokio::test]
async fn an_smsc_that_answers_a_bind_with_nonsense_or_nothing_is_not_bound() {
    for says in [NOISE, TOO_SHORT, STRANGER, b"".as_slice()] {
        let (gateway, _recorded) = strange(false, says).await;
        assert!(!gateway.wait_bound(Duration::from_millis(700)).await, "{says:?}");
        assert_eq!(gateway.submit(part("x")).await, Err(SubmitFailure::NotConnected), "{says:?}");
        gateway.shutdown().await;
    }
}
