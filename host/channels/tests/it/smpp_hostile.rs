//! An SMSC that breaks the protocol (issues 29 and 30): an unreadable PDU costs only itself, and no SMS leaves twice.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use channels::{
    carrier::Carrier,
    smpp::{
        BindState, MobileOriginated, SmppCarrier, SmppEvents, SmppGateway, SmppSettings, SmsState, SmscReceipt,
        StoreFailed, SubmitFailure,
    },
};
use domain::inbox::InboxKind;
use futures::future::join_all;
use tokio::{io::AsyncWriteExt, time::timeout};

use crate::{
    carriers::inbox,
    smpp_peer::{Recorded, SOON, quick},
    smpp_raw::{
        BIND_TRANSCEIVER, DATA_SM, DELIVER_SM, ENQUIRE_LINK, GENERIC_NACK, Pdu, RESPONSE, SUBMIT_SM, Session, Smsc,
        UNBIND, deliver_sm, pdu, tlv,
    },
    smpp_submits::part,
};

/// `ESME_RX_R_APPN`: never deliver it again.
const REJECTED: u32 = 0x66;
const FROM: &[u8] = b"27820000001\0";

/// A gateway bound to an SMSC in bytes.
async fn bound(options: &str, settings: SmppSettings) -> (Smsc, Session, SmppGateway, Recorded) {
    let smsc = Smsc::start().await;
    let recorded = Recorded::new();
    let gateway = SmppGateway::start_with(vec![smsc.url(options)], recorded.recorder.clone(), settings);
    let session = smsc.bound().await;
    assert!(gateway.wait_bound(SOON).await);
    (smsc, session, gateway, recorded)
}

/// Delivers a body and says with which status it was answered.
async fn deliver(session: &mut Session, command: u32, body: &[u8]) -> u32 {
    let sequence = session.send(command, body).await;
    let answer = session.expect(command | RESPONSE).await;
    assert_eq!(answer.sequence, sequence);
    answer.status
}

/// Submits in the background.
fn submits(gateway: &SmppGateway, count: usize) -> tokio::task::JoinHandle<Vec<Result<String, SubmitFailure>>> {
    let gateway = gateway.clone();
    tokio::spawn(async move {
        let submit = |_| async { gateway.submit(part("x")).await.map(|taken| taken.smsc_id) };
        join_all((0..count).map(submit)).await
    })
}

#[tokio::test]
async fn a_delivery_with_any_field_values_is_read() {
    let (_smsc, mut session, gateway, mut recorded) = bound("", quick()).await;
    let usual = (0, 0);
    let cut = &tlv(0x0424, b"x")[..3];
    let time = b"\0\x01\x0127820000001\0\x01\x0127110000000\0\0\0\x00261120214000\0\0\0\0\0\0\x05Hello";
    let bodies = [
        (deliver_sm(b"Caf\xe9\0", usual, b"Hello", b""), "Caf\u{e9}"),
        (deliver_sm(FROM, usual, b"Hello", &tlv(0x1401, b"vendor")), "27820000001"),
        (deliver_sm(FROM, usual, b"Hello", cut), "27820000001"),
        (deliver_sm(b"27820000001", usual, b"Hello", b""), "27820000001"),
        (deliver_sm(FROM, usual, b"", &tlv(0x0424, b"Hello")), "27820000001"),
        (time.to_vec(), "27820000001"),
    ];
    for (body, from) in bodies {
        assert_eq!(deliver(&mut session, DELIVER_SM, &body).await, 0, "{body:?}");
        let message = recorded.message().await;
        assert_eq!((message.text.as_str(), message.from.as_str()), ("Hello", from));
    }
    let submit = submits(&gateway, 1);
    let asked = session.expect(SUBMIT_SM).await;
    session.answer(&asked, 0, b"M-1\0").await;
    assert_eq!(submit.await.unwrap(), [Ok("M-1".to_owned())], "all of it went over one session");
}

