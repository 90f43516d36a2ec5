//! SMPP as a carrier: a place is an unanswered submit in the window of a bind, and room until the outcome is on disk.
//! Parts go side by side while no other message needs the room.

use std::{
    borrow::Cow,
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use domain::{
    address::AddressKind,
    carriage::{Acceptance, SendFailure},
    content::OutboundContent,
    failure_code::OwnCode,
    ids::InboxId,
    inbound::ProviderFailure,
    inbox::InboxKind,
    segments::{self, Encoding, SegmentedText, TooManySegments, udh},
};
use futures::{StreamExt, stream::FuturesUnordered};

use super::{
    SmppGateway, SubmitFailure, SubmittedPart, SubmittedSms,
    part_references::PartReferences,
    plain_text::{carriable_content, text_of},
    slot::Slot,
    window::DoubtRoom,
};
use crate::carrier::{Carrier, CarrierInbox, CarrierPause, OutgoingMessage, PartTaken, SendPlace, UnsupportedContent};

/// Our own code of an SMS that the SMSC refused; the SMSC's status is in the text.
pub const REFUSED_BY_SMSC: i64 = OwnCode::RefusedBySmsc.code();
/// Our own code of an SMS whose repeated submit had no answer either.
pub const NO_ANSWER_FROM_SMSC: i64 = OwnCode::NoAnswerFromSmsc.code();
/// Time until the next check if no SMSC is configured.
const NOT_CONFIGURED: Duration = Duration::from_secs(60);

pub struct SmppCarrier {
    gateway: SmppGateway,
    references: PartReferences,
}

impl SmppCarrier {
    pub fn new(gateway: SmppGateway) -> Self {
        Self { gateway, references: PartReferences::default() }
    }
}

struct Room {
    gateway: SmppGateway,
    inbox: InboxId,
    slot: Option<Slot>,
    in_doubt: Arc<DoubtRoom>,
}

impl Drop for Room {
    fn drop(&mut self) {
        if self.slot.is_some() {
            self.gateway.has_enough(self.inbox);
        }
    }
}

#[async_trait]
impl Carrier for SmppCarrier {
    fn kind(&self) -> InboxKind {
        InboxKind::Sms
    }

    fn window(&self, _inbox: &CarrierInbox) -> usize {
        self.gateway.window()
    }

    fn take(&self, inbox: &CarrierInbox, wanted: usize) -> Result<Vec<SendPlace>, CarrierPause> {
        if !self.gateway.is_configured() {
            let reason = "no SMSC is configured (smpp.url)".to_owned();
            return Err(CarrierPause { reason, look_again: NOT_CONFIGURED });
        }
        if !self.gateway.is_connected() {
            let look_again = self.gateway.look_again();
            return Err(CarrierPause { reason: "no SMSC is connected".to_owned(), look_again });
        }
        let place = |(slot, in_doubt)| {
            let in_doubt = Arc::new(in_doubt);
            let doubt = Arc::clone(&in_doubt);
            SendPlace::of(Room { gateway: self.gateway.clone(), inbox: inbox.id, slot: Some(slot), in_doubt })
                .with_doubt(doubt)
        };
        Ok(self.gateway.take(inbox.id, wanted).into_iter().map(place).collect())
    }

    async fn ready(&self, inbox: &CarrierInbox) {
        self.gateway.ready(inbox.id).await;
    }

    /// An SMSC answers a whole window faster than a commit.
    fn marks_ahead(&self) -> bool {
        true
    }

    fn binds(&self) -> Vec<String> {
        self.gateway.names()
    }

    fn carry<'a>(&self, content: &'a OutboundContent) -> Result<Cow<'a, OutboundContent>, UnsupportedContent> {
        carriable_content(content)
    }

    async fn send(
        &self,
        inbox: &CarrierInbox,
        place: SendPlace,
        outgoing: &OutgoingMessage<'_>,
    ) -> Result<Acceptance, SendFailure> {
        let room = place.into_held::<Room>().and_then(|mut room| Some((room.slot.take()?, Arc::clone(&room.in_doubt))));
        let Some((slot, in_doubt)) = room else {
            return Err(SendFailure::NotSent { reason: "no place for a submit".to_owned(), after: None });
        };
        let mut parts = parts_of(inbox, outgoing, &self.references)?;
        parts.retain(|(number, _)| !outgoing.taken.contains(number));
        let destination = parts.front().map(|(_, part)| part.destination.clone()).unwrap_or_default();
        let Some(slot) = self.gateway.take_place(slot, &in_doubt, outgoing.bind, &destination).await else {
            let reason = "the bind that the SMS goes over has no room".to_owned();
            return Err(SendFailure::NotSent { reason, after: None });
        };
        self.submit_all(inbox.id, slot, parts, outgoing).await.map_or(Ok(Acceptance::default()), Err)
    }

    fn no_answer(&self) -> ProviderFailure {
        ProviderFailure {
            code: NO_ANSWER_FROM_SMSC,
            text: "the SMSC answered neither the submit nor its repetition; the SMS may have arrived".to_owned(),
        }
    }
}

