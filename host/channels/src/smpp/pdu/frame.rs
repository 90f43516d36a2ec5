use std::io;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};

use super::header::{HEADER, Header};

/// The longest PDU: `message_payload` has at most 64 KiB, and the other fields fit into the rest.
const MOST: usize = 68 * 1024;
const CHUNK: usize = 8 * 1024;

#[derive(Debug, Clone)]
pub(in crate::smpp) struct PduFrame {
    pub header: Header,
    pub body: Bytes,
}

#[derive(Debug, thiserror::Error)]
pub(in crate::smpp) enum FrameError {
    #[error("the connection was closed")]
    Closed,
    #[error("the connection was lost: {0}")]
    Lost(#[from] io::Error),
    #[error("the SMSC announced a PDU of {0} octets; 16 to {MOST} are possible")]
    Length(u32),
}

pub(in crate::smpp) struct Frames<R> {
    reader: R,
    buffer: BytesMut,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(in crate::smpp) fn new(reader: R) -> Self {
        Self { reader, buffer: BytesMut::new() }
    }

    /// Returns the next PDU. No bytes are lost if this is dropped before its end.
    pub(in crate::smpp) async fn next(&mut self) -> Result<PduFrame, FrameError> {
        loop {
            if let Some(frame) = self.cut()? {
                return Ok(frame);
            }
            self.buffer.reserve(CHUNK);
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return Err(FrameError::Closed);
            }
        }
    }

    fn cut(&mut self) -> Result<Option<PduFrame>, FrameError> {
        let Some(first) = self.buffer.first_chunk::<HEADER>() else { return Ok(None) };
        let (announced, header) = Header::read(*first);
        let length = usize::try_from(announced).unwrap_or(usize::MAX);
        if !(HEADER..=MOST).contains(&length) {
            return Err(FrameError::Length(announced));
        }
        if self.buffer.len() < length {
            return Ok(None);
        }
        let mut pdu = self.buffer.split_to(length);
        pdu.advance(HEADER);
        Ok(Some(PduFrame { header, body: pdu.freeze() }))
    }
}

#[cfg(test)]
mod tests {
    use rusmpp::CommandId;

    use super::*;

    fn pdu(sequence: u32, body: &[u8]) -> Vec<u8> {
        Header::request(CommandId::DeliverSm, sequence).with(body)
    }

    #[tokio::test]
    async fn pdus_are_cut_correctly_at_any_read_boundary() {
        let octets = [pdu(1, b"one"), pdu(2, b""), pdu(3, &[7; 20_000])].concat();
        for step in [1, 5, 16, 17, 4_096, octets.len()] {
            let mut reads = arriving(&octets, step);
            for (sequence, length) in [(1, 3), (2, 0), (3, 20_000)] {
                let frame = reads.next().await.unwrap();
                assert_eq!((frame.header.sequence, frame.body.len()), (sequence, length), "{step}");
            }
            assert!(matches!(reads.next().await, Err(FrameError::Closed)));
        }
    }

    #[tokio::test]
    async fn a_length_that_no_pdu_has_ends_the_reading() {
        for announced in [0_u32, 15, 68 * 1024 + 1, u32::MAX] {
            let mut octets = pdu(1, b"");
            octets[..4].copy_from_slice(&announced.to_be_bytes());
            let mut frames = Frames::new(octets.as_slice());
            assert!(matches!(frames.next().await, Err(FrameError::Length(length)) if length == announced));
        }
        let longest = pdu(1, &vec![0; MOST - HEADER]);
        assert!(Frames::new(longest.as_slice()).next().await.is_ok());
    }

    fn arriving(octets: &[u8], step: usize) -> Frames<impl AsyncRead + Unpin + use<>> {
        let chunks: Vec<io::Result<Bytes>> = octets.chunks(step).map(|part| Ok(Bytes::copy_from_slice(part))).collect();
        Frames::new(tokio_util::io::StreamReader::new(futures::stream::iter(chunks)))
    }
}
