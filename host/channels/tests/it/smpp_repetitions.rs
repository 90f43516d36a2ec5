//! An SMSC that delivers an SMS of a subscriber again, because our answer was lost with its session or came too late.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use channels::smpp::{MobileOriginated, SmppEvents, SmppGateway, SmscReceipt, StoreFailed, concat_udh};
use tokio::sync::Semaphore;

use crate::{
    smpp_peer::{Recorded, SOON, quick},
    smpp_raw::{DELIVER_SM, ENQUIRE_LINK, RESPONSE, SUBMIT_SM, Session, Smsc, deliver_sm},
    smpp_submits as submits,
};

const FROM: &[u8] = b"27820000001\0";

fn sms(text: &str) -> Vec<u8> {
    deliver_sm(FROM, (0, 0), text.as_bytes(), b"")
}

/// A part of a long SMS, always with the same reference.
fn part(number: u8, text: &str) -> Vec<u8> {
    deliver_sm(FROM, (0x40, 0), &[concat_udh(7, 2, number).as_slice(), text.as_bytes()].concat(), b"")
}

async fn bound() -> (Smsc, Session, SmppGateway, Recorded) {
    let smsc = Smsc::start().await;
    let recorded = Recorded::new();
    let gateway = SmppGateway::start_with(vec![smsc.url("")], recorded.recorder.clone(), quick());
    let session = smsc.bound().await;
    assert!(gateway.wait_bound(SOON).await);
    (smsc, session, gateway, recorded)
}

/// Delivers a body, which is acknowledged.
async fn deliver(session: &mut Session, body: &[u8]) {
    let sequence = session.send(DELIVER_SM, body).await;
    let answer = session.expect(DELIVER_SM | RESPONSE).await;
    assert_eq!((answer.sequence, answer.status), (sequence, 0));
}

#[tokio::test]
async fn an_sms_whose_answer_was_lost_with_its_session_is_stored_once() {
    let (smsc, mut session, _gateway, mut recorded) = bound().await;
    session.send(DELIVER_SM, &sms("1")).await;
    assert_eq!(recorded.message().await.text, "1");
    drop(session);

    let mut session = smsc.bound().await;
    deliver(&mut session, &sms("1")).await;
    assert!(recorded.messages.try_recv().is_err(), "it is stored already");
    // The subscriber types the same once more.
    deliver(&mut session, &sms("1")).await;
    assert_eq!(recorded.message().await.text, "1");
}

#[tokio::test]
async fn a_repetition_whose_answer_is_lost_too_is_recognised_again() {
    let (smsc, mut session, _gateway, mut recorded) = bound().await;
    session.send(DELIVER_SM, &sms("1")).await;
    assert_eq!(recorded.message().await.text, "1");
    for _ in 0..2 {
        drop(session);
        session = smsc.bound().await;
        deliver(&mut session, &sms("1")).await;
    }
    deliver(&mut session, &sms("2")).await;
    assert_eq!(recorded.message().await.text, "2");
}

#[tokio::test]
async fn equal_texts_that_are_typed_are_all_stored() {
    let (smsc, mut session, _gateway, mut recorded) = bound().await;
    for _ in 0..3 {
        deliver(&mut session, &sms("1")).await;
        assert_eq!(recorded.message().await.text, "1");
    }
    // Both are in doubt, and each is repeated once.
    for _ in 0..2 {
        session.send(DELIVER_SM, &sms("2")).await;
        assert_eq!(recorded.message().await.text, "2");
    }
    drop(session);
    let mut session = smsc.bound().await;
    for _ in 0..3 {
        deliver(&mut session, &sms("2")).await;
    }
    assert_eq!(recorded.message().await.text, "2");
    assert!(recorded.messages.try_recv().is_err());
}

#[tokio::test]
async fn a_part_that_is_repeated_does_not_join_the_next_message() {
    let (smsc, mut session, _gateway, mut recorded) = bound().await;
    session.send(DELIVER_SM, &part(1, "old ")).await;
    session.send(DELIVER_SM, &part(2, "text")).await;
    assert_eq!(recorded.message().await.text, "old text");
    drop(session);

    let mut session = smsc.bound().await;
    deliver(&mut session, &part(2, "text")).await;
    session.send(DELIVER_SM, &part(1, "new ")).await;
    session.send(DELIVER_SM, &part(2, "message")).await;
    let message = recorded.message().await;
    assert_eq!((message.text.as_str(), message.complete), ("new message", true));
}

/// Stores a message when it is allowed to.
struct Slow {
    allowed: Semaphore,
    stored: AtomicUsize,
}

#[async_trait]
impl SmppEvents for Slow {
    async fn receipt(&self, _receipt: SmscReceipt) -> Result<(), StoreFailed> {
        Ok(())
    }

    async fn mobile_originated(&self, _message: MobileOriginated) -> Result<(), StoreFailed> {
        self.allowed.acquire().await.map_err(|_| StoreFailed)?.forget();
        self.stored.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

#[tokio::test]
async fn a_pdu_that_comes_again_before_its_answer_is_stored_once() {
    let smsc = Smsc::start().await;
    let slow = Arc::new(Slow { allowed: Semaphore::new(0), stored: AtomicUsize::new(0) });
    let events: Arc<dyn SmppEvents> = slow.clone();
    let _gateway = SmppGateway::start_with(vec![smsc.url("")], events, quick());
    let mut session = smsc.bound().await;
    // The first twice under one number, and then the same text under another.
    for sequence in [1, 1, 2] {
        session.write(DELIVER_SM, 0, sequence, &sms("1")).await;
    }
    // When this is answered, they have been read.
    session.send(ENQUIRE_LINK, b"").await;
    session.expect(ENQUIRE_LINK | RESPONSE).await;
    slow.allowed.add_permits(9);
    for sequence in [1, 1, 2] {
        let answer = session.expect(DELIVER_SM | RESPONSE).await;
        assert_eq!((answer.sequence, answer.status), (sequence, 0));
    }
    assert_eq!(slow.stored.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn an_sms_is_not_a_repetition_if_the_smsc_had_the_answer_to_the_earlier_one() {
    let (smsc, mut session, gateway, mut recorded) = bound().await;
    deliver(&mut session, &sms("1")).await;
    assert_eq!(recorded.message().await.text, "1");
    // The SMSC reads in order, so the answer to a later submit shows that it has ours.
    let submitting = tokio::spawn({
        let gateway = gateway.clone();
        async move { gateway.submit(submits::part("menu")).await }
    });
    let submit = session.expect(SUBMIT_SM).await;
    session.answer(&submit, 0, b"M-1\0").await;
    assert!(submitting.await.unwrap().is_ok());
    drop(session);

    let mut session = smsc.bound().await;
    deliver(&mut session, &sms("1")).await;
    assert_eq!(recorded.message().await.text, "1");
}
