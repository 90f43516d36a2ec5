//! Bodies of requests of an SMSC, read leniently: the fields of SMPP 3.4 in their order, with any values.

use super::parameters::{PduParameters, message_id};

/// Longest stored address: `data_sm` has room for 64 characters.
const MOST_ADDRESS: usize = 64;
/// The largest type of number, and numbering plan, of SMPP.
const LARGEST_TON: u8 = 6;
const LARGEST_NPI: u8 = 18;
/// The strings of a `deliver_sm` that may lack their NUL: service type, both addresses and both times.
const STRINGS: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::smpp) struct PduMessage {
    pub source: PduAddress,
    pub destination: PduAddress,
    pub esm_class: u8,
    pub data_coding: u8,
    /// `message_payload`, otherwise `short_message`.
    pub octets: Vec<u8>,
    pub parameters: PduParameters,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::smpp) struct PduAddress {
    pub ton: u8,
    pub npi: u8,
    pub text: String,
}

type Read = Option<(PduMessage, bool)>;

pub(in crate::smpp) fn deliver_sm(body: &[u8]) -> Option<PduMessage> {
    best(body, deliver_sm_lacking)
}

pub(in crate::smpp) fn data_sm(body: &[u8]) -> Option<PduMessage> {
    best(body, data_sm_lacking)
}

/// The id in the answer to a `submit_sm`; empty if there is none.
pub(in crate::smpp) fn submitted_id(body: &[u8]) -> String {
    message_id(body)
}

/// If reading by the standard is inconsistent, and consistent with one string without its NUL, the latter is used.
fn best(body: &[u8], read: fn(&[u8], Option<usize>) -> Read) -> Option<PduMessage> {
    let standard = read(body, None);
    if !matches!(standard, Some((_, true))) {
        let others = (0..STRINGS).filter_map(|lacking| read(body, Some(lacking)));
        if let Some((message, _)) = others.into_iter().find(|(_, sound)| *sound) {
            return Some(message);
        }
    }
    standard.map(|(message, _)| message)
}

fn deliver_sm_lacking(body: &[u8], lacking: Option<usize>) -> Read {
    let mut fields = Fields::new(body, lacking);
    let _service_type = fields.string()?;
    let source = fields.address()?;
    let destination = fields.address()?;
    let esm_class = fields.octet()?;
    let (_protocol_id, _priority_flag) = (fields.octet()?, fields.octet()?);
    let (_schedule_delivery_time, _validity_period) = (fields.string()?, fields.string()?);
    let (_registered_delivery, _replace_if_present) = (fields.octet()?, fields.octet()?);
    let data_coding = fields.octet()?;
    let _default_message = fields.octet();
    let short_message = fields.counted_octets();
    fields.message(source, destination, esm_class, data_coding, short_message)
}

fn data_sm_lacking(body: &[u8], lacking: Option<usize>) -> Read {
    let mut fields = Fields::new(body, lacking);
    let _service_type = fields.string()?;
    let source = fields.address()?;
    let destination = fields.address()?;
    let esm_class = fields.octet()?;
    let _registered_delivery = fields.octet()?;
    let data_coding = fields.octet()?;
    fields.message(source, destination, esm_class, data_coding, &[])
}

struct Fields<'a> {
    rest: &'a [u8],
    strings: usize,
    /// The string that is assumed to have no NUL.
    lacking: Option<usize>,
    /// True if every field was in its place.
    sound: bool,
}

impl<'a> Fields<'a> {
    fn new(body: &'a [u8], lacking: Option<usize>) -> Self {
        Self { rest: body, strings: 0, lacking, sound: true }
    }

    fn octet(&mut self) -> Option<u8> {
        let (octet, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*octet)
    }

