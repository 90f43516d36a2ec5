//! WhatsApp Lite: numbers that are paired like a phone (PROVIDERS D, ADR 0024).

pub mod bridge;
mod carrier;
mod placeholder;
mod registration;
mod sender;
pub mod simulated_devices;
mod throttling;
pub mod values;

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    carriage::SendFailure,
    change::MessageChange,
    content::{Location, MediaKind, Reaction},
    failure_code::OwnCode,
    ids::{ClientId, InboxId},
    inbound::{Echo, IgnoredItem, InboundMessage, StatusUpdate, UnreadableItem},
    lite::SessionNews,
    phone::Msisdn,
};

use crate::media_download::{DownloadedMedia, MediaError, MediaExpectation};
pub use crate::whatsapp_cloud::callback::echo::as_sent;
pub use carrier::LiteCarrier;
pub use placeholder::{placeholder_of, unread_content};
pub use sender::LiteSender;

/// Our own code of a message that the device of a Lite number refused or could not send; the text has the reason.
pub const REFUSED_BY_DEVICE: i64 = OwnCode::RefusedByDevice.code();

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteNumber {
    pub client: ClientId,
    pub inbox: InboxId,
    pub msisdn: Msisdn,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QrCode {
    pub text: String,
    /// Seconds from now in which it can be scanned.
    pub seconds: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DeviceEvent {
    /// The state of the connection changed.
    Session(SessionNews),
    /// WhatsApp has flagged the number: it may connect again after this many seconds.
    Banned(u32),
    /// A code is to be scanned; the one before it has expired.
    Qr(QrCode),
    Came(Box<InboundMessage>),
    /// The state of a sent message changed.
    Moved(StatusUpdate),
    /// An unreadable item, or one that has no place in a chat between two.
    Unreadable(UnreadableItem),
    Ignored(IgnoredItem),
    /// The business wrote with the number elsewhere, on its phone.
    Echoed(Box<Echo>),
    /// A message that was sent through the engine, so by us. The answer to its call may be lost.
    SentByUs(Box<Echo>),
    /// A message of the number, and the engine does not say whether we or the phone sent it.
    SentBySomeDevice(Box<Echo>),
    /// The author of a message edited or deleted it.
    Changed(Box<MessageChange>),
}

/// Events, oldest first. They are repeated until a call acknowledges them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeviceNews {
    /// Pass this in the next call after all of them are on disk.
    pub last: u64,
    pub events: Vec<DeviceEvent>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceFailure {
    /// WhatsApp has flagged the number.
    #[error("the number is flagged and may connect again in {0} seconds")]
    Banned(u32),
    /// The device exists and is not connected to WhatsApp.
    #[error("the device is not connected")]
    NotConnected,
    /// There was no answer, or a useless one.
    #[error("the device could not be reached: {0}")]
    Unreachable(String),
    #[error("the device refused: {0}")]
    Refused(String),
}

/// Content for a device, which knows neither templates nor buttons.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceContent<'a> {
    Text(&'a str),
    Media {
        kind: MediaKind,
        url: &'a str,
        caption: Option<&'a str>,
        filename: Option<&'a str>,
    },
    Location(&'a Location),
    /// A reaction to a message of the customer, or its removal.
    Reaction(&'a Reaction),
}

#[derive(Debug, Clone, PartialEq)]
pub struct DeviceMessage<'a> {
    /// Its id, made from ours. A repetition is the same message for engines that take ids from senders.
    pub id: &'a str,
    /// Phone number in digits, or WhatsApp's id of a customer with a hidden number: `100000012345678@lid`.
    pub to: &'a str,
    pub content: DeviceContent<'a>,
    pub quoted: Option<DeviceQuote<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceQuote<'a> {
    pub id: &'a str,
    /// True if the number sent it, false if the customer did. Devices need this to find a message.
    pub ours: bool,
}

/// Every node may send through it. Only the node that holds its session (ADR 0024) starts it, ends it and takes its events.
#[async_trait]
pub trait LiteDevice: Send + Sync + 'static {
    /// The result comes as events; an existing connection of this process stays. Without `paired`, a device in this
    /// process begins again and ignores a pairing that ended.
    async fn start(&self, holder: &str, paired: bool) -> Result<(), DeviceFailure>;

    async fn pair_qr(&self) -> Result<Option<QrCode>, DeviceFailure>;

    /// Ends the connection; the pairing stays.
    async fn disconnect(&self) -> Result<(), DeviceFailure>;

    /// Ends connection and pairing, for the process `holder`.
    async fn logout(&self, holder: &str) -> Result<(), DeviceFailure>;

    /// Sends, and returns the id that receipts will name.
    async fn send(&self, message: &DeviceMessage<'_>) -> Result<String, SendFailure>;

    /// The account of a phone number, by the address that WhatsApp knows: numbers of Brazil, Argentina and Mexico have
    /// two spellings, and one of them receives nothing. `None` if it is not on WhatsApp. After an error this is
    /// unknown.
    async fn account_of(&self, phone: &str) -> Result<Option<Address>, DeviceFailure>;

    async fn mark_read(&self, from: &str, message_id: &str) -> Result<(), DeviceFailure>;

    async fn typing(&self, to: &str) -> Result<(), DeviceFailure>;

    /// Returns the events after `seen`, and acknowledges those up to it; waits a moment for them.
    async fn events(&self, seen: u64) -> Result<DeviceNews, DeviceFailure>;

    /// The session is lost: a device in this process ends its connection, so that the next holder has the only one.
    async fn let_go(&self) {}
}

#[derive(Debug, Clone, Copy)]
pub struct BridgeCallback<'a> {
    pub body: &'a [u8],
    pub signature: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BridgeCallbackRefused {
    #[error("the signature is missing or wrong")]
    BadSignature,
    /// It is signed, but not an event.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// These devices send no calls.
    #[error("this service expects no callbacks of a bridge")]
    NotExpected,
}

#[async_trait]
pub trait LiteDevices: Send + Sync + 'static {
    fn device(&self, number: &LiteNumber) -> Arc<dyn LiteDevice>;

    /// True if a device runs in the process that holds its session. Then only this process sends messages.
    fn live_in_the_process(&self) -> bool {
        false
    }

    /// Downloads a file of a customer from the address that came with it.
    async fn download(
        &self,
        url: &str,
        expectation: &MediaExpectation,
        to: &Path,
    ) -> Result<DownloadedMedia, MediaError>;

    /// Checks that a call is from a bridge, in time linear in the length of the body.
    fn verify(&self, _callback: &BridgeCallback<'_>) -> Result<(), BridgeCallbackRefused> {
        Err(BridgeCallbackRefused::NotExpected)
    }

    fn parse_events(&self, _body: &[u8]) -> Result<Vec<DeviceEvent>, BridgeCallbackRefused> {
        Err(BridgeCallbackRefused::NotExpected)
    }
}

fn phone_address(phone: &str) -> Result<Address, DeviceFailure> {
    let unknown = || DeviceFailure::Refused("it looks up phone numbers only".to_owned());
    Address::of_kind(AddressKind::Phone, phone).ok_or_else(unknown)
}

/// A time of a device: ISO 8601.
fn moment(text: Option<&str>) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text?).ok().map(|at| at.with_timezone(&Utc))
}
