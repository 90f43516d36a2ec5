//! The SMSC over raw SMPP, for details that a client library hides.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use rusmpp::pdus::{BindReceiver, BindTransceiver, BindTransmitter, DeliverSm, DeliverSmResp, SubmitSm};
use rusmpp::tlvs::TlvValue;
use rusmpp::tokio_codec::CommandCodec;
use rusmpp::types::{COctetString, OctetString};
use rusmpp::values::{DataCoding, EsmClass, InterfaceVersion, MessageState, RegisteredDelivery};
use rusmpp::{Command, CommandStatus, Pdu};
use serde_json::json;
use tokio::net::TcpStream;
use tokio_util::codec::Framed;

use crate::host::{Outside, PHONE};

struct Esme {
    framed: Framed<TcpStream, CommandCodec>,
    sequence: u32,
}

impl Esme {
    async fn connect(outside: &Outside) -> Self {
        let stream = TcpStream::connect(outside.simulator.smsc_addr()).await.unwrap();
        Self { framed: Framed::new(stream, CommandCodec::new()), sequence: 0 }
    }

    async fn bound(outside: &Outside) -> Self {
        let mut esme = Self::connect(outside).await;
        assert_eq!(esme.ask(transceiver("secret")).await.status(), CommandStatus::EsmeRok);
        esme
    }

    async fn write(&mut self, pdu: impl Into<Pdu>) {
        self.sequence += 1;
        let command = Command::new(CommandStatus::EsmeRok, self.sequence, pdu);
        self.framed.send(command).await.unwrap();
    }

    async fn next(&mut self) -> Command {
        let next = tokio::time::timeout(Duration::from_secs(10), self.framed.next());
        next.await.expect("the SMSC says nothing").expect("the SMSC hung up").unwrap()
    }

    async fn ask(&mut self, pdu: impl Into<Pdu>) -> Command {
        self.write(pdu).await;
        self.next().await
    }

    /// The next `deliver_sm`, answered.
    async fn delivered(&mut self) -> DeliverSm {
        let command = self.next().await;
        let Some(Pdu::DeliverSm(pdu)) = command.pdu() else { panic!("{command:?}") };
        let response = Command::new(CommandStatus::EsmeRok, command.sequence_number(), DeliverSmResp::default());
        self.framed.send(response).await.unwrap();
        pdu.clone()
    }
}

fn c<const N: usize>(text: &str) -> COctetString<1, N> {
    COctetString::from_string(text.to_owned()).unwrap()
}

fn transceiver(password: &str) -> BindTransceiver {
    BindTransceiver::builder()
        .interface_version(InterfaceVersion::Smpp3_4)
        .system_id(c("patchbay"))
        .password(c(password))
        .build()
}

fn submit(octets: &[u8]) -> SubmitSm {
    SubmitSm::builder()
        .source_addr(c("SHOP"))
        .destination_addr(c(PHONE))
        .esm_class(EsmClass::from(0))
        .registered_delivery(RegisteredDelivery::from(1))
        .short_message(OctetString::from_vec(octets.to_vec()).unwrap())
        .build()
}

fn id_of(command: &Command) -> String {
    let Some(Pdu::SubmitSmResp(response)) = command.pdu() else { panic!("{command:?}") };
    response.message_id().as_str().to_owned()
}