    /// A string up to its NUL; without one, up to the first octet that cannot be part of a string.
    fn string(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let lacks = self.lacking == Some(self.strings);
        self.strings += 1;
        let end = self.rest.iter().position(|octet| if lacks { *octet < 0x20 } else { *octet == 0 });
        self.sound &= end.is_some();
        let (string, rest) = self.rest.split_at_checked(end.unwrap_or(self.rest.len()))?;
        self.rest = if lacks { rest } else { rest.get(1..).unwrap_or_default() };
        Some(string)
    }

    fn address(&mut self) -> Option<PduAddress> {
        let (ton, npi) = (self.octet()?, self.octet()?);
        let octets = self.string()?;
        self.sound &= ton <= LARGEST_TON && npi <= LARGEST_NPI && octets.iter().all(|octet| *octet >= 0x20);
        // Octets above 0x7F can only be letters of names; addresses have no control characters.
        let shown =
            octets.iter().map(|octet| if *octet < 0x20 { char::REPLACEMENT_CHARACTER } else { (*octet).into() });
        Some(PduAddress { ton, npi, text: shown.take(MOST_ADDRESS).collect() })
    }

    /// Octets after their number; the existing ones if the number is too large.
    fn counted_octets(&mut self) -> &'a [u8] {
        let Some(length) = self.octet() else {
            self.sound = false;
            return &[];
        };
        let (octets, rest) = self.rest.split_at_checked(usize::from(length)).unwrap_or_else(|| {
            self.sound = false;
            (self.rest, &[])
        });
        self.rest = rest;
        octets
    }

    fn message(
        self,
        source: PduAddress,
        destination: PduAddress,
        esm_class: u8,
        data_coding: u8,
        short_message: &[u8],
    ) -> Read {
        let (mut parameters, whole) = PduParameters::read(self.rest);
        let payload = parameters.payload.take().filter(|payload| !payload.is_empty());
        let octets = payload.unwrap_or_else(|| short_message.to_vec());
        Some((PduMessage { source, destination, esm_class, data_coding, octets, parameters }, self.sound && whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of a `deliver_sm` that differ from the default.
    struct Sent<'a> {
        source: &'a [u8],
        destination: &'a [u8],
        schedule: &'a [u8],
        validity: &'a [u8],
        length: Option<u8>,
        text: &'a [u8],
        parameters: &'a [u8],
    }

    const USUAL: Sent<'static> = Sent {
        source: b"\x01\x0127820000001\0",
        destination: b"\x01\x0127110000000\0",
        schedule: b"\0",
        validity: b"\0",
        length: None,
        text: b"STOP",
        parameters: b"",
    };

    fn body(sent: &Sent<'_>) -> Vec<u8> {
        let length = sent.length.unwrap_or(u8::try_from(sent.text.len()).unwrap());
        [
            b"\0",
            sent.source,
            sent.destination,
            &[0x40, 0, 0],
            sent.schedule,
            sent.validity,
            &[0, 0, 8, 0, length],
            sent.text,
            sent.parameters,
        ]
        .concat()
    }

    fn read(sent: &Sent<'_>) -> (String, String, u8, u8, Vec<u8>) {
        let PduMessage { source, destination, esm_class, data_coding, octets, .. } = deliver_sm(&body(sent)).unwrap();
        (source.text, destination.text, esm_class, data_coding, octets)
    }

    fn usual() -> (String, String, u8, u8, Vec<u8>) {
        ("27820000001".into(), "27110000000".into(), 0x40, 8, b"STOP".to_vec())
    }

    #[test]
    fn the_fields_of_the_standard_are_read() {
        assert_eq!(read(&USUAL), usual());
        let message = deliver_sm(&body(&USUAL)).unwrap();
        assert_eq!((message.source.ton, message.source.npi), (1, 1));
    }

    #[test]
    fn an_address_may_hold_any_octet_and_be_too_long() {
        let (source, ..) = read(&Sent { source: b"\x05\0Caf\xe9\0", ..USUAL });
        assert_eq!(source, "Caf\u{e9}");
        let (source, _, _, _, text) = read(&Sent { source: b"\x05\0A\x11B\0", ..USUAL });
        assert_eq!((source.as_str(), text.as_slice()), ("A\u{fffd}B", &b"STOP"[..]));
        let long = [b"\x01\x01".to_vec(), vec![b'2'; 100], vec![0]].concat();
        let (source, _, _, _, text) = read(&Sent { source: &long, ..USUAL });
        assert_eq!((source.len(), text.as_slice()), (64, &b"STOP"[..]));
    }

    #[test]
    fn a_string_without_its_nul_ends_where_the_next_field_begins() {
        assert_eq!(read(&Sent { source: b"\x01\x0127820000001", ..USUAL }), usual());
        let to_short = b"\x00\x0127110000000\0";
        assert_eq!(read(&Sent { source: b"\x01\x0127820000001", destination: to_short, ..USUAL }), usual());
        let class_follows = Sent { destination: b"\x01\x0127110000000", ..USUAL };
        let mut octets = body(&class_follows);
        // A class of 0x40 would be a character of the address.
        let class = octets.iter().rposition(|octet| *octet == 0x40).unwrap();
        octets[class] = 4;
        assert_eq!(deliver_sm(&octets).unwrap().destination.text, "27110000000");
    }

    #[test]
    fn times_of_any_length_are_skipped() {
        for time in [&b"2611202140\0"[..], b"261120214000\0", b"000001000000000R000\0"] {
            assert_eq!(read(&Sent { schedule: time, ..USUAL }), usual());
            assert_eq!(read(&Sent { validity: time, ..USUAL }), usual());
        }
    }

    #[test]
    fn a_text_shorter_than_announced_is_read_as_far_as_it_goes() {
        assert_eq!(read(&Sent { length: Some(200), ..USUAL }), usual());
        let (.., text) = read(&Sent { length: Some(0), text: b"", parameters: b"\x04\x24\0\x02ok", ..USUAL });
        assert_eq!(text, b"ok");
        let (.., text) = read(&Sent { parameters: b"\x04\x27\0\x09\x02", ..USUAL });
        assert_eq!(text, b"STOP", "a parameter that is cut costs itself");
    }

    #[test]
    fn a_body_that_ends_before_its_coding_is_none() {
        let whole = body(&USUAL);
        let coding = whole.len() - USUAL.text.len() - 3;
        for cut in 0..whole.len() {
            assert_eq!(deliver_sm(&whole[..cut]).is_some(), cut > coding, "{cut}");
        }
    }

    #[test]
    fn a_data_sm_brings_its_text_in_a_parameter() {
        let octets = b"\0\x01\x0127820000001\0\x01\x0127110000000\0\x04\0\x03\x04\x24\0\x05Hello\0\x1e\0\x01M";
        let message = data_sm(octets).unwrap();
        assert_eq!((message.esm_class, message.data_coding, message.octets.as_slice()), (4, 3, &b"Hello"[..]));
        assert_eq!(message.parameters.receipted_id.as_deref(), Some("M"));
        assert_eq!(data_sm(&octets[..20]), None);
    }

    #[test]
    fn any_octets_are_read_or_refused_and_nothing_else() {
        // A small generator of its own: the same octets in each run.
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_be_bytes()[3]
        };
        let whole = body(&Sent { parameters: b"\0\x1e\0\x03M-1\x04\x27\0\x01\x02", ..USUAL });
        for round in 0..20_000 {
            let mut octets = whole.clone();
            for _ in 0..=round % 7 {
                let at = usize::from(next()) % octets.len();
                octets[at] = next();
            }
            octets.truncate(octets.len() - usize::from(next()) % (round % 40 + 1));
            let _ = (deliver_sm(&octets), data_sm(&octets), submitted_id(&octets));
            let noise: Vec<u8> = (0..round % 200).map(|_| next()).collect();
            let _ = (deliver_sm(&noise), data_sm(&noise));
        }
    }
}
