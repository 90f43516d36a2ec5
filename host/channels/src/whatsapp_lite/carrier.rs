//! Lite devices as a carrier: a place is one call in flight and one message of the number's batch.

use std::{borrow::Cow, collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    address::{Address, AddressKind},
    carriage::{Acceptance, SendFailure},
    clock::Clock,
    content::{OutboundContent, Reaction},
    ids::InboxId,
    inbound::ProviderFailure,
    inbox::InboxKind,
    lite::{self, NOT_REGISTERED, Throttle, id_at_whatsapp, scoped_id},
};
use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest, Sha256};
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

use super::{
    DeviceContent, DeviceFailure, DeviceMessage, DeviceQuote, LiteDevice, LiteDevices, LiteNumber,
    sender::LiteSender,
    throttling::{Batches, WINDOW},
};
use crate::carrier::{
    Carrier, CarrierInbox, CarrierPause, OutgoingMessage, POLL_INTERVAL, PresenceRefused, PresenceSignal, SendPlace,
    UnsupportedContent,
};

/// Time after which a disconnected number is tried again; its session opens the lane earlier.
const DISCONNECTED: Duration = Duration::from_secs(600);
/// Longest wait for the next day, because clocks change.
const CLOSED_DAY: Duration = Duration::from_secs(600);
/// How long the loaded settings of a number are valid: its client may change them.
const SETTINGS_LAST: Duration = Duration::from_secs(5);

pub struct LiteCarrier {
    devices: Arc<dyn LiteDevices>,
    clock: Arc<dyn Clock>,
    gates: Mutex<HashMap<InboxId, Arc<NumberGate>>>,
}

impl LiteCarrier {
    pub fn new(devices: Arc<dyn LiteDevices>, clock: Arc<dyn Clock>) -> Self {
        Self { devices, clock, gates: Mutex::default() }
    }

    fn gate(&self, inbox: &CarrierInbox) -> Arc<NumberGate> {
        let mut gates = self.gates.lock();
        Arc::clone(gates.entry(inbox.id).or_default())
    }

    fn closed_until(&self, number: Option<&LiteSender>) -> Option<CarrierPause> {
        let Some(number) = number.filter(|number| number.connected) else {
            let reason = "the number is not connected to WhatsApp".to_owned();
            return Some(CarrierPause { reason, look_again: DISCONNECTED });
        };
        let wall = self.clock.now().with_timezone(&number.time_zone).time();
        let wait = number.throttle.schedule?.opens_in(wall)?.to_std().unwrap_or_default();
        let reason = "it is not the time of day at which the number sends".to_owned();
        Some(CarrierPause { reason, look_again: wait.min(CLOSED_DAY) })
    }
}

#[derive(Default)]
struct NumberGate {
    batches: Mutex<Batches>,
    freed: Notify,
}

impl NumberGate {
    fn batches(&self) -> MutexGuard<'_, Batches> {
        self.batches.lock()
    }
}

/// A call in flight, or about to begin. If it is dropped before the call, it also gives its message of the batch back.
struct Call {
    gate: Arc<NumberGate>,
    made: bool,
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut batches = self.gate.batches();
        match self.made {
            true => batches.end_call(Instant::now()),
            false => batches.give_back(),
        }
        drop(batches);
        self.gate.freed.notify_one();
    }
}

fn sender_of(inbox: &CarrierInbox) -> Option<&LiteSender> {
    inbox.credentials.get()
}

fn throttle_of(inbox: &CarrierInbox) -> Throttle {
    sender_of(inbox).map(|number| number.throttle.clone()).unwrap_or_default()
}

#[async_trait]
impl Carrier for LiteCarrier {
    fn kind(&self) -> InboxKind {
        InboxKind::WhatsappLite
    }

    fn window(&self, _inbox: &CarrierInbox) -> usize {
        WINDOW
    }