impl SmppCarrier {
    /// Returns a second place for the message; none if its parts use one bind.
    fn spare(&self, inbox: InboxId, outgoing: &OutgoingMessage<'_>) -> Option<Slot> {
        if self.gateway.needs_certain_bind(outgoing.bind) { None } else { self.gateway.spare(inbox) }
    }

    /// Submits parts until all are accepted or one is not; then the worst failure counts. Another part may still have
    /// arrived.
    async fn submit_all(
        &self,
        inbox: InboxId,
        slot: Slot,
        mut parts: VecDeque<(u8, SubmittedPart)>,
        outgoing: &OutgoingMessage<'_>,
    ) -> Option<SendFailure> {
        let mut idle = Some(slot);
        let mut submits = FuturesUnordered::new();
        let (mut worst, mut in_doubt): (Option<SendFailure>, bool) = (None, false);
        loop {
            while worst.is_none() && !parts.is_empty() {
                let Some(slot) = idle.take().or_else(|| self.spare(inbox, outgoing)) else { break };
                let Some((number, part)) = parts.pop_front() else { break };
                submits.push(submit(slot, number, part));
            }
            let Some((slot, number, result)) = submits.next().await else {
                return worst.map(|worst| if in_doubt { maybe_arrived(worst) } else { worst });
            };
            match result {
                Ok(SubmittedSms { bind, smsc_id }) => {
                    outgoing.parts.record(PartTaken { message: outgoing.message, part: number, bind, smsc_id });
                }
                Err(failure) => {
                    in_doubt |= matches!(failure, SubmitFailure::Unknown { .. });
                    worst = deciding_failure(worst, self.send_failure(failure));
                }
            }
            // The message keeps one slot until its end; further slots are free for others.
            idle = submits.is_empty().then_some(slot);
        }
    }

    /// If another bind accepts submits, the message goes there at once.
    fn send_failure(&self, failure: SubmitFailure) -> SendFailure {
        let refused = |text: String| ProviderFailure { code: REFUSED_BY_SMSC, text };
        let pause = |alone: Duration| if self.gateway.takes_now() { Duration::ZERO } else { alone };
        match failure {
            SubmitFailure::NotConnected => {
                let after = Some(pause(self.gateway.look_again()));
                SendFailure::NotSent { reason: "the SMSC is not connected".to_owned(), after }
            }
            SubmitFailure::Throttled { after } => {
                let failure = refused("the SMSC takes no more messages for now".to_owned());
                SendFailure::SlowDown { failure, after: Some(pause(after)) }
            }
            SubmitFailure::Retry { code, name } => {
                let failure = refused(format!("the SMSC refused it: {name} ({code})"));
                // The usual pauses after a passing refusal: together they last ten minutes.
                SendFailure::Retry { failure, after: None }
            }
            SubmitFailure::Rejected { code, name } => {
                SendFailure::Rejected(refused(format!("the SMSC refused it: {name} ({code})")))
            }
            SubmitFailure::Invalid(reason) => SendFailure::Rejected(invalid(&reason)),
            SubmitFailure::Unknown { reason } => SendFailure::Unknown { reason },
        }
    }
}

