//! The content of a `deliver_sm` or a `data_sm`: a receipt or a message from a subscriber (PROVIDERS C.3).

use super::{
    address::read_address,
    pdu::{body::PduMessage, parameters::PduParameters},
    receipt_text::{self, SmsState},
    text::{DefaultAlphabet, OctetCoding, Shifts, unpack},
};

const TYPE_BITS: u8 = 0x3c;
const RECEIPT: u8 = 0x04;
const INTERMEDIATE: u8 = 0x20;
/// Bit of `esm_class` that announces a user data header.
const UDH_PRESENT: u8 = 0x40;
/// Elements of a user data header (3GPP TS 23.040, 9.2.3.24).
const CONCATENATED: u8 = 0x00;
const CONCATENATED_16_BIT: u8 = 0x08;
const SINGLE_SHIFT: u8 = 0x24;
const LOCKING_SHIFT: u8 = 0x25;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DeliveryKind {
    Receipt(RawReceipt),
    /// A receipt that names no message or no state.
    UnreadableReceipt,
    Part(MobilePart),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawReceipt {
    /// One of the two ids is there.
    pub parameter_id: Option<String>,
    pub text_id: Option<String>,
    pub state: SmsState,
    pub intermediate: bool,
    pub error: Option<String>,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MobilePart {
    pub from: String,
    pub to: String,
    pub coding: OctetCoding,
    /// Septets are unpacked.
    pub octets: Vec<u8>,
    pub place: Option<PartPosition>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PartPosition {
    pub reference: u16,
    pub total: u8,
    /// From 1.
    pub number: u8,
}

pub(super) fn read(message: PduMessage, alphabet: DefaultAlphabet) -> DeliveryKind {
    let PduMessage { source, destination, esm_class, data_coding, octets: body, parameters } = message;
    let typed = esm_class & TYPE_BITS;
    let is_receipt = typed == RECEIPT || typed == INTERMEDIATE;
    // Some SMSCs leave out the type: then the id parameter makes it a receipt. Others give that parameter to messages
    // of subscribers, too; without a state it is a message.
    if is_receipt || parameters.receipted_id.is_some() {
        let coding = OctetCoding::of(data_coding, alphabet, Shifts::default());
        let receipt = receipt(&parameters, coding, &body, typed == INTERMEDIATE);
        if is_receipt || receipt != DeliveryKind::UnreadableReceipt {
            return receipt;
        }
    }
    let (header, text) = if esm_class & UDH_PRESENT != 0 { split_header(&body) } else { (&[][..], &body[..]) };
    let elements = Elements::read(header);
    let coding = OctetCoding::of(data_coding, alphabet, elements.shifts);
    let octets = match alphabet {
        DefaultAlphabet::GsmPacked if coding.is_gsm() => unpack(text, body.len().saturating_sub(text.len())),
        _ => text.to_vec(),
    };
    DeliveryKind::Part(MobilePart {
        from: read_address(source.ton, &source.text),
        to: read_address(destination.ton, &destination.text),
        coding,
        octets,
        place: elements.place.or_else(|| place_of(&parameters)),
    })
}

/// Parameters have priority over the text, which is then only for people.
fn receipt(parameters: &PduParameters, coding: OctetCoding, body: &[u8], intermediate: bool) -> DeliveryKind {
    let (text, parsed) = receipt_text::read(coding, body);
    let error = parameters.error.filter(|code| *code != 0).map(|code| code.to_string()).or(parsed.error);
    // An unknown word without an error may be a step on the way: a final state would hide the report that follows.
    let said = if parsed.is_unclear && error.is_none() { Some(SmsState::Enroute) } else { parsed.state };
    let state = parameters.state.map(SmsState::from_number).or(said);
    let (parameter_id, text_id) = (parameters.receipted_id.clone(), parsed.id);
    match state.filter(|_| parameter_id.is_some() || text_id.is_some()) {
        Some(state) => DeliveryKind::Receipt(RawReceipt { parameter_id, text_id, state, intermediate, error, text }),
        None => DeliveryKind::UnreadableReceipt,
    }
}

fn place_of(parameters: &PduParameters) -> Option<PartPosition> {
    let (reference, total) = (parameters.sar_reference?, parameters.sar_total?);
    valid(PartPosition { reference, total, number: parameters.sar_number? })
}

/// Header and text of a body with a user data header. A header that is longer than the body leaves no text.
fn split_header(body: &[u8]) -> (&[u8], &[u8]) {
    match body.split_first() {
        Some((length, rest)) => rest.split_at_checked(usize::from(*length)).unwrap_or((rest, &[])),
        None => (&[], &[]),
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Elements {
    place: Option<PartPosition>,
    shifts: Shifts,
}

impl Elements {
    /// Reads the elements up to one that is cut. Of several of a kind the first concatenation counts, and the last language.
    fn read(mut header: &[u8]) -> Self {
        let mut read = Self::default();
        while let [element, length, rest @ ..] = header {
            let Some((value, next)) = rest.split_at_checked(usize::from(*length)) else { break };
            let place = match (*element, value) {
                (CONCATENATED, [reference, total, number]) => {
                    valid(PartPosition { reference: u16::from(*reference), total: *total, number: *number })
                }
                (CONCATENATED_16_BIT, [high, low, total, number]) => {
                    valid(PartPosition { reference: u16::from_be_bytes([*high, *low]), total: *total, number: *number })
                }
                (SINGLE_SHIFT, [language]) => {
                    read.shifts.single = *language;
                    None
                }
                (LOCKING_SHIFT, [language]) => {
                    read.shifts.locking = *language;
                    None
                }
                _ => None,
            };
            read.place = read.place.or(place);
            header = next;
        }
        read
    }
}

/// A valid position in more than one part.
fn valid(place: PartPosition) -> Option<PartPosition> {
    (place.total > 1 && (1..=place.total).contains(&place.number)).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smpp::pdu::body::PduAddress;

    fn message(esm_class: u8, data_coding: u8, octets: &[u8]) -> PduMessage {
        let address = |text: &str| PduAddress { ton: 1, npi: 1, text: text.to_owned() };
        PduMessage {
            source: address("+27820000001"),
            destination: address("27110000000"),
            esm_class,
            data_coding,
            octets: octets.to_vec(),
            parameters: PduParameters::default(),
        }
    }

    fn text(message: PduMessage, alphabet: DefaultAlphabet) -> String {
        match read(message, alphabet) {
            DeliveryKind::Part(part) => part.coding.decode(&part.octets),
            other => panic!("{other:?}"),
        }
    }

    fn id(message: PduMessage) -> String {
        match read(message, DefaultAlphabet::Gsm) {
            DeliveryKind::Receipt(receipt) => receipt.text_id.unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_header_names_the_languages_of_its_text() {
        let octets = [&[6, 0x24, 1, 1, 0x25, 1, 1][..], b"\x0b\x1bi"].concat();
        assert_eq!(text(message(0x40, 0, &octets), DefaultAlphabet::Gsm), "Ğı");
        let unknown = [&[3, 0x25, 1, 99][..], b"abc"].concat();
        let shown = "[undecodable: data_coding 0x00, octets 616263]";
        assert_eq!(text(message(0x40, 0, &unknown), DefaultAlphabet::Gsm), shown);
        let joined = [&[8, 0x25, 1, 1, 0, 3, 7, 2, 1][..], b"x"].concat();
        let DeliveryKind::Part(part) = read(message(0x40, 0, &joined), DefaultAlphabet::Gsm) else { panic!() };
        assert_eq!(part.place, Some(PartPosition { reference: 7, total: 2, number: 1 }));
    }

    #[test]
    fn packed_septets_are_read_behind_their_header() {
        let hello = [0xe8, 0x32, 0x9b, 0xfd, 0x06];
        assert_eq!(text(message(0, 0, &hello), DefaultAlphabet::GsmPacked), "hello");
        // Six octets of header and one bit before the first septet.
        let part = [5, 0, 3, 7, 2, 1, 0xd0, 0x65, 0x36, 0xfb, 0x0d];
        assert_eq!(text(message(0x40, 0, &part), DefaultAlphabet::GsmPacked), "hello");
        assert_eq!(text(message(0, 3, b"caf\xe9"), DefaultAlphabet::GsmPacked), "café", "another coding is not packed");
    }

    #[test]
    fn a_receipt_is_read_in_ascii_and_in_its_coding() {
        let spelled = "id:a_b@c$d{e}f~g|h sub:001 dlvrd:001 stat:DELIVRD err:000 text:x";
        let expected = "a_b@c$d{e}f~g|h";
        for coding in [0, 1, 3, 4, 8, 0xf1] {
            assert_eq!(id(message(4, coding, spelled.as_bytes())), expected, "{coding}");
        }
        let wide: Vec<u8> = spelled.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!((id(message(4, 8, &wide)), id(message(4, 0, &wide))), (expected.into(), expected.into()));
        let septets = b"id:a\x11b\x00c\x02d\x1b(e\x1b)f\x1b=g\x1b@h stat:DELIVRD";
        assert_eq!(id(message(4, 0, septets)), expected);
    }

    #[test]
    fn a_word_for_a_state_is_final_if_it_is_known_or_comes_with_an_error() {
        let state = |said: &str| match read(message(4, 0, format!("id:1 {said}").as_bytes()), DefaultAlphabet::Gsm) {
            DeliveryKind::Receipt(receipt) => receipt.state,
            other => panic!("{other:?}"),
        };
        for said in ["stat:FAILED", "stat:NAK", "stat:UNKNOWN", "stat:HANDLED err:069", "stat:??? err:001"] {
            assert_eq!(state(said), SmsState::Unknown, "{said}");
        }
        for said in ["stat:SENT", "stat:ROUTED", "stat:QUEUED err:000", "stat:HANDLED", "stat:BUFFERED err:069"] {
            assert_eq!(state(said), SmsState::Enroute, "{said}");
        }
        assert_eq!(state("stat:DELIVRD err:069"), SmsState::Delivered);
        let mut coded = message(4, 0, b"id:1 stat:HANDLED");
        coded.parameters.error = Some(8);
        assert!(
            matches!(read(coded, DefaultAlphabet::Gsm), DeliveryKind::Receipt(receipt) if receipt.state.is_final())
        );
    }
}
