//! WhatsApp Lite: numbers that are paired like a phone (PROVIDERS D, ADR 0024). A [`LiteDevice`] is the device of a
//! number; the [`LiteCarrier`] sends through it.

pub mod bridge;
mod carrier;
#[cfg(feature = "lite-native")]
pub mod native_device;
mod sender;
pub mod simulated_devices;
mod throttling;
pub mod values;

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    carriage::SendFailure,
    change::MessageChange,
    content::{Location, MediaKind, Reaction},
    failure_code::OwnCode,
    ids::{ClientId, InboxId},
    inbound::{Echo, IgnoredItem, InboundMessage, StatusUpdate, UnreadableItem},
    lite::SessionNews,
    phone::Msisdn,
};

use crate::whatsapp_cloud::{DownloadedMedia, MediaError, MediaExpectation};
pub use carrier::LiteCarrier;
pub use sender::LiteSender;

/// Our own code of a message that the device of a Lite number refused or could not send; the text has the reason.
pub const REFUSED_BY_DEVICE: i64 = OwnCode::RefusedByDevice.code();

/// The number of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteNumber {
    /// Its client.
    pub client: ClientId,
    /// Its inbox.
    pub inbox: InboxId,
    /// The number itself.
    pub msisdn: Msisdn,
}

/// A QR code to be scanned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QrCode {
    /// The content of the picture.
    pub text: String,
    /// Seconds from now in which it can be scanned.
    pub seconds: u32,
}

/// An event of a device.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceEvent {
    /// The state of the connection changed.
    Session(SessionNews),
    /// WhatsApp has flagged the number: it may connect again after this many seconds.
    Banned(u32),
    /// A code is to be scanned; the one before it has expired.
    Qr(QrCode),
    /// A customer wrote.
    Came(Box<InboundMessage>),
    /// The state of a sent message changed.
    Moved(StatusUpdate),
    /// An unreadable item, or one that has no place in a chat between two.
    Unreadable(UnreadableItem),
    /// An item without an effect here.
    Ignored(IgnoredItem),
    /// The business wrote with the number elsewhere, on its phone.
    Echoed(Box<Echo>),
    /// The author of a message edited or deleted it.
    Changed(Box<MessageChange>),
}

/// Events, oldest first. They are repeated until a call acknowledges them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeviceNews {
    /// Pass this in the next call after all of them are on disk.
    pub last: u64,
    /// The events.
    pub events: Vec<DeviceEvent>,
}

/// The reason why a device did not carry out a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceFailure {
    /// WhatsApp has flagged the number.
    #[error("the number is flagged and may connect again in {0} seconds")]
    Banned(u32),
    /// The device exists and is not connected to WhatsApp.
    #[error("the device is not connected")]
    NotConnected,
    /// There was no answer, or a useless one.
    #[error("the device could not be asked: {0}")]
    Unreachable(String),
    /// It refused.
    #[error("the device refused: {0}")]
    Refused(String),
}

/// Content for a device, which knows neither templates nor buttons.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceContent<'a> {
    /// A text.
    Text(&'a str),
    /// A file by link.
    Media {
        /// Its kind.
        kind: MediaKind,
        /// Its address.
        url: &'a str,
        /// Its caption.
        caption: Option<&'a str>,
        /// Name of a document.
        filename: Option<&'a str>,
    },
    /// A location.
    Location(&'a Location),
    /// A reaction to a message of the customer, or its removal.
    Reaction(&'a Reaction),
}

/// An outgoing message.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceMessage<'a> {
    /// Its id, made from ours. A repetition is the same message for engines that take ids from senders.
    pub id: &'a str,
    /// Phone number in digits, or WhatsApp's id of a customer with a hidden number: `100000012345678@lid`.
    pub to: &'a str,
    /// The content.
    pub content: DeviceContent<'a>,
    /// The quoted message.
    pub quoted: Option<DeviceQuote<'a>>,
}

/// A quoted message of the chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceQuote<'a> {
    /// Its id.
    pub id: &'a str,
    /// True if the number sent it, false if the customer did. Devices need this to find a message.
    pub ours: bool,
}

/// The device of one number. Every node may send through it. Only the node that holds its session (ADR 0024) starts it,
/// ends it and takes its events.
#[async_trait]
pub trait LiteDevice: Send + Sync + 'static {
    /// Connects, for the process `holder`; the result comes as events. An existing connection of this process stays.
    /// `paired`: there is a pairing. Without one, a device in this process begins anew and ignores a pairing that
    /// ended.
    async fn start(&self, holder: &str, paired: bool) -> Result<(), DeviceFailure>;

    /// Returns the code to be scanned, if there is one.
    async fn pair_qr(&self) -> Result<Option<QrCode>, DeviceFailure>;

    /// Ends the connection; the pairing stays.
    async fn disconnect(&self) -> Result<(), DeviceFailure>;

    /// Ends connection and pairing, for the process `holder`.
    async fn logout(&self, holder: &str) -> Result<(), DeviceFailure>;

    /// Sends, and returns the id that receipts will name.
    async fn send(&self, message: &DeviceMessage<'_>) -> Result<String, SendFailure>;

    /// True if a phone number is on WhatsApp. After an error this is unknown.
    async fn is_registered(&self, phone: &str) -> Result<bool, DeviceFailure>;

    /// Shows a customer that a message was read.
    async fn mark_read(&self, from: &str, message_id: &str) -> Result<(), DeviceFailure>;

    /// Shows a customer that an agent is typing.
    async fn typing(&self, to: &str) -> Result<(), DeviceFailure>;

    /// Returns the events after `seen`, and acknowledges those up to it; waits a moment for them.
    async fn events(&self, seen: u64) -> Result<DeviceNews, DeviceFailure>;

    /// This process no longer holds the session: a device in it ends its connection, so that the next holder has the
    /// only one. The pairing stays. Does nothing for devices that every process reaches.
    async fn let_go(&self) {}
}

/// A call of a bridge.
#[derive(Debug, Clone, Copy)]
pub struct BridgeCallback<'a> {
    /// The raw bytes.
    pub body: &'a [u8],
    /// Its signature over them.
    pub signature: Option<&'a str>,
}

/// The reason why a call of a bridge is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BridgeCallbackRefused {
    /// The signature is missing or wrong.
    #[error("the signature is missing or wrong")]
    BadSignature,
    /// It is signed, but not an event.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// These devices send no calls.
    #[error("nobody is expected to call")]
    NotExpected,
}

/// The source of devices.
#[async_trait]
pub trait LiteDevices: Send + Sync + 'static {
    /// The device of a number.
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

    /// Reads the events of a call with a correct signature.
    fn told(&self, _body: &[u8]) -> Result<Vec<DeviceEvent>, BridgeCallbackRefused> {
        Err(BridgeCallbackRefused::NotExpected)
    }
}

/// A time of a device: ISO 8601.
fn moment(text: Option<&str>) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text?).ok().map(|at| at.with_timezone(&Utc))
}