async fn submit(mut slot: Slot, number: u8, part: SubmittedPart) -> (Slot, u8, Result<SubmittedSms, SubmitFailure>) {
    let result = slot.submit(&part).await;
    (slot, number, result)
}

/// The parts in the form of the protocol, numbered from 1.
fn parts_of(
    inbox: &CarrierInbox,
    outgoing: &OutgoingMessage<'_>,
    references: &PartReferences,
) -> Result<VecDeque<(u8, SubmittedPart)>, SendFailure> {
    let Some(destination) = outgoing.to.as_kind(AddressKind::Phone) else {
        return Err(SendFailure::Rejected(invalid("the recipient must be a phone number")));
    };
    let text = text_of(outgoing.content)?;
    let numbered = is_numbered(outgoing.content);
    let segmented = segment(&text, outgoing.unicode, numbered)
        .map_err(|error| SendFailure::Rejected(invalid(&error.to_string())))?;
    // A part that says its position in its text is not joined.
    let joined = !numbered || segmented.encoding == Encoding::Ucs2;
    let total = u8::try_from(segmented.parts.len()).unwrap_or(u8::MAX);
    let source = outgoing.source.unwrap_or(&inbox.address);
    let choose = || references.choose((source, destination), outgoing.message, Instant::now());
    let reference = (joined && total > 1).then(choose);
    let part = |number, octets| SubmittedPart {
        source: source.to_owned(),
        destination: destination.to_owned(),
        data_coding: segmented.encoding.into(),
        udh: reference.map(|reference| udh(reference, total, number)),
        octets,
        priority: outgoing.priority,
        validity_seconds: outgoing.validity_seconds,
    };
    Ok((1..=total).zip(segmented.parts).map(|(number, segment)| (number, part(number, segment.octets))).collect())
}

/// Returns the number of parts of a content; `None` if it cannot be sent by SMS.
pub fn part_count(content: &OutboundContent, unicode: bool) -> Option<usize> {
    let text = text_of(content).ok()?;
    segment(&text, unicode, is_numbered(content)).ok().map(|segmented| segmented.parts.len())
}

/// True if a long text is sent as several messages that say their position.
fn is_numbered(content: &OutboundContent) -> bool {
    matches!(content, OutboundContent::Sms(sms) if sms.numbered)
}

fn segment(text: &str, unicode: bool, numbered: bool) -> Result<SegmentedText, TooManySegments> {
    if numbered { segments::split_numbered(text, unicode) } else { segments::split(text, unicode) }
}

fn invalid(reason: &str) -> ProviderFailure {
    ProviderFailure { code: REFUSED_BY_SMSC, text: format!("not a valid SMS: {reason}") }
}

fn maybe_arrived(worst: SendFailure) -> SendFailure {
    match worst {
        SendFailure::Rejected(ProviderFailure { text, .. }) => SendFailure::Rejected(ProviderFailure {
            code: NO_ANSWER_FROM_SMSC,
            text: format!("{text}; another part was not answered, so the SMS may have arrived"),
        }),
        other => other,
    }
}

/// The deciding failure: after a permanent refusal the other parts are useless, and a part in doubt must be awaited.
fn deciding_failure(one: Option<SendFailure>, other: SendFailure) -> Option<SendFailure> {
    let gravity = |failure: &SendFailure| match failure {
        SendFailure::Rejected(_) | SendFailure::Unreachable(_) | SendFailure::AccountStopped(_) => 4,
        SendFailure::Unknown { .. } => 3,
        SendFailure::Retry { .. } => 2,
        SendFailure::SlowDown { .. } | SendFailure::RecipientLimited(_) => 1,
        SendFailure::NotSent { .. } => 0,
    };
    match one {
        Some(one) if gravity(&one) >= gravity(&other) => Some(one),
        _ => Some(other),
    }
}
