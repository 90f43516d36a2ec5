//! WhatsApp Lite: numbers that are paired like a phone (PROVIDERS D, ADR 0024). A [`LiteDevice`] is what stands behind one of
//! them, whoever implements it; the [`LiteCarrier`] sends through it.

pub mod bridge;
mod carrier;
#[cfg(feature = "lite-native")]
pub mod native;
pub mod simulated;
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

pub use carrier::{LiteCarrier, LiteSender};

use crate::whatsapp_cloud::{DownloadedMedia, MediaError, MediaExpectation};

/// Our own code of a message that the device of a Lite number did not take, or could not send; why is in the text.
pub const REFUSED_BY_DEVICE: i64 = OwnCode::RefusedByDevice.code();

/// Which number a device stands behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteNumber {
    /// Whose it is.
    pub client: ClientId,
    /// Its inbox.
    pub inbox: InboxId,
    /// The number itself.
    pub msisdn: Msisdn,
}

/// A QR code that waits to be scanned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QrCode {
    /// What is in the picture.
    pub text: String,
    /// How long it can be scanned, from now, in seconds.
    pub seconds: u32,
}

/// What a device tells.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceEvent {
    /// The connection moved.
    Session(SessionNews),
    /// WhatsApp has flagged the number: it may connect again after so many seconds.
    Banned(u32),
    /// A code waits to be scanned; the one before it has run out.
    Qr(QrCode),
    /// A customer wrote.
    Came(Box<InboundMessage>),
    /// A message that went out has come further.
    Moved(StatusUpdate),
    /// Something that cannot be read, or has no place in a chat between two.
    Unreadable(UnreadableItem),
    /// Something that has no effect here.
    Ignored(IgnoredItem),
    /// The business wrote with the number by other means than ours: on its phone.
    Echoed(Box<Echo>),
    /// The author of a message edited or deleted it.
    Changed(Box<MessageChange>),
}

/// Events, oldest first. They come again until a call says that they are done with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct News {
    /// Say this in the next call when all of them are on disk.
    pub last: u64,
    /// The events.
    pub events: Vec<DeviceEvent>,
}

/// Why a device did not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceFailure {
    /// WhatsApp has flagged the number.
    #[error("the number is flagged and may connect again in {0} seconds")]
    Banned(u32),
    /// The device is there, and not connected to WhatsApp.
    #[error("the device is not connected")]
    NotConnected,
    /// Nobody answered, or could not say.
    #[error("the device could not be asked: {0}")]
    Unreachable(String),
    /// It will not.
    #[error("the device refused: {0}")]
    Refused(String),
}

/// What a message says, as far as a device can say it: it knows neither templates nor buttons.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceContent<'a> {
    /// Words.
    Text(&'a str),
    /// A file by link.
    Media {
        /// How it is shown.
        kind: MediaKind,
        /// Where it is.
        url: &'a str,
        /// Words below it.
        caption: Option<&'a str>,
        /// Name of a document.
        filename: Option<&'a str>,
    },
    /// A place on the map.
    Location(&'a Location),
    /// A reaction to a message that the customer wrote, or taking one back.
    Reaction(&'a Reaction),
}

/// A message on its way out.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceMessage<'a> {
    /// Its id, made from ours: sent again, it is the same message to those who know ids that senders choose.
    pub id: &'a str,
    /// Phone number in digits, or what WhatsApp calls a customer whose number it hides: `100000012345678@lid`.
    pub to: &'a str,
    /// What it says.
    pub content: DeviceContent<'a>,
    /// The message that it quotes.
    pub quoted: Option<Quoted<'a>>,
}

/// A message of the chat that another one quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quoted<'a> {
    /// Its id.
    pub id: &'a str,
    /// It went out from the number; otherwise the customer wrote it. Devices name a message by this, too.
    pub ours: bool,
}

/// The device behind one number. Every node may send through it; only the one that holds its session (ADR 0024) starts it,
/// ends it and takes its events.
#[async_trait]
pub trait LiteDevice: Send + Sync + 'static {
    /// Connects, for the process named by `holder`; what comes of it is told as events. A connection that this process has
    /// already stays as it is. `paired`: there is a pairing to go on with; without, a device that lives in the process begins
    /// anew, whatever it remembers of one that ended.
    async fn start(&self, holder: &str, paired: bool) -> Result<(), DeviceFailure>;

    /// The code that waits to be scanned, if there is one.
    async fn pair_qr(&self) -> Result<Option<QrCode>, DeviceFailure>;

    /// Ends the connection; the pairing stays.
    async fn disconnect(&self) -> Result<(), DeviceFailure>;

    /// Ends connection and pairing, for the process named by `holder`.
    async fn logout(&self, holder: &str) -> Result<(), DeviceFailure>;

    /// Sends, and answers the id that receipts will name.
    async fn send(&self, message: &DeviceMessage<'_>) -> Result<String, SendFailure>;

    /// Whether a phone number is on WhatsApp. An error says nothing about it.
    async fn is_registered(&self, phone: &str) -> Result<bool, DeviceFailure>;

    /// Shows a customer that a message was read.
    async fn mark_read(&self, from: &str, message_id: &str) -> Result<(), DeviceFailure>;

    /// Shows a customer that somebody is writing.
    async fn typing(&self, to: &str) -> Result<(), DeviceFailure>;

    /// What has happened after the event `seen`, which are done with up to there; waits a moment for it.
    async fn events(&self, seen: u64) -> Result<News, DeviceFailure>;

    /// This process holds the session no more: a device that lives in it lets go of its connection, so that the next holder's
    /// is the only one. The pairing stays. Does nothing to devices that every process reaches.
    async fn let_go(&self) {}
}

/// A call of a bridge, as it came in.
#[derive(Debug, Clone, Copy)]
pub struct BridgeCallback<'a> {
    /// The raw bytes.
    pub body: &'a [u8],
    /// What it says is the signature over them.
    pub signature: Option<&'a str>,
}

/// Why a call of a bridge is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallbackRefused {
    /// The signature is missing or wrong.
    #[error("the signature is missing or wrong")]
    BadSignature,
    /// It is signed, and no event.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// These devices tell everything when they are asked.
    #[error("nobody is expected to call")]
    NotExpected,
}

/// Where devices come from.
#[async_trait]
pub trait LiteDevices: Send + Sync + 'static {
    /// The device behind a number.
    fn device(&self, number: &LiteNumber) -> Arc<dyn LiteDevice>;

    /// Whether a device lives in the process that holds its session: then messages go out from that one only.
    fn live_in_the_process(&self) -> bool {
        false
    }

    /// Fetches a file that a customer sent, from the address that came with it.
    async fn download(
        &self,
        url: &str,
        expectation: &MediaExpectation,
        to: &Path,
    ) -> Result<DownloadedMedia, MediaError>;

    /// Whether a call is a bridge's. Takes time that grows with the length of the body and no faster.
    fn verify(&self, _callback: &BridgeCallback<'_>) -> Result<(), CallbackRefused> {
        Err(CallbackRefused::NotExpected)
    }

    /// What the body of a call tells whose signature is right.
    fn told(&self, _body: &[u8]) -> Result<Vec<DeviceEvent>, CallbackRefused> {
        Err(CallbackRefused::NotExpected)
    }
}

/// When something happened, as a device says it: ISO 8601.
fn moment(text: Option<&str>) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text?).ok().map(|at| at.with_timezone(&Utc))
}