fn receipt_text(pdu: &DeliverSm) -> String {
    assert_eq!(u8::from(pdu.esm_class), 0x04);
    pdu.short_message().to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_refused_and_submitting_unbound_too() {
    let outside = Outside::start().await;
    let mut esme = Esme::connect(&outside).await;
    assert_eq!(esme.ask(submit(b"x")).await.status(), CommandStatus::EsmeRinvbndsts);
    assert_eq!(esme.ask(transceiver("wrong")).await.status(), CommandStatus::EsmeRinvpaswd);
    assert_eq!(esme.ask(transceiver("secret")).await.status(), CommandStatus::EsmeRok);
    assert_eq!(esme.ask(transceiver("secret")).await.status(), CommandStatus::EsmeRalybnd);
    assert_eq!(esme.ask(Pdu::EnquireLink).await.pdu(), Some(&Pdu::EnquireLinkResp));
    assert_eq!(esme.ask(Pdu::Unbind).await.pdu(), Some(&Pdu::UnbindResp));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_arrives_and_its_receipt_names_it_in_text_and_parameters() {
    let outside = Outside::start().await;
    let mut esme = Esme::bound(&outside).await;
    let id = id_of(&esme.ask(submit(b"Hi \x1b\x65")).await);
    let receipt = esme.delivered().await;
    let text = receipt_text(&receipt);
    assert!(text.starts_with(&format!("id:{id} sub:001 dlvrd:001 submit date:")), "{text}");
    assert!(text.contains(" stat:DELIVRD err:000 text:Hi ?"), "{text}");
    let values: Vec<_> = receipt.tlvs().iter().filter_map(|tlv| tlv.value()).collect();
    assert!(values.contains(&&TlvValue::MessageState(MessageState::Delivered)));
    assert!(values.contains(&&TlvValue::ReceiptedMessageId(c(&id))));
    let inbox = outside.inbox(PHONE, 1).await;
    assert_eq!(inbox[0]["text"], "Hi €");
    assert_eq!(inbox[0]["channel"], "SMS");
    assert_eq!((&inbox[0]["parts"], &inbox[0]["dataCoding"]), (&json!(1), &json!(0)));
    assert_eq!((&inbox[0]["from"], &inbox[0]["id"]), (&json!("SHOP"), &json!(id)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_surrogate_pair_cut_between_two_parts_is_whole_again() {
    let outside = Outside::start().await;
    let mut esme = Esme::bound(&outside).await;
    for (position, half) in [(1, [0xd8, 0x3c]), (2, [0xdf, 0x89])] {
        let mut part = submit(&[&[5, 0, 3, 9, 2, position], half.as_slice()].concat());
        part.esm_class = EsmClass::from(0x40);
        part.data_coding = DataCoding::Ucs2;
        part.registered_delivery = RegisteredDelivery::from(0);
        esme.ask(part).await;
    }
    let inbox = outside.inbox(PHONE, 1).await;
    assert_eq!((&inbox[0]["text"], &inbox[0]["parts"]), (&json!("🎉"), &json!(2)));
}

#[tokio::test(flavor = "multi_thread")]
async fn throttling_hex_ids_early_receipts_and_bad_states_come_on_request() {
    let outside = Outside::start().await;
    let mut esme = Esme::bound(&outside).await;
    outside.faults(json!({"smscThrottle": 1, "smscHexIds": true})).await;
    assert_eq!(esme.ask(submit(b"x")).await.status(), CommandStatus::EsmeRthrottled);
    let hex = id_of(&esme.ask(submit(b"x")).await);
    let decimal = u64::from_str_radix(&hex, 16).unwrap();
    let text = receipt_text(&esme.delivered().await);
    assert!(text.starts_with(&format!("id:{decimal} ")), "{hex}: {text}");

    let faults = json!({"smscHexIds": false, "smscReceiptBeforeResponse": true, "smscReceiptState": "UNDELIV"});
    outside.faults(faults).await;
    esme.write(submit(b"y")).await;
    let text = receipt_text(&esme.delivered().await);
    assert!(text.contains("dlvrd:000") && text.contains("stat:UNDELIV err:001"), "{text}");
    assert!(text.starts_with(&format!("id:{} ", id_of(&esme.next().await))));
    assert_eq!(outside.inbox(PHONE, 1).await.len(), 1, "an undelivered message reached the phone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_a_phone_waits_for_a_receiver_and_is_repeated_if_unanswered() {
    let outside = Outside::start().await;
    let sms = json!({"to": "PATCHBAY", "text": "STOP"});
    let sent = outside.post(&format!("/phones/{PHONE}/sms"), sms).await;
    assert_eq!((&sent["parts"], &sent["receivers"]), (&json!(1), &json!(0)));
    let mut first = Esme::bound(&outside).await;
    let unanswered = first.next().await;
    assert!(matches!(unanswered.pdu(), Some(Pdu::DeliverSm(_))));
    drop(first);
    let mut second = Esme::connect(&outside).await;
    let receiver = BindReceiver::builder()
        .interface_version(InterfaceVersion::Smpp3_4)
        .system_id(c("patchbay"))
        .password(c("secret"))
        .build();
    assert_eq!(second.ask(receiver).await.status(), CommandStatus::EsmeRok);
    let pdu = second.delivered().await;
    assert_eq!(pdu.short_message().to_str().unwrap(), "STOP");
    assert_eq!(pdu.source_addr.as_str(), PHONE);
    assert_eq!(pdu.destination_addr.as_str(), "PATCHBAY");
    assert_eq!(u8::from(pdu.esm_class), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_that_cannot_be_taken_now_comes_again() {
    let outside = Outside::start().await;
    let mut esme = Esme::bound(&outside).await;
    let id = id_of(&esme.ask(submit(b"x")).await);
    for status in [CommandStatus::EsmeRxTAppn, CommandStatus::EsmeRsyserr] {
        let receipt = esme.next().await;
        let Some(Pdu::DeliverSm(pdu)) = receipt.pdu() else { panic!("{receipt:?}") };
        assert!(receipt_text(pdu).contains(&id));
        let response = Command::new(status, receipt.sequence_number(), DeliverSmResp::default());
        esme.framed.send(response).await.unwrap();
    }
    assert!(receipt_text(&esme.delivered().await).contains(&id));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_receipt_of_a_transmitter_goes_to_the_receiver_of_its_system() {
    let outside = Outside::start().await;
    let mut transmitter = Esme::connect(&outside).await;
    let bind = BindTransmitter::builder().system_id(c("other")).password(c("any")).build();
    assert_eq!(transmitter.ask(bind).await.status(), CommandStatus::EsmeRok);
    let mut stranger = Esme::bound(&outside).await;
    let mut receiver = Esme::connect(&outside).await;
    let bind = BindReceiver::builder().system_id(c("other")).password(c("any")).build();
    assert_eq!(receiver.ask(bind).await.status(), CommandStatus::EsmeRok);
    let id = id_of(&transmitter.ask(submit(b"x")).await);
    assert!(receipt_text(&receiver.delivered().await).contains(&id));
    assert_eq!(stranger.ask(Pdu::EnquireLink).await.pdu(), Some(&Pdu::EnquireLinkResp));
}