    fn take(&self, inbox: &CarrierInbox, wanted: usize) -> Result<Vec<SendPlace>, CarrierPause> {
        let number = sender_of(inbox);
        if let Some(closed) = self.closed_until(number) {
            return Err(closed);
        }
        let Throttle { batch_size, delay, .. } = throttle_of(inbox);
        let gate = self.gate(inbox);
        let taken = gate.batches().take(wanted, batch_size, delay, Instant::now());
        Ok((0..taken).map(|_| SendPlace::of(Call { gate: Arc::clone(&gate), made: false })).collect())
    }

    async fn ready(&self, inbox: &CarrierInbox) {
        let gate = self.gate(inbox);
        let wait = gate.batches().wait(throttle_of(inbox).delay, Instant::now()).min(POLL_INTERVAL);
        if !wait.is_zero() {
            // Both cases need a new check.
            let _ = timeout(wait, gate.freed.notified()).await;
        }
    }

    fn asks_who_is_quoted(&self) -> bool {
        true
    }

    fn settings_last(&self) -> Option<Duration> {
        Some(SETTINGS_LAST)
    }

    fn carry<'a>(&self, content: &'a OutboundContent) -> Result<Cow<'a, OutboundContent>, UnsupportedContent> {
        let nothing = || UnsupportedContent { reason: "the message has no text".to_owned() };
        match content {
            OutboundContent::Text { .. }
            | OutboundContent::Media(_)
            | OutboundContent::Location(_)
            | OutboundContent::Reaction(_) => Ok(Cow::Borrowed(content)),
            OutboundContent::Template(template) => {
                let text = lite::text_of(content);
                let Some(header) = &template.header else {
                    return Ok(Cow::Owned(OutboundContent::Text { body: text.ok_or_else(nothing)? }));
                };
                Ok(Cow::Owned(OutboundContent::Media(domain::content::OutboundMedia {
                    kind: header.kind,
                    url: header.url.clone(),
                    caption: text,
                    filename: header.filename.clone(),
                })))
            }
            OutboundContent::Buttons(_) | OutboundContent::List(_) | OutboundContent::Sms(_) => {
                Ok(Cow::Owned(OutboundContent::Text { body: lite::text_of(content).ok_or_else(nothing)? }))
            }
        }
    }

    async fn send(
        &self,
        inbox: &CarrierInbox,
        place: SendPlace,
        outgoing: &OutgoingMessage<'_>,
    ) -> Result<Acceptance, SendFailure> {
        let (Some(mut call), Some(number)) = (place.into_held::<Call>(), sender_of(inbox)) else {
            let reason = "no place or no number for a message over Lite".to_owned();
            return Err(SendFailure::NotSent { reason, after: None });
        };
        let Some(to) = written_to(outgoing.to, outgoing.other) else {
            let reason =
                "a Lite number writes to phone numbers, and to customers who wrote to it without one".to_owned();
            return Err(UnsupportedContent { reason }.into());
        };
        let content = with_ids_of_whatsapp(self.carry(outgoing.content)?);
        let number = LiteNumber { client: inbox.client, inbox: inbox.id, msisdn: number.msisdn.clone() };
        let device = self.devices.device(&number);
        let account = account_of(device.as_ref(), to).await?;
        call.made = true;
        let id = message_id(outgoing.opaque);
        let quoted = outgoing.quoted.map(|id| DeviceQuote { id: id_at_whatsapp(id), ours: outgoing.quotes_ours });
        let message = DeviceMessage { id: &id, to: account.value(), content: of(&content)?, quoted };
        let provider_id = Some(scoped_id(inbox.id, &device.send(&message).await?));
        // A second address is a claim of the client, so its account says nothing about the first.
        let learned = Some(account).filter(|account| account != to && to == outgoing.to).into_iter().collect();
        Ok(Acceptance { provider_id, learned, ..Acceptance::default() })
    }

    async fn show(&self, inbox: &CarrierInbox, presence: &PresenceSignal<'_>) -> Result<(), PresenceRefused> {
        let to = written_to(presence.to, None).ok_or(PresenceRefused::NoSuchThing)?.value();
        let number = sender_of(inbox).ok_or(PresenceRefused::NoSuchThing)?;
        if !number.connected {
            return Err(PresenceRefused::Failed("the number is not connected to WhatsApp".to_owned()));
        }
        let number = LiteNumber { client: inbox.client, inbox: inbox.id, msisdn: number.msisdn.clone() };
        let device = self.devices.device(&number);
        let failed = |failure: DeviceFailure| PresenceRefused::Failed(failure.to_string());
        match (presence.typing, presence.last_message) {
            (true, _) => device.typing(to).await.map_err(failed),
            (false, Some(message)) => device.mark_read(to, id_at_whatsapp(message)).await.map_err(failed),
            (false, None) => Err(PresenceRefused::NothingToRead),
        }
    }
}

