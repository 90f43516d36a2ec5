//! Optional parameters (SMPP 3.4, 5.3). Unknown ones are skipped, and one that is cut ends the list.

/// Longest stored message id: SMPP allows 64 characters, but some SMSCs exceed it.
const MOST_ID: usize = 255;

const RECEIPTED_MESSAGE_ID: u16 = 0x001e;
const SAR_MSG_REF_NUM: u16 = 0x020c;
const SAR_TOTAL_SEGMENTS: u16 = 0x020e;
const SAR_SEGMENT_SEQNUM: u16 = 0x020f;
const NETWORK_ERROR_CODE: u16 = 0x0423;
const MESSAGE_PAYLOAD: u16 = 0x0424;
const MESSAGE_STATE: u16 = 0x0427;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::smpp) struct PduParameters {
    pub receipted_id: Option<String>,
    pub state: Option<u8>,
    pub error: Option<u16>,
    pub payload: Option<Vec<u8>>,
    pub sar_reference: Option<u16>,
    pub sar_total: Option<u8>,
    pub sar_number: Option<u8>,
}

impl PduParameters {
    /// Reads a list; `false` if it does not end with its last parameter.
    pub(in crate::smpp) fn read(mut rest: &[u8]) -> (Self, bool) {
        let mut read = Self::default();
        while let [t0, t1, l0, l1, after @ ..] = rest {
            let tag = u16::from_be_bytes([*t0, *t1]);
            let length = usize::from(u16::from_be_bytes([*l0, *l1]));
            let Some((value, next)) = after.split_at_checked(length) else {
                // The beginning of a cut text is better than nothing. A cut id would name another message.
                if tag == MESSAGE_PAYLOAD {
                    read.set(tag, after);
                }
                return (read, false);
            };
            read.set(tag, value);
            rest = next;
        }
        (read, rest.is_empty())
    }

    fn set(&mut self, tag: u16, value: &[u8]) {
        match (tag, value) {
            (RECEIPTED_MESSAGE_ID, id) => self.receipted_id = Some(message_id(id)).filter(|id| !id.is_empty()),
            (MESSAGE_STATE, [state] | [0, state]) => self.state = Some(*state),
            // Kind of network, then its code; some leave the kind out.
            (NETWORK_ERROR_CODE, [_, high, low] | [high, low]) => self.error = Some(u16::from_be_bytes([*high, *low])),
            (MESSAGE_PAYLOAD, payload) => self.payload = Some(payload.to_vec()),
            (SAR_MSG_REF_NUM, [high, low]) => self.sar_reference = Some(u16::from_be_bytes([*high, *low])),
            (SAR_MSG_REF_NUM, [low]) => self.sar_reference = Some(u16::from(*low)),
            (SAR_TOTAL_SEGMENTS, [total]) => self.sar_total = Some(*total),
            (SAR_SEGMENT_SEQNUM, [number]) => self.sar_number = Some(*number),
            _ => {}
        }
    }
}

/// A message id, up to its NUL or to the end. Different octets above 0x7F stay different.
pub(in crate::smpp) fn message_id(octets: &[u8]) -> String {
    octets.iter().take_while(|octet| **octet != 0).take(MOST_ID).map(|octet| char::from(*octet)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tlv(tag: u16, value: &[u8]) -> Vec<u8> {
        let length = u16::try_from(value.len()).unwrap();
        [&tag.to_be_bytes()[..], &length.to_be_bytes()[..], value].concat()
    }

    #[test]
    fn an_id_is_read_with_and_without_its_nul_and_however_long() {
        for value in [&b"M-1"[..], b"M-1\0", b"M-1\0\0", b"M-1\0rest"] {
            assert_eq!(PduParameters::read(&tlv(0x1e, value)).0.receipted_id.as_deref(), Some("M-1"));
        }
        assert_eq!(PduParameters::read(&tlv(0x1e, b"\0")).0.receipted_id, None);
        assert_eq!(message_id(&[b'7'; 300]).len(), 255);
    }

    #[test]
    fn an_unknown_parameter_is_skipped_and_a_cut_one_ends_the_list() {
        let list = [tlv(0x1401, b"vendor"), tlv(0x0427, &[2]), tlv(0x0423, &[3, 0, 8])].concat();
        let (read, whole) = PduParameters::read(&list);
        assert_eq!((read.state, read.error, whole), (Some(2), Some(8), true));
        for cut in 1..tlv(0x0423, &[3, 0, 8]).len() {
            let (read, whole) = PduParameters::read(&list[..list.len() - cut]);
            assert_eq!((read.state, read.error), (Some(2), None), "{cut}");
            assert!(!whole);
        }
        assert_eq!(
            PduParameters::read(&tlv(0x1e, b"M-12")[..6]).0.receipted_id,
            None,
            "half an id names another message"
        );
        assert_eq!(PduParameters::read(&tlv(0x0424, b"Hello")[..7]).0.payload.as_deref(), Some(&b"Hel"[..]));
    }

    #[test]
    fn values_of_another_length_are_skipped() {
        let list = [tlv(0x0427, &[]), tlv(0x0423, &[1]), tlv(0x020c, &[1, 2, 3])].concat();
        assert_eq!(PduParameters::read(&list), (PduParameters::default(), true));
        let list = [tlv(0x0427, &[0, 5]), tlv(0x0423, &[0, 9]), tlv(0x020c, &[7])].concat();
        let (read, _) = PduParameters::read(&list);
        assert_eq!((read.state, read.error, read.sar_reference), (Some(5), Some(9), Some(7)));
    }
}
