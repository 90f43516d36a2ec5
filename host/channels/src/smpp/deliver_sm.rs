//! Reading a `deliver_sm`: a receipt or a message from a subscriber (PROVIDERS C.3).

use rusmpp::{pdus::DeliverSm, tlvs::TlvValue, values::DataCoding};

use super::{
    address::received,
    mobile_text::decode,
    receipt_text::{self, SmsState},
};

/// Bits of `esm_class` that tell receipts from messages.
const TYPE_BITS: u8 = 0x3c;
const RECEIPT: u8 = 0x04;
const INTERMEDIATE: u8 = 0x20;
/// Bit of `esm_class` that announces a user data header.
const UDH_PRESENT: u8 = 0x40;

/// What a `deliver_sm` is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Delivered {
    Receipt(RawReceipt),
    /// A receipt that names no message or no state.
    UnreadableReceipt,
    Part(MobilePart),
}

/// A receipt with the id as the SMSC spells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawReceipt {
    pub id: String,
    pub state: SmsState,
    pub intermediate: bool,
    pub error: Option<String>,
    pub text: String,
}

/// A message from a subscriber, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MobilePart {
    pub from: String,
    pub to: String,
    pub coding: DataCoding,
    pub octets: Vec<u8>,
    pub place: Option<Place>,
}

/// Where a part belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub reference: u16,
    pub total: u8,
    /// From 1.
    pub number: u8,
}

/// Reads the PDU.
pub(super) fn read(pdu: &DeliverSm) -> Delivered {
    let class = u8::from(pdu.esm_class);
    let values = Values::of(pdu);
    let body = values.payload.unwrap_or_else(|| pdu.short_message().as_ref());
    let typed = class & TYPE_BITS;
    let is_receipt = typed == RECEIPT || typed == INTERMEDIATE;
    // Some SMSCs forget the type: then the id parameter makes it a receipt. Others give that to messages of subscribers, too, and what
    // names no state beside it is one.
    if is_receipt || values.receipted_id.is_some() {
        let receipt = receipt(&values, pdu.data_coding, body, typed == INTERMEDIATE);
        if is_receipt || receipt != Delivered::UnreadableReceipt {
            return receipt;
        }
    }
    let (header, octets) = if class & UDH_PRESENT != 0 { split_header(body) } else { (&[][..], body) };
    Delivered::Part(MobilePart {
        from: received(pdu.source_addr.as_str()),
        to: received(pdu.destination_addr.as_str()),
        coding: pdu.data_coding,
        octets: octets.to_vec(),
        place: place_in_header(header).or_else(|| values.place()),
    })
}

/// Parameters win over the text, which is only for people where they are present.
fn receipt(values: &Values<'_>, coding: DataCoding, body: &[u8], intermediate: bool) -> Delivered {
    let text = decode(coding, body);
    let parsed = receipt_text::parse(&text);
    let id = values.receipted_id.map(str::to_owned).or(parsed.id);
    let state = values.state.map(SmsState::from_number).or(parsed.state);
    let error = values.error.filter(|code| *code != 0).map(|code| code.to_string()).or(parsed.error);
    match (id, state) {
        (Some(id), Some(state)) => Delivered::Receipt(RawReceipt { id, state, intermediate, error, text }),
        _ => Delivered::UnreadableReceipt,
    }
}

/// The optional parameters that matter here.
#[derive(Default)]
struct Values<'a> {
    receipted_id: Option<&'a str>,
    state: Option<u8>,
    error: Option<u16>,
    payload: Option<&'a [u8]>,
    sar_reference: Option<u16>,
    sar_total: Option<u8>,
    sar_number: Option<u8>,
}

impl<'a> Values<'a> {
    fn of(pdu: &'a DeliverSm) -> Self {
        let mut values = Self::default();
        for value in pdu.tlvs().iter().filter_map(|tlv| tlv.value()) {
            match value {
                TlvValue::ReceiptedMessageId(id) if !id.is_empty() => values.receipted_id = Some(id.as_str()),
                TlvValue::MessageState(state) => values.state = Some(u8::from(*state)),
                TlvValue::NetworkErrorCode(code) => values.error = Some(code.error_code),
                TlvValue::MessagePayload(payload) => values.payload = Some(payload.value.as_ref()),
                TlvValue::SarMsgRefNum(reference) => values.sar_reference = Some(*reference),
                TlvValue::SarTotalSegments(total) => values.sar_total = Some(*total),
                TlvValue::SarSegmentSeqnum(number) => values.sar_number = Some(*number),
                _ => {}
            }
        }
        values
    }

    fn place(&self) -> Option<Place> {
        valid(Place { reference: self.sar_reference?, total: self.sar_total?, number: self.sar_number? })
    }
}

/// Header and text of a body with a user data header; a header that is longer than the body leaves no text.
fn split_header(body: &[u8]) -> (&[u8], &[u8]) {
    match body.split_first() {
        Some((length, rest)) => rest.split_at_checked(usize::from(*length)).unwrap_or((rest, &[])),
        None => (&[], &[]),
    }
}

/// The concatenation element of a header: 8-bit (00) or 16-bit (08) reference.
fn place_in_header(mut header: &[u8]) -> Option<Place> {
    while let [element, length, rest @ ..] = header {
        let (value, next) = rest.split_at_checked(usize::from(*length))?;
        match (element, value) {
            (0x00, [reference, total, number]) => {
                return valid(Place { reference: u16::from(*reference), total: *total, number: *number });
            }
            (0x08, [high, low, total, number]) => {
                return valid(Place { reference: u16::from_be_bytes([*high, *low]), total: *total, number: *number });
            }
            _ => header = next,
        }
    }
    None
}

/// A place that makes sense and is not alone.
fn valid(place: Place) -> Option<Place> {
    (place.total > 1 && (1..=place.total).contains(&place.number)).then_some(place)
}