/// The address for a device: the phone number, otherwise WhatsApp's id of a customer with a hidden number.
fn written_to<'a>(to: &'a Address, other: Option<&'a Address>) -> Option<&'a Address> {
    let is_a = |kind: AddressKind| move |address: &&Address| address.kind() == kind;
    let both = || std::iter::once(to).chain(other);
    both().find(is_a(AddressKind::Phone)).or_else(|| both().find(is_a(AddressKind::Lid)))
}

/// The address of the recipient's account. WhatsApp may know a phone number by its other spelling, or by a hidden id.
async fn account_of(device: &dyn LiteDevice, to: &Address) -> Result<Address, SendFailure> {
    // A customer with an id of WhatsApp has an account.
    if to.kind() != AddressKind::Phone {
        return Ok(to.clone());
    }
    match device.account_of(to.value()).await {
        Ok(Some(account)) => Ok(account),
        Ok(None) => {
            let text = "the number is not registered on WhatsApp".to_owned();
            Err(SendFailure::Unreachable(ProviderFailure { code: NOT_REGISTERED, text }))
        }
        // A failed look-up is no reason for an SMS.
        Err(failure) => Err(SendFailure::NotSent { reason: failure.to_string(), after: None }),
    }
}

/// The content with the ids of WhatsApp in place of the stored ones.
fn with_ids_of_whatsapp(content: Cow<'_, OutboundContent>) -> Cow<'_, OutboundContent> {
    match content.as_ref() {
        OutboundContent::Reaction(Reaction { message_id, emoji }) => {
            let reaction = Reaction { message_id: id_at_whatsapp(message_id).to_owned(), emoji: emoji.clone() };
            Cow::Owned(OutboundContent::Reaction(reaction))
        }
        _ => content,
    }
}

fn of(content: &OutboundContent) -> Result<DeviceContent<'_>, UnsupportedContent> {
    match content {
        OutboundContent::Text { body } => Ok(DeviceContent::Text(body)),
        OutboundContent::Media(media) => Ok(DeviceContent::Media {
            kind: media.kind,
            url: &media.url,
            caption: media.caption.as_deref(),
            filename: media.filename.as_deref(),
        }),
        OutboundContent::Location(place) => Ok(DeviceContent::Location(place)),
        OutboundContent::Reaction(reaction) => Ok(DeviceContent::Reaction(reaction)),
        OutboundContent::Template(_)
        | OutboundContent::Buttons(_)
        | OutboundContent::List(_)
        | OutboundContent::Sms(_) => {
            Err(UnsupportedContent { reason: "a Lite device sends words, files, places and reactions".to_owned() })
        }
    }
}

/// The id of a message in the form of devices, made from our name of the leg, so that a repetition is the same message.
fn message_id(opaque: &str) -> String {
    let digest = hex::encode_upper(Sha256::digest(opaque));
    format!("3EB0{}", digest.get(..18).unwrap_or(&digest))
}
