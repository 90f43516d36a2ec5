//! Joins the parts of a long short message: UDH with 8-bit or 16-bit reference, or SAR parameters.

use std::collections::{BTreeMap, HashMap};

use rusmpp::pdus::SubmitSm;
use rusmpp::tlvs::TlvValue;

const UDH_PRESENT: u8 = 0x40;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PartHeader {
    reference: u16,
    total: u8,
    position: u8,
}

#[derive(Debug)]
pub(crate) struct SubmitPart {
    pub(crate) octets: Vec<u8>,
    part_of: Option<PartHeader>,
}

impl SubmitPart {
    pub(crate) fn of(submit: &SubmitSm) -> Self {
        let mut octets = submit.short_message().clone().into_vec();
        let (mut reference, mut total, mut position) = (None, None, None);
        for tlv in submit.tlvs() {
            match tlv.value() {
                Some(TlvValue::MessagePayload(payload)) => {
                    octets = payload.value.clone().into_vec();
                }
                Some(TlvValue::SarMsgRefNum(value)) => reference = Some(*value),
                Some(TlvValue::SarTotalSegments(value)) => total = Some(*value),
                Some(TlvValue::SarSegmentSeqnum(value)) => position = Some(*value),
                _ => {}
            }
        }
        if u8::from(submit.esm_class) & UDH_PRESENT != 0 {
            return Self::with_header(&octets);
        }
        let part_of = match (reference, total, position) {
            (Some(reference), Some(total), Some(position)) => Some(PartHeader { reference, total, position }),
            _ => None,
        };
        Self { octets, part_of }
    }

    fn with_header(octets: &[u8]) -> Self {
        let length = octets.first().map_or(0, |length| usize::from(*length));
        let header = octets.get(1..=length).unwrap_or_default();
        let text = octets.get(length + 1..).unwrap_or_default();
        Self { octets: text.to_vec(), part_of: concatenation(header) }
    }
}

/// The concatenation element of a header: identifier 0 or 8.
fn concatenation(mut header: &[u8]) -> Option<PartHeader> {
    while let [identifier, length, rest @ ..] = header {
        let (element, next) = rest.split_at_checked(usize::from(*length))?;
        match (*identifier, element) {
            (0x00, [reference, total, position]) => {
                let reference = u16::from(*reference);
                return Some(PartHeader { reference, total: *total, position: *position });
            }
            (0x08, [high, low, total, position]) => {
                let reference = u16::from_be_bytes([*high, *low]);
                return Some(PartHeader { reference, total: *total, position: *position });
            }
            _ => header = next,
        }
    }
    None
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JoinedMessage {
    pub(crate) octets: Vec<u8>,
    pub(crate) parts: usize,
}

type Key = (String, String, u16, u8);

#[derive(Debug, Default)]
pub(crate) struct PhoneReassembly {
    incomplete: HashMap<Key, BTreeMap<u8, Vec<u8>>>,
}

impl PhoneReassembly {
    pub(crate) fn take(&mut self, from: &str, to: &str, part: SubmitPart) -> Option<JoinedMessage> {
        let Some(place) = part.part_of.filter(|place| place.total > 1) else {
            return Some(JoinedMessage { octets: part.octets, parts: 1 });
        };
        let key = (from.to_owned(), to.to_owned(), place.reference, place.total);
        let parts = self.incomplete.entry(key.clone()).or_default();
        parts.insert(place.position, part.octets);
        if parts.len() < usize::from(place.total) {
            return None;
        }
        let parts = self.incomplete.remove(&key)?;
        Some(JoinedMessage { parts: parts.len(), octets: parts.into_values().flatten().collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(octets: &[u8]) -> SubmitPart {
        SubmitPart::with_header(octets)
    }

    #[test]
    fn parts_in_any_order_make_one_message() {
        let mut reassembly = PhoneReassembly::default();
        let last = part(&[5, 0, 3, 7, 2, 2, b'b']);
        assert_eq!(reassembly.take("SHOP", "27", last), None);
        let first = part(&[6, 8, 4, 0, 7, 2, 1, b'a']);
        let whole = reassembly.take("SHOP", "27", first);
        assert_eq!(whole, Some(JoinedMessage { octets: b"ab".to_vec(), parts: 2 }));
    }

    #[test]
    fn a_header_that_lies_about_its_length_does_not_panic() {
        assert_eq!(part(&[200, 0, 3]).octets, Vec::<u8>::new());
        assert!(part(&[3, 0, 9, 1, b'a']).part_of.is_none());
    }
}
