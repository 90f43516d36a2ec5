//! Binding, losing and regaining sessions (PROVIDERS C.1).

use std::time::{Duration, Instant};

use channels::smpp::{BindState, SmppGateway, SmppUrl, SmppUrlError, SubmitFailure};
use serde_json::json;

use crate::{
    smpp_peer::{Peer, Recorded, SOON, bound, quick},
    smpp_submits::part,
};

async fn until(gateway: &SmppGateway, wanted: impl Fn(&BindState) -> bool) -> BindState {
    let deadline = Instant::now() + SOON;
    loop {
        let state = gateway.status().remove(0).state;
        if wanted(&state) {
            return state;
        }
        assert!(Instant::now() < deadline, "still {state:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_bind_announces_version_3_4_and_keeps_the_link_alive() {
    let mut peer = Peer::start().await;
    let recorded = Recorded::new();
    let gateway = SmppGateway::start_with(vec![peer.url("")], recorded.recorder.clone(), quick());
    let bind = peer.expect("bind").await;
    assert_eq!(
        (&bind["mode"], &bind["system_id"], &bind["version"]),
        (&json!("bind_transceiver"), &json!("esme"), &json!(0x34))
    );
    for _ in 0..3 {
        peer.expect("enquire_link").await;
    }
    assert_eq!(gateway.status()[0].state, BindState::Bound);
}

#[tokio::test]
async fn a_refused_transceiver_becomes_a_pair() {
    let mut peer = Peer::start().await;
    peer.behave(json!({"refuse_transceiver":true})).await;
    let mut recorded = Recorded::new();
    let gateway = SmppGateway::start_with(vec![peer.url("")], recorded.recorder.clone(), quick());
    let modes = [peer.expect("bind").await, peer.expect("bind").await, peer.expect("bind").await];
    let modes: Vec<&str> = modes.iter().map(|bind| bind["mode"].as_str().unwrap()).collect();
    assert_eq!(modes, ["bind_transceiver", "bind_transmitter", "bind_receiver"]);
    assert!(gateway.wait_bound(SOON).await);
    gateway.submit(part("x")).await.unwrap();
    peer.tell(json!({"do":"receipt","id":"M-1"})).await;
    assert_eq!(recorded.receipt().await.smsc_id, "M-1");
    // Losing both connections and coming back as a pair.
    peer.tell(json!({"do":"drop"})).await;
    until(&gateway, |state| *state != BindState::Bound).await;
    until(&gateway, |state| *state == BindState::Bound).await;
    gateway.submit(part("x")).await.unwrap();
}

#[tokio::test]
async fn a_wrong_password_is_reported_and_not_hammered() {
    let mut peer = Peer::start().await;
    peer.behave(json!({"password":"other"})).await;
    let recorded = Recorded::new();
    let gateway = SmppGateway::start_with(vec![peer.url("")], recorded.recorder.clone(), quick());
    let state = until(&gateway, |state| matches!(state, BindState::Refused { .. })).await;
    assert_eq!(state, BindState::Refused { status: "ESME_RINVPASWD".into() });
    assert_eq!(gateway.submit(part("x")).await, Err(SubmitFailure::NotConnected));
    peer.expect("bind").await;
    assert!(peer.maybe("bind", Duration::from_millis(1500)).await.is_none(), "the bind was tried again too soon");
    peer.behave(json!({"password":"secret"})).await;
    assert!(gateway.wait_bound(SOON).await, "the bind is tried again after the pause");
}

#[tokio::test]
async fn the_session_comes_back_after_the_peer_died() {
    let (peer, gateway, mut recorded) = bound("").await;
    gateway.submit(part("x")).await.unwrap();
    let port = peer.kill().await;
    until(&gateway, |state| matches!(state, BindState::Waiting { .. } | BindState::Connecting)).await;
    assert_eq!(gateway.submit(part("x")).await, Err(SubmitFailure::NotConnected));
    let mut peer = Peer::start_on(port).await;
    assert!(gateway.wait_bound(SOON).await);
    gateway.submit(part("x")).await.unwrap();
    peer.tell(json!({"do":"receipt","id":"M-1"})).await;
    assert_eq!(recorded.receipt().await.smsc_id, "M-1");
}

#[tokio::test]
async fn an_unbind_of_the_smsc_is_answered_and_the_bind_comes_back() {
    let (mut peer, gateway, _) = bound("").await;
    peer.tell(json!({"do":"unbind"})).await;
    peer.expect("closed").await;
    peer.expect("bind").await;
    assert!(gateway.wait_bound(SOON).await);
}

#[tokio::test]
async fn an_smsc_that_does_not_exist_yet_is_waited_for() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let url = SmppUrl::parse(&format!("smpp://esme:secret@localhost:{port}?name=test")).unwrap();
    let recorded = Recorded::new();
    let gateway = SmppGateway::start_with(vec![url], recorded.recorder.clone(), quick());
    until(&gateway, |state| matches!(state, BindState::Waiting { .. })).await;
    let _peer = Peer::start_on(port).await;
    assert!(gateway.wait_bound(SOON).await);
}

#[tokio::test]
async fn submits_rotate_between_binds_and_skip_a_lost_one() {
    let (mut first, mut second) = (Peer::start().await, Peer::start().await);
    let url = |peer: &Peer, name: &str| {
        SmppUrl::parse(&format!("smpp://esme:secret@127.0.0.1:{}?name={name}", peer.port)).unwrap()
    };
    let recorded = Recorded::new();
    let urls = vec![url(&first, "one"), url(&second, "two")];
    let gateway = SmppGateway::start_with(urls, recorded.recorder.clone(), quick());
    first.expect("bind").await;
    second.expect("bind").await;
    let deadline = Instant::now() + SOON;
    while gateway.status().iter().any(|bind| bind.state != BindState::Bound) {
        assert!(Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut used = Vec::new();
    for _ in 0..4 {
        used.push(gateway.submit(part("x")).await.unwrap().bind);
    }
    used.sort();
    assert_eq!(used, ["one", "one", "two", "two"]);
    first.kill().await;
    let deadline = Instant::now() + SOON;
    while gateway.status()[0].state == BindState::Bound {
        assert!(Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for _ in 0..3 {
        assert_eq!(gateway.submit(part("x")).await.unwrap().bind, "two");
    }
}

#[tokio::test]
async fn a_shutdown_sends_an_unbind() {
    let (mut peer, gateway, _) = bound("").await;
    gateway.shutdown().await;
    peer.expect("unbind").await;
    assert_eq!(gateway.status()[0].state, BindState::Stopped);
    assert_eq!(gateway.submit(part("x")).await, Err(SubmitFailure::NotConnected));
}

#[tokio::test]
async fn without_binds_nothing_is_connected() {
    let recorded = Recorded::new();
    let gateway = SmppGateway::start(Vec::new(), recorded.recorder.clone());
    assert!(!gateway.wait_bound(Duration::from_millis(10)).await);
    assert_eq!(gateway.submit(part("x")).await, Err(SubmitFailure::NotConnected));
}

#[test]
fn a_url_is_read_with_its_options_and_keeps_its_password() {
    let url = SmppUrl::parse("smpp://esme:p%40ss@smsc.example?ids=hexdec&window=50&rate=100&mode=txrx&system_type=VMA")
        .unwrap();
    assert_eq!(url.bind_name(), "esme@smsc.example:2775");
    assert!(!format!("{url:?}").contains("p@ss"));
    assert_eq!(SmppUrl::parse("smpps://esme:x@h").unwrap().bind_name(), "esme@h:3550");
    for alphabet in ["gsm", "gsm-packed", "latin1", "ascii"] {
        assert!(SmppUrl::parse(&format!("smpp://esme:x@h?default_alphabet={alphabet}")).is_ok());
    }
    assert_eq!(SmppUrl::parse("smpp://esme:x@[::1]:99?name=main").unwrap().bind_name(), "main");
}

#[test]
fn a_wrong_url_is_refused_with_its_fault_and_without_the_password() {
    let told = |text: &str| SmppUrl::parse(text).unwrap_err();
    assert_eq!(told("http://esme:x@h"), SmppUrlError::NotSmpp);
    assert_eq!(told("nonsense"), SmppUrlError::NotSmpp);
    assert_eq!(told("smpp://h:2775"), SmppUrlError::SystemId);
    assert_eq!(told("smpp://sixteencharacter:x@h"), SmppUrlError::SystemId);
    assert_eq!(told("smpp://esme:ninechars@h"), SmppUrlError::Password);
    for option in ["ids=octal", "default_alphabet=ebcdic", "window=0", "window=1001", "rate=0", "mode=hunter2", "name="]
    {
        let error = told(&format!("smpp://esme:hunter2@h?{option}"));
        assert!(matches!(error, SmppUrlError::Option { .. }), "{option}: {error:?}");
        assert!(!error.to_string().contains("hunter2"));
    }
    assert_eq!(told("smpp://esme:x@h?passwd=hunter2"), SmppUrlError::UnknownOption);
    assert!(!told("smpp://esme:ninechars@h").to_string().contains("ninechars"));
}
