//! The carrier of Lite numbers, over a device that a test holds.

use std::{
    path::Path,
    slice,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use channels::{
    carrier::{Carrier, CarrierInbox, Credentials, OutgoingMessage, PresenceRefused, PresenceSignal},
    media_download::{DownloadedMedia, MediaError, MediaExpectation},
    whatsapp_lite::{
        DeviceFailure, DeviceMessage, DeviceNews, LiteCarrier, LiteDevice, LiteDevices, LiteNumber, LiteSender, QrCode,
    },
};
use chrono::{DateTime, NaiveTime, Utc};
use domain::{
    address::{Address, AddressKind},
    carriage::{Acceptance, SendFailure},
    clock::Clock,
    content::{HeaderParameter, MediaKind, OutboundContent, QuickReply, Reaction, TemplateSend},
    ids::MessageId,
    inbox::InboxKind,
    lite::{DailySchedule, NOT_REGISTERED, Throttle, bare_id, scoped_id},
};
use uuid::Uuid;

use crate::carriers::inbox;

/// The requests to a device, and the numbers on WhatsApp.
#[derive(Clone)]
struct Device {
    registered: Result<bool, DeviceFailure>,
    /// The address of every account. `None`: the phone number that was asked for.
    account: Option<Address>,
    sent: Arc<Mutex<Vec<String>>>,
    /// How long a send takes.
    takes: Duration,
}

#[async_trait]
impl LiteDevice for Device {
    async fn start(&self, _holder: &str, _paired: bool) -> Result<(), DeviceFailure> {
        Ok(())
    }

    async fn pair_qr(&self) -> Result<Option<QrCode>, DeviceFailure> {
        Ok(None)
    }

    async fn disconnect(&self) -> Result<(), DeviceFailure> {
        Ok(())
    }

    async fn logout(&self, _holder: &str) -> Result<(), DeviceFailure> {
        Ok(())
    }

    async fn send(&self, message: &DeviceMessage<'_>) -> Result<String, SendFailure> {
        tokio::time::sleep(self.takes).await;
        self.sent
            .lock()
            .unwrap()
            .push(format!("{} to {} {:?} quoting {:?}", message.id, message.to, message.content, message.quoted));
        Ok(message.id.to_owned())
    }

    async fn account_of(&self, phone: &str) -> Result<Option<Address>, DeviceFailure> {
        let asked = || Address::of_kind(AddressKind::Phone, phone).unwrap();
        Ok(self.registered.clone()?.then(|| self.account.clone().unwrap_or_else(asked)))
    }

    async fn mark_read(&self, from: &str, message_id: &str) -> Result<(), DeviceFailure> {
        self.sent.lock().unwrap().push(format!("{message_id} of {from} was read"));
        Ok(())
    }

    async fn typing(&self, to: &str) -> Result<(), DeviceFailure> {
        self.sent.lock().unwrap().push(format!("typing to {to}"));
        Ok(())
    }

    async fn events(&self, _seen: u64) -> Result<DeviceNews, DeviceFailure> {
        Ok(DeviceNews::default())
    }
}

#[async_trait]
impl LiteDevices for Device {
    fn device(&self, _number: &LiteNumber) -> Arc<dyn LiteDevice> {
        Arc::new(self.clone())
    }

    async fn download(&self, url: &str, _: &MediaExpectation, _: &Path) -> Result<DownloadedMedia, MediaError> {
        Err(MediaError::HostNotAllowed(url.to_owned()))
    }
}

/// Noon, in UTC.
struct Noon;

impl Clock for Noon {
    fn now(&self) -> DateTime<Utc> {
        "2026-01-31T12:00:00Z".parse().unwrap()
    }
}

fn carrier(registered: Result<bool, DeviceFailure>) -> (LiteCarrier, Arc<Mutex<Vec<String>>>) {
    with_accounts(registered, None)
}

fn with_accounts(
    registered: Result<bool, DeviceFailure>,
    account: Option<Address>,
) -> (LiteCarrier, Arc<Mutex<Vec<String>>>) {
    let device = Device { registered, account, sent: Arc::default(), takes: Duration::ZERO };
    let sent = Arc::clone(&device.sent);
    (LiteCarrier::new(Arc::new(device), Arc::new(Noon)), sent)
}

fn number(connected: bool, throttle: Throttle, zone: &str) -> CarrierInbox {
    let sender = LiteSender::new("27110000000".parse().unwrap(), connected, throttle, zone);
    CarrierInbox { credentials: Credentials::of(sender), ..inbox(1, InboxKind::WhatsappLite) }
}

fn connected() -> CarrierInbox {
    number(true, Throttle::default(), "UTC")
}

async fn send(carrier: &LiteCarrier, to: &Address, content: &OutboundContent) -> Result<String, SendFailure> {
    send_as(carrier, to, None, content).await.map(|taken| taken.provider_id.unwrap())
}

async fn send_as(
    carrier: &LiteCarrier,
    to: &Address,
    other: Option<&Address>,
    content: &OutboundContent,
) -> Result<Acceptance, SendFailure> {
    let inbox = connected();
    let place = carrier.take(&inbox, 1).unwrap().pop().unwrap();
    let new = OutgoingMessage::new(MessageId(Uuid::from_u128(1)), "pb1:a:b:0", to, content, &());
    carrier.send(&inbox, place, &OutgoingMessage { other, ..new }).await
}

fn phone() -> Address {
    Address::of_kind(AddressKind::Phone, "27820000001").unwrap()
}

fn text(body: &str) -> OutboundContent {
    OutboundContent::Text { body: body.to_owned() }
}

#[tokio::test]
async fn a_number_that_is_not_connected_takes_nothing() {
    let (carrier, _) = carrier(Ok(true));
    let closed = carrier.take(&number(false, Throttle::default(), "UTC"), 1).unwrap_err();
    assert!(closed.reason.contains("not connected"), "{}", closed.reason);
}

#[tokio::test]
async fn the_hours_of_a_number_use_the_time_zone_of_its_client() {
    let (carrier, _) = carrier(Ok(true));
    let time = |hour| NaiveTime::from_hms_opt(hour, 0, 0).unwrap();
    let afternoon =
        Throttle { schedule: Some(DailySchedule { start: time(13), end: time(18) }), ..Throttle::default() };
    assert!(carrier.take(&number(true, afternoon.clone(), "UTC"), 1).is_err(), "noon is before one");
    assert_eq!(carrier.take(&number(true, afternoon, "Africa/Johannesburg"), 1).unwrap().len(), 1, "it is two there");
}

#[tokio::test(start_paused = true)]
async fn the_pause_between_batches_begins_when_the_last_call_has_ended() {
    const SECOND: Duration = Duration::from_secs(1);
    let device = Device { registered: Ok(true), account: None, sent: Arc::default(), takes: 2 * SECOND };
    let carrier = LiteCarrier::new(Arc::new(device), Arc::new(Noon));
    let inbox = number(true, Throttle { batch_size: 2, delay: SECOND, ..Throttle::default() }, "UTC");
    let (to, words) = (phone(), text("hello"));
    let outgoing = OutgoingMessage::new(MessageId(Uuid::from_u128(1)), "pb1:a:b:0", &to, &words, &());
    let started = tokio::time::Instant::now();
    let mut begun = Vec::new();
    while begun.len() < 4 {
        for place in carrier.take(&inbox, 1).unwrap() {
            begun.push(started.elapsed().as_secs());
            carrier.send(&inbox, place, &outgoing).await.unwrap();
        }
        carrier.ready(&inbox).await;
    }
    assert_eq!(begun, [0, 2, 5, 7], "calls take two seconds, and the pause one");
}

#[tokio::test]
async fn a_message_goes_out_under_an_id_that_a_repetition_has_too() {
    let (carrier, sent) = carrier(Ok(true));
    let first = send(&carrier, &phone(), &text("hello")).await.unwrap();
    let second = send(&carrier, &phone(), &text("hello")).await.unwrap();
    assert_eq!(first, second);
    let at_whatsapp = bare_id(&first);
    assert!(at_whatsapp.starts_with("3EB0") && at_whatsapp.len() == 22, "{first}");
    assert_eq!(first, scoped_id(connected().id, at_whatsapp), "ids of two numbers may be equal");
    assert_eq!(sent.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_message_goes_to_the_spelling_that_whatsapp_knows_and_the_customer_learns_it() {
    let asked = Address::of_kind(AddressKind::Phone, "5511987654321").unwrap();
    for account in [(AddressKind::Phone, "551187654321"), (AddressKind::Lid, "100000012345678@lid")] {
        let account = Address::of_kind(account.0, account.1).unwrap();
        let (carrier, sent) = with_accounts(Ok(true), Some(account.clone()));
        let taken = send_as(&carrier, &asked, None, &text("hello")).await.unwrap();
        assert_eq!(taken.learned, slice::from_ref(&account));
        assert!(sent.lock().unwrap()[0].contains(&format!("to {} ", account.value())), "{sent:?}");
    }
    let (carrier, _) = carrier(Ok(true));
    assert!(send_as(&carrier, &asked, None, &text("hello")).await.unwrap().learned.is_empty(), "the same spelling");
}

#[tokio::test]
async fn the_account_of_a_number_that_the_client_gave_with_a_user_id_is_no_evidence() {
    let (carrier, sent) = with_accounts(Ok(true), Address::of_kind(AddressKind::Phone, "551187654321"));
    let (to, other) =
        (Address::of_kind(AddressKind::Bsuid, "BR.1349"), Address::of_kind(AddressKind::Phone, "5511987654321"));
    let taken = send_as(&carrier, &to.unwrap(), other.as_ref(), &text("hello")).await.unwrap();
    assert!(taken.learned.is_empty(), "{taken:?}");
    assert!(sent.lock().unwrap()[0].contains("to 551187654321 "), "{sent:?}");
}

#[tokio::test]
async fn nothing_is_sent_to_a_recipient_that_is_not_on_whatsapp() {
    let (carrier, sent) = carrier(Ok(false));
    let refused = send(&carrier, &phone(), &text("hello")).await.unwrap_err();
    assert!(matches!(&refused, SendFailure::Unreachable(failure) if failure.code == NOT_REGISTERED), "{refused:?}");
    assert!(sent.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_failed_look_up_makes_the_message_wait() {
    let (carrier, sent) = carrier(Err(DeviceFailure::Unreachable("busy".to_owned())));
    let refused = send(&carrier, &phone(), &text("hello")).await.unwrap_err();
    assert!(matches!(refused, SendFailure::NotSent { .. }), "{refused:?}");
    assert!(sent.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_bsuid_alone_is_no_address_of_lite() {
    let (carrier, _) = carrier(Ok(true));
    let refused =
        send(&carrier, &Address::of_kind(AddressKind::Bsuid, "ZA.1349").unwrap(), &text("hello")).await.unwrap_err();
    assert!(matches!(&refused, SendFailure::Rejected(failure) if failure.code == 900_415), "{refused:?}");
}

#[tokio::test]
async fn a_customer_without_a_number_is_written_to_by_the_id_that_whatsapp_gave() {
    // Nothing is looked up: a customer with such an id has an account.
    let (carrier, sent) = carrier(Ok(false));
    let hidden = Address::of_kind(AddressKind::Lid, "100000012345678@lid").unwrap();
    send(&carrier, &hidden, &text("hello")).await.unwrap();
    assert_eq!(sent.lock().unwrap().len(), 1);
    let show = |typing| PresenceSignal { to: &hidden, last_message: Some("3A01"), typing };
    carrier.show(&connected(), &show(false)).await.unwrap();
    carrier.show(&connected(), &show(true)).await.unwrap();
    let shown = &sent.lock().unwrap()[1..];
    assert_eq!(shown, ["3A01 of 100000012345678@lid was read", "typing to 100000012345678@lid"]);
}

#[tokio::test]
async fn a_template_goes_as_its_file_with_words_and_numbered_replies_below() {
    let (carrier, sent) = carrier(Ok(true));
    let template = OutboundContent::Template(TemplateSend {
        id: "1".to_owned(),
        name: "order_ready".to_owned(),
        language: "en".to_owned(),
        header: Some(HeaderParameter { kind: MediaKind::Image, url: "https://host/a.jpg".to_owned(), filename: None }),
        header_text: Vec::new(),
        body: Vec::new(),
        buttons: Vec::new(),
        cards: Vec::new(),
        rendered_text: "Ready".to_owned(),
        replies: vec![QuickReply { label: "Track".to_owned(), payload: "T".to_owned() }],
    });
    send(&carrier, &phone(), &template).await.unwrap();
    let sent = sent.lock().unwrap();
    assert!(sent[0].contains("https://host/a.jpg") && sent[0].contains("Ready\\n1. Track"), "{sent:?}");
}

#[tokio::test]
async fn a_reaction_goes_out_as_one() {
    let (carrier, sent) = carrier(Ok(true));
    let reaction = Reaction { message_id: "3A01".to_owned(), emoji: Some("👍".to_owned()) };
    send(&carrier, &phone(), &OutboundContent::Reaction(reaction)).await.unwrap();
    let sent = sent.lock().unwrap();
    assert!(sent[0].contains("Reaction") && sent[0].contains("3A01"), "{sent:?}");
}

#[tokio::test]
async fn a_customer_sees_read_receipts_and_the_typing_indicator() {
    let (carrier, sent) = carrier(Ok(true));
    let to = phone();
    let show = |last_message, typing| PresenceSignal { to: &to, last_message, typing };
    carrier.show(&connected(), &show(Some("3A01"), false)).await.unwrap();
    carrier.show(&connected(), &show(None, true)).await.unwrap();
    assert_eq!(*sent.lock().unwrap(), ["3A01 of 27820000001 was read", "typing to 27820000001"]);
    assert_eq!(carrier.show(&connected(), &show(None, false)).await, Err(PresenceRefused::NothingToRead));
    let off = number(false, Throttle::default(), "UTC");
    assert!(matches!(carrier.show(&off, &show(Some("3A01"), false)).await, Err(PresenceRefused::Failed(_))));
}

#[tokio::test]
async fn devices_get_the_ids_of_whatsapp_in_quotes_reactions_and_read_receipts() {
    let (carrier, sent) = carrier(Ok(true));
    let (inbox, to, words) = (connected(), phone(), text("hello"));
    let stored = scoped_id(inbox.id, "3A01");
    let place = carrier.take(&inbox, 1).unwrap().pop().unwrap();
    let new = OutgoingMessage::new(MessageId(Uuid::from_u128(1)), "pb1:a:b:0", &to, &words, &());
    carrier.send(&inbox, place, &OutgoingMessage { quoted: Some(&stored), ..new }).await.unwrap();
    let reaction = Reaction { message_id: stored.clone(), emoji: Some("👍".to_owned()) };
    send(&carrier, &to, &OutboundContent::Reaction(reaction)).await.unwrap();
    let show = PresenceSignal { to: &to, last_message: Some(&stored), typing: false };
    carrier.show(&inbox, &show).await.unwrap();
    let sent = sent.lock().unwrap();
    assert!(sent.iter().all(|asked| asked.contains("3A01") && !asked.contains(&stored)), "{sent:?}");
}