#[tokio::test]
async fn a_receipt_is_read_in_any_coding_and_with_a_nul_in_its_id() {
    let (_smsc, mut session, _gateway, mut recorded) = bound("", quick()).await;
    for id in ["a_b", "a@b", "a$b", "{a}", "a~b", "a|b"] {
        let text = format!("id:{id} sub:001 dlvrd:001 stat:DELIVRD err:000 text:");
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (coding, octets) in [(0, text.as_bytes()), (1, text.as_bytes()), (8, text.as_bytes()), (8, &wide)] {
            assert_eq!(deliver(&mut session, DELIVER_SM, &deliver_sm(FROM, (4, coding), octets, b"")).await, 0);
            let receipt = recorded.receipt().await;
            assert_eq!((receipt.smsc_id.as_str(), receipt.state), (id, SmsState::Delivered), "{coding}");
        }
        let parameters = [tlv(0x1e, id.as_bytes()), tlv(0x0427, &[2])].concat();
        assert_eq!(deliver(&mut session, DELIVER_SM, &deliver_sm(FROM, (4, 0), b"", &parameters)).await, 0);
        assert_eq!(recorded.receipt().await.smsc_id, id);
    }
}

#[tokio::test]
async fn texts_are_in_the_default_alphabet_of_the_smsc_in_both_directions() {
    for (alphabet, said) in [("gsm", &b"\x00 \x05"[..]), ("gsm-packed", &[0x00, 0x50, 0x01][..]), ("latin1", b"@ \xe9")]
    {
        let (_smsc, mut session, gateway, mut recorded) = bound(&format!("default_alphabet={alphabet}"), quick()).await;
        assert_eq!(deliver(&mut session, DELIVER_SM, &deliver_sm(FROM, (0, 0), said, b"")).await, 0);
        assert_eq!(recorded.message().await.text, "@ é", "{alphabet}");
        let submit = tokio::spawn(async move { gateway.submit(part("\0 \u{5}")).await });
        let asked = session.expect(SUBMIT_SM).await;
        assert!(asked.body.ends_with(said), "{alphabet}: {:?}", asked.body);
        session.answer(&asked, 0, b"M-1\0").await;
        submit.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn an_unknown_final_state_is_final() {
    let (_smsc, mut session, _gateway, mut recorded) = bound("", quick()).await;
    for stat in ["FAILED", "NACK", "???"] {
        let text = format!("id:M-1 stat:{stat} err:069");
        assert_eq!(deliver(&mut session, DELIVER_SM, &deliver_sm(FROM, (4, 0), text.as_bytes(), b"")).await, 0);
        let receipt = recorded.receipt().await;
        assert!(receipt.state.is_final() && receipt.state == SmsState::Unknown, "{stat}");
    }
}

#[tokio::test]
async fn a_data_sm_brings_receipts_and_replies() {
    let (_smsc, mut session, _gateway, mut recorded) = bound("", quick()).await;
    let body = |class: u8, parameters: &[u8]| {
        [b"\0\x01\x0127820000001\0\x01\x0127110000000\0", &[class, 0, 0][..], parameters].concat()
    };
    assert_eq!(deliver(&mut session, DATA_SM, &body(0, &tlv(0x0424, b"STOP"))).await, 0);
    assert_eq!(recorded.message().await.text, "STOP");
    let parameters = [tlv(0x1e, b"M-9\0"), tlv(0x0427, &[5])].concat();
    assert_eq!(deliver(&mut session, DATA_SM, &body(4, &parameters)).await, 0);
    let receipt = recorded.receipt().await;
    assert_eq!((receipt.smsc_id.as_str(), receipt.state), ("M-9", SmsState::Undeliverable));
    recorded.fail(1);
    assert_eq!(deliver(&mut session, DATA_SM, &body(0, &tlv(0x0424, b"again"))).await, 0x64);
}

#[tokio::test]
async fn unreadable_and_unknown_pdus_are_answered_and_the_session_continues() {
    let (_smsc, mut session, _gateway, mut recorded) = bound("", quick()).await;
    let whole = deliver_sm(FROM, (0, 0), b"Hello", b"");
    for length in [0, 1, 3, 12, 25, 30] {
        assert_eq!(deliver(&mut session, DELIVER_SM, &whole[..length]).await, REJECTED, "{length}");
        assert_eq!(deliver(&mut session, DATA_SM, &whole[..length.min(20)]).await, REJECTED, "{length}");
    }
    for command in [3, 0x21, 0x111, 0x7777] {
        let sequence = session.send(command, b"whatever").await;
        let nack = session.expect(GENERIC_NACK).await;
        assert_eq!((nack.sequence, nack.status), (sequence, 3), "{command:#x}");
    }
    for command in [RESPONSE | SUBMIT_SM, RESPONSE | DELIVER_SM, GENERIC_NACK, 0xffff_ffff] {
        session.write(command, 0, 9_999, b"\xff\xff").await;
    }
    assert_eq!(deliver(&mut session, DELIVER_SM, &whole).await, 0);
    assert_eq!(recorded.message().await.text, "Hello");
}

#[tokio::test]
async fn any_octets_within_a_pdu_leave_the_session_up() {
    let (_smsc, mut session, _gateway, mut recorded) = bound("", quick()).await;
    // A small generator of its own: the same octets in each run.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    let parameters = [tlv(0x1e, b"M-1\0"), tlv(0x0427, &[2])].concat();
    let whole = deliver_sm(FROM, (4, 0), b"id:M-1 stat:DELIVRD", &parameters);
    let (mut answered, mut sent) = (0, 0);
    for round in 0..600_u32 {
        let mut body = whole.clone();
        for _ in 0..=round % 5 {
            let at = usize::from(next()) % body.len();
            body[at] = next();
        }
        body.truncate(body.len() - usize::from(next()) % (round as usize % 60 + 1));
        // Never as a part of a longer message, whose answer would be held back.
        if let Some(class) = body.get_mut(FROM.len() + 17) {
            *class &= 0x3f;
        }
        let command = if round % 3 == 0 { DATA_SM } else { DELIVER_SM };
        let answer = [RESPONSE | SUBMIT_SM, RESPONSE | ENQUIRE_LINK, RESPONSE | 0x99][round as usize % 3];
        session.write(answer, u32::from(next()), u32::from(next()), &body).await;
        session.send(command, &body).await;
        sent += 1;
    }
    // A marker behind all of it. The joiner may hold parts that the noise made.
    let marker = session.send(DELIVER_SM, &deliver_sm(FROM, (0, 0), b"marker", b"")).await;
    let reading = async {
        loop {
            let pdu = session.next().await.expect("the session ended");
            match pdu.command {
                ENQUIRE_LINK => session.answer(&pdu, 0, b"").await,
                _ if pdu.sequence == marker => return,
                _ => answered += 1,
            }
        }
    };
    timeout(SOON, reading).await.expect("the marker was not answered");
    assert!(answered > sent / 2, "{answered} of {sent}");
    loop {
        if recorded.message().await.text == "marker" {
            break;
        }
    }
}

#[tokio::test]
async fn a_length_that_no_pdu_has_ends_the_session_and_the_next_one_begins() {
    let (smsc, mut session, gateway, _recorded) = bound("", quick()).await;
    for length in [0_u32, 15, 10_000_000] {
        let mut octets = pdu(DELIVER_SM, 0, 1, b"");
        octets[..4].copy_from_slice(&length.to_be_bytes());
        session.stream.write_all(&octets).await.unwrap();
        session.ended().await;
        session = smsc.bound().await;
    }
    assert!(gateway.wait_bound(SOON).await);
}

#[tokio::test]
async fn an_answer_of_any_shape_settles_its_submit() {
    let (_smsc, mut session, gateway, _recorded) = bound("", quick()).await;
    let long = vec![b'7'; 200];
    let cases: [(&[u8], &str); 5] = [
        (b"", ""),
        (b"\0", ""),
        (b"M-1", "M-1"),
        (&long, std::str::from_utf8(&long).unwrap()),
        (b"M_2\0\x14\x01\xff\xff", "M_2"),
    ];
    for (body, id) in cases {
        let submit = submits(&gateway, 1);
        let asked = session.expect(SUBMIT_SM).await;
        session.answer(&asked, 0, body).await;
        assert_eq!(submit.await.unwrap(), [Ok(id.to_owned())]);
    }
    let refused = submits(&gateway, 1);
    let asked = session.expect(SUBMIT_SM).await;
    session.write(GENERIC_NACK, 2, asked.sequence, b"").await;
    let name = "ESME_RINVCMDLEN".to_owned();
    assert_eq!(refused.await.unwrap(), [Err(SubmitFailure::Rejected { code: 2, name })]);
}

#[tokio::test]
async fn a_bind_answer_of_any_shape_binds() {
    for body in
        [&b""[..], b"a system id of 40 characters and no NUL", b"twentycharacters+++4\0\x02\x10\0\x01\x50", b"\0\x02"]
    {
        let smsc = Smsc::start().await;
        let recorded = Recorded::new();
        let gateway = SmppGateway::start_with(vec![smsc.url("")], recorded.recorder.clone(), quick());
        let mut session = smsc.answer_bind(0, body).await;
        assert!(gateway.wait_bound(SOON).await);
        let submit = submits(&gateway, 1);
        let asked = session.expect(SUBMIT_SM).await;
        session.answer(&asked, 0, b"M-1\0").await;
        assert!(submit.await.unwrap()[0].is_ok());
    }
}

#[tokio::test]
async fn an_unbind_waits_for_the_outstanding_answers() {
    let settings = SmppSettings { unbind_wait: SOON, ..quick() };
    let (_smsc, mut session, gateway, _recorded) = bound("window=20", settings).await;
    let submit = submits(&gateway, 20);
    let mut asked = Vec::new();
    for _ in 0..20 {
        asked.push(session.expect(SUBMIT_SM).await);
    }
    session.send(UNBIND, b"").await;
    let deadline = Instant::now() + SOON;
    while gateway.is_connected() {
        assert!(Instant::now() < deadline, "it goes on submitting");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(gateway.submit(part("x")).await, Err(SubmitFailure::NotConnected));
    for (number, asked) in asked.iter().enumerate() {
        session.answer(asked, 0, format!("M-{number}\0").as_bytes()).await;
    }
    assert!(submit.await.unwrap().iter().all(Result::is_ok));
    session.expect(RESPONSE | UNBIND).await;
    session.ended().await;
}

#[tokio::test]
async fn an_unbind_waits_for_a_limited_time() {
    let settings = SmppSettings { unbind_wait: Duration::from_millis(200), ..quick() };
    let (_smsc, mut session, gateway, _recorded) = bound("", settings).await;
    let submit = submits(&gateway, 1);
    session.expect(SUBMIT_SM).await;
    session.send(UNBIND, b"").await;
    session.expect(RESPONSE | UNBIND).await;
    session.ended().await;
    assert!(matches!(submit.await.unwrap()[0], Err(SubmitFailure::Unknown { .. })));
}

/// Stores nothing, ever.
struct Stuck;

#[async_trait]
impl SmppEvents for Stuck {
    async fn receipt(&self, _receipt: SmscReceipt) -> Result<(), StoreFailed> {
        std::future::pending().await
    }

    async fn mobile_originated(&self, _message: MobileOriginated) -> Result<(), StoreFailed> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn an_smsc_that_sends_endlessly_is_slowed_down_and_its_end_is_detected_at_once() {
    let smsc = Smsc::start().await;
    let events: Arc<dyn SmppEvents> = Arc::new(Stuck);
    // Our own side does not read, which is no reason to end the session.
    let settings =
        SmppSettings { enquire_link: Duration::from_millis(100), link_timeout: Duration::from_secs(1), ..quick() };
    let gateway = SmppGateway::start_with(vec![smsc.url("")], events, settings);
    let mut session = smsc.bound().await;
    let body = deliver_sm(FROM, (4, 0), b"id:M-1 stat:DELIVRD", b"");
    let many: Vec<u8> = (1..=2_000).flat_map(|sequence| pdu(DELIVER_SM, 0, sequence, &body)).collect();
    let mut octets = 0;
    // Until the buffers of the two sockets are full.
    while let Ok(written) = timeout(Duration::from_secs(2), session.stream.write(&many)).await {
        octets += written.unwrap();
        assert!(octets < 64 << 20, "nothing holds it up");
    }
    assert!(gateway.is_connected());
    drop(session);
    let mut again = smsc.bound().await;
    assert!(gateway.wait_bound(SOON).await);
    let submit = submits(&gateway, 1);
    let asked = again.expect(SUBMIT_SM).await;
    again.answer(&asked, 0, b"M-1\0").await;
    assert!(submit.await.unwrap()[0].is_ok());
}

#[tokio::test]
async fn a_very_short_session_does_not_reset_the_pauses() {
    let (smsc, first, gateway, _recorded) = bound("", quick()).await;
    drop(first);
    let mut since = Instant::now();
    let mut pauses = Vec::new();
    for _ in 0..5 {
        drop(smsc.bound().await);
        pauses.push(since.elapsed());
        since = Instant::now();
    }
    for (pause, least) in pauses.iter().zip([100, 200, 400, 400, 400]) {
        assert!(*pause >= Duration::from_millis(least - 30), "{pauses:?}");
    }
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_temporary_refusal_causes_a_short_pause_and_a_wrong_password_a_long_one() {
    let settings = SmppSettings { refused_first: Duration::from_secs(600), ..quick() };
    let smsc = Smsc::start().await;
    let recorded = Recorded::new();
    let gateway = SmppGateway::start_with(vec![smsc.url("")], recorded.recorder.clone(), settings);
    for status in [5, 0x0d, 8, 0x58, 0x0400] {
        drop(smsc.answer_bind(status, b"").await);
    }
    drop(smsc.answer_bind(0x0e, b"").await);
    let deadline = Instant::now() + SOON;
    while gateway.status()[0].state != (BindState::Refused { status: "ESME_RINVPASWD".to_owned() }) {
        assert!(Instant::now() < deadline, "{:?}", gateway.status());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(timeout(Duration::from_millis(900), smsc.accept()).await.is_err(), "it was tried again");
}

#[tokio::test]
async fn waiting_callers_look_again_when_the_next_bind_is_tried() {
    let (_smsc, session, gateway, _recorded) = bound("", quick()).await;
    let carrier = SmppCarrier::new(gateway.clone());
    let sms = inbox(1, InboxKind::Sms);
    drop(session);
    let deadline = Instant::now() + SOON;
    let closed = loop {
        if let Err(closed) = carrier.take(&sms, 1) {
            break closed;
        }
        assert!(Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert!(closed.look_again <= Duration::from_millis(800), "{:?}", closed.look_again);
}

#[tokio::test]
async fn a_submit_without_an_answer_waits_as_long_as_is_configured() {
    let settings = SmppSettings { response_timeout: Duration::from_secs(6), ..quick() };
    let (_smsc, mut session, gateway, _recorded) = bound("", settings).await;
    let submit = submits(&gateway, 2);
    let first = session.expect(SUBMIT_SM).await;
    let second = session.expect(SUBMIT_SM).await;
    // The link stays up during that time.
    assert!(session.is_quiet(Duration::from_secs(1)).await);
    session.answer(&second, 0, b"late\0").await;
    let results = submit.await.unwrap();
    assert!(results.contains(&Ok("late".to_owned())));
    assert!(results.iter().any(|result| matches!(result, Err(SubmitFailure::Unknown { .. }))));
    // An answer that nothing waits for any more is passed over.
    session.answer(&first, 0, b"too late\0").await;
    let again = submits(&gateway, 1);
    let Pdu { sequence, .. } = session.expect(SUBMIT_SM).await;
    session.write(RESPONSE | SUBMIT_SM, 0, sequence, b"M-3\0").await;
    assert_eq!(again.await.unwrap(), [Ok("M-3".to_owned())]);
}

#[tokio::test]
async fn after_throttling_one_submit_probes() {
    let settings = SmppSettings { throttle_first: Duration::from_millis(200), ..quick() };
    let (_smsc, mut session, gateway, _recorded) = bound("window=10", settings).await;
    let carrier = SmppCarrier::new(gateway.clone());
    let sms = inbox(1, InboxKind::Sms);
    let first = submits(&gateway, 1);
    let asked = session.expect(SUBMIT_SM).await;
    session.answer(&asked, 0x58, b"").await;
    assert!(matches!(first.await.unwrap()[0], Err(SubmitFailure::Throttled { .. })));
    assert!(carrier.take(&sms, 10).unwrap().is_empty(), "it pauses");
    let deadline = Instant::now() + SOON;
    let probe = loop {
        let places = carrier.take(&sms, 10).unwrap();
        if !places.is_empty() {
            break places;
        }
        assert!(Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(probe.len(), 1);
    assert!(carrier.take(&sms, 10).unwrap().is_empty(), "one probes");
    drop(probe);
    let again = submits(&gateway, 1);
    let asked = session.expect(SUBMIT_SM).await;
    session.answer(&asked, 0, b"M-1\0").await;
    assert!(again.await.unwrap()[0].is_ok());
    assert_eq!(carrier.take(&sms, 10).unwrap().len(), 10);
}

#[tokio::test]
async fn enquire_link_is_answered_and_its_own_answer_is_waited_for() {
    let settings = SmppSettings { link_timeout: Duration::from_millis(300), ..quick() };
    let (smsc, mut session, _gateway, _recorded) = bound("", settings).await;
    let sequence = session.send(ENQUIRE_LINK, b"").await;
    assert_eq!(session.expect(RESPONSE | ENQUIRE_LINK).await.sequence, sequence);
    // It says nothing any more.
    session.ended().await;
    let mut next = smsc.accept().await;
    next.expect(BIND_TRANSCEIVER).await;
}
