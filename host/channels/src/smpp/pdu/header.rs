//! The header of a PDU: length, command, status and sequence number, four octets each (SMPP 3.4, 3.2).

use rusmpp::{CommandId, CommandStatus};

pub(in crate::smpp) const HEADER: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::smpp) struct Header {
    pub command: CommandId,
    pub status: CommandStatus,
    pub sequence: u32,
}

impl Header {
    pub(in crate::smpp) fn new(command: CommandId, status: CommandStatus, sequence: u32) -> Self {
        Self { command, status, sequence }
    }

    pub(in crate::smpp) fn request(command: CommandId, sequence: u32) -> Self {
        Self::new(command, CommandStatus::EsmeRok, sequence)
    }

    pub(in crate::smpp) fn answer(self, status: CommandStatus) -> Self {
        Self::new(self.command.matching_response(), status, self.sequence)
    }

    pub(in crate::smpp) fn read(octets: [u8; HEADER]) -> (u32, Self) {
        let [l0, l1, l2, l3, c0, c1, c2, c3, t0, t1, t2, t3, s0, s1, s2, s3] = octets;
        let header = Self {
            command: CommandId::from(u32::from_be_bytes([c0, c1, c2, c3])),
            status: CommandStatus::from(u32::from_be_bytes([t0, t1, t2, t3])),
            sequence: u32::from_be_bytes([s0, s1, s2, s3]),
        };
        (u32::from_be_bytes([l0, l1, l2, l3]), header)
    }

    pub(in crate::smpp) fn with(self, body: &[u8]) -> Vec<u8> {
        // Bodies are a few hundred octets long: see `submit::MOST_OCTETS`.
        let length = u32::try_from(HEADER + body.len()).unwrap_or(u32::MAX);
        let mut pdu = Vec::with_capacity(HEADER + body.len());
        for word in [length, u32::from(self.command), u32::from(self.status), self.sequence] {
            pdu.extend_from_slice(&word.to_be_bytes());
        }
        pdu.extend_from_slice(body);
        pdu
    }
}
