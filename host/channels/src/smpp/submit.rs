//! `submit_sm` for one part of a message (PROVIDERS C.2), and its outcomes.

use std::time::Duration;

use domain::segments::Encoding;
use rusmpp::{
    CommandStatus,
    pdus::SubmitSm,
    types::{COctetString, EmptyOrFullCOctetString, OctetString},
    values::{DataCoding, EsmClass, Npi, PriorityFlag, RegisteredDelivery, Ton},
};

use super::{
    address::{destination, source},
    status_name::status_name,
    text::DefaultAlphabet,
};

/// `esm_class` bit that announces a user data header.
const UDH_PRESENT: u8 = 0x40;
/// Most octets of `short_message`, header included.
const MOST_OCTETS: usize = 254;

/// Octets that one message carries, header included.
const SINGLE_UCS2: usize = 140;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartAlphabet {
    /// The SMSC's default: GSM 03.38, one septet to an octet.
    SmscDefault,
    /// UCS-2, big endian.
    Ucs2,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmittedPart {
    /// Sender: alphanumeric, short code or number; its kind is determined here.
    pub source: String,
    /// Recipient in digits.
    pub destination: String,
    pub data_coding: PartAlphabet,
    pub udh: Option<[u8; 6]>,
    pub octets: Vec<u8>,
    /// `priority_flag`, 0 to 3.
    pub priority: u8,
    /// `validity_period` from now, in seconds; if absent, the SMSC's default.
    pub validity_seconds: Option<u32>,
}

impl From<Encoding> for PartAlphabet {
    fn from(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Gsm7 => Self::SmscDefault,
            Encoding::Ucs2 => Self::Ucs2,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmittedSms {
    /// Its bind. Receipts name the same one.
    pub bind: String,
    /// The SMSC's id, in the form of receipts; empty if it gave none, and then no receipt can follow.
    pub smsc_id: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmitFailure {
    /// No bind is up; nothing was sent.
    #[error("no SMSC is connected")]
    NotConnected,
    /// Too fast, or the window is full; nothing was accepted.
    #[error("the SMSC accepts no messages for {} ms", after.as_millis())]
    Throttled { after: Duration },
    #[error("the SMSC refused the message: {name}")]
    Rejected { code: u32, name: String },
    /// Refused for a passing reason: try again, a few times.
    #[error("the SMSC could not accept the message now: {name}")]
    Retry { code: u32, name: String },
    /// Not possible in SMPP: sender, recipient or length.
    #[error("the message cannot be sent by SMS: {0}")]
    Invalid(String),
    /// Sent without an answer: do not simply send again.
    #[error("outcome unknown: {reason}")]
    Unknown { reason: String },
}

/// The PDU of a part, for an SMSC of this default alphabet.
pub(super) fn submit_sm(part: &SubmittedPart, alphabet: DefaultAlphabet) -> Result<SubmitSm, SubmitFailure> {
    let invalid = |what: &str| SubmitFailure::Invalid(what.to_owned());
    let source =
        source(&part.source).ok_or_else(|| invalid("the sender must be a number, or at most 11 ASCII characters"))?;
    let destination = destination(&part.destination).ok_or_else(|| invalid("the recipient must be a phone number"))?;
    let (coding, text) = encode_text(part, alphabet)?;
    let octets: Vec<u8> = part.udh.iter().flatten().chain(&text).copied().collect();
    if octets.len() > MOST_OCTETS {
        return Err(invalid("a part holds at most 254 octets"));
    }
    let unusable = |_| invalid("an address holds a character that SMPP cannot carry");
    Ok(SubmitSm::builder()
        .source_addr_ton(source.ton)
        .source_addr_npi(source.npi)
        .source_addr(COctetString::from_string(source.text).map_err(unusable)?)
        .dest_addr_ton(Ton::International)
        .dest_addr_npi(Npi::Isdn)
        .destination_addr(COctetString::from_string(destination).map_err(unusable)?)
        // The library's defaults for these two are wrong for SMPP 3.4 (PROVIDERS C.5), so they are always set as
        // numbers.
        .esm_class(EsmClass::from(if part.udh.is_some() { UDH_PRESENT } else { 0 }))
        .registered_delivery(RegisteredDelivery::from(1u8))
        .priority_flag(PriorityFlag::from(part.priority.min(3)))
        .validity_period(validity_period(part.validity_seconds))
        .data_coding(coding)
        .short_message(OctetString::from_vec(octets).map_err(|_| invalid("a part holds at most 254 octets"))?)
        .build())
}

/// A text that the SMSC's default alphabet lacks is sent as UCS-2 if one message can hold it.
fn encode_text(part: &SubmittedPart, alphabet: DefaultAlphabet) -> Result<(DataCoding, Vec<u8>), SubmitFailure> {
    let header = part.udh.map_or(0, |udh| udh.len());
    match part.data_coding {
        PartAlphabet::Ucs2 => Ok((DataCoding::Ucs2, part.octets.clone())),
        PartAlphabet::SmscDefault => match alphabet.encode(&part.octets, header) {
            Some(octets) => Ok((DataCoding::McSpecific, octets)),
            None => {
                let octets = DefaultAlphabet::as_ucs2(&part.octets);
                if header + octets.len() > SINGLE_UCS2 {
                    let reason =
                        "it holds characters that the default alphabet of the SMSC lacks, and is too long for Unicode";
                    return Err(SubmitFailure::Invalid(reason.to_owned()));
                }
                Ok((DataCoding::Ucs2, octets))
            }
        },
    }
}

/// A time from now in the form of SMPP, `YYMMDDhhmmss000R`; empty: the SMSC's default.
fn validity_period(seconds: Option<u32>) -> EmptyOrFullCOctetString<17> {
    let Some(seconds) = seconds else { return EmptyOrFullCOctetString::empty() };
    let (days, hours) = ((seconds / 86_400).min(30), seconds / 3_600 % 24);
    let text = format!("0000{days:02}{hours:02}{:02}{:02}000R", seconds / 60 % 60, seconds % 60);
    text.parse().unwrap_or_default()
}

pub(super) enum SmscRefusal {
    TooFast,
    Failure(SubmitFailure),
}

pub(super) fn unknown(reason: &str) -> SubmitFailure {
    SubmitFailure::Unknown { reason: reason.to_owned() }
}

pub(super) fn classify(status: CommandStatus) -> SmscRefusal {
    let (code, name) = (u32::from(status), status_name(status));
    match status {
        CommandStatus::EsmeRthrottled | CommandStatus::EsmeRmsgqful => SmscRefusal::TooFast,
        // A refusal without a named fault, and passing refusals.
        CommandStatus::EsmeRok
        | CommandStatus::EsmeRsyserr
        | CommandStatus::EsmeRxTAppn
        | CommandStatus::EsmeRinvbndsts => SmscRefusal::Failure(SubmitFailure::Retry { code, name }),
        _ => SmscRefusal::Failure(SubmitFailure::Rejected { code, name }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(octets: &[u8]) -> SubmittedPart {
        SubmittedPart {
            source: "PATCHBAY".into(),
            destination: "27820000001".into(),
            data_coding: PartAlphabet::SmscDefault,
            udh: None,
            octets: octets.to_vec(),
            priority: 0,
            validity_seconds: None,
        }
    }

    #[test]
    fn a_text_goes_out_in_the_default_alphabet_of_the_smsc() {
        let said = |alphabet, octets: &[u8]| encode_text(&part(octets), alphabet).unwrap();
        assert_eq!(said(DefaultAlphabet::Latin1, b"\x00 \x05"), (DataCoding::McSpecific, b"@ \xe9".to_vec()));
        assert_eq!(said(DefaultAlphabet::Latin1, b"\x1be5"), (DataCoding::Ucs2, vec![0x20, 0xac, 0, b'5']));
        assert_eq!(said(DefaultAlphabet::GsmPacked, b"hello").1, [0xe8, 0x32, 0x9b, 0xfd, 0x06]);
        let long = [&b"\x1be"[..], &[b'a'; 100]].concat();
        assert!(matches!(super::encode_text(&part(&long), DefaultAlphabet::Ascii), Err(SubmitFailure::Invalid(_))));
        let joined = SubmittedPart { udh: Some([5, 0, 3, 7, 2, 1]), ..part(b"hello") };
        assert_eq!(super::encode_text(&joined, DefaultAlphabet::GsmPacked).unwrap().1, [0xd0, 0x65, 0x36, 0xfb, 0x0d]);
    }

    #[test]
    fn a_validity_is_a_time_from_now() {
        let said = [Some(60), Some(604_800), Some(90_061)].map(|seconds| validity_period(seconds).to_string());
        assert_eq!(said, ["000000000100000R", "000007000000000R", "000001010101000R"]);
        assert_eq!(validity_period(None), EmptyOrFullCOctetString::empty());
    }
}
