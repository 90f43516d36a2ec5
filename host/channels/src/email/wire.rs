//! Bytes of a session: lines of commands, and the text of a mail with its strict end.

use std::{io, time::Duration};

use smtp_proto::request::receiver::DataReceiver;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time::{Instant, timeout, timeout_at},
};

/// Bytes of a line at most, its end included (RFC 5321 4.5.3.1.6).
pub(super) const LINE_MAX: usize = 1000;
/// Bytes that are read of a mail that is too large, before the session ends.
const FLOOD_MAX: usize = 32 << 20;
/// Fewest bytes of a text per second, after [`START`].
const PACE: usize = 1024;
const START: Duration = Duration::from_secs(5);
/// Read at once.
const PIECE: usize = 16 * 1024;

#[derive(Debug)]
pub(super) struct PeerLoss;

impl std::convert::From<io::Error> for PeerLoss {
    fn from(_: io::Error) -> Self {
        Self
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum CommandLine {
    Whole(Vec<u8>),
    TooLong,
    /// It does not end with CR and LF.
    BadEnd,
    Late,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Text {
    Whole(Vec<u8>),
    TooLarge,
    TooSlow,
    LineTooLong,
    /// A CR without LF, or a LF without CR: mail servers disagree where such a line ends.
    BareEnd,
}

pub(super) struct MailWire<S> {
    stream: S,
    /// Bytes that were read and not used.
    input: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> MailWire<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, input: Vec::new() }
    }

    /// Bytes that were read ahead are dropped, so that no commands can be sent before the TLS handshake.
    pub(super) fn into_stream(self) -> S {
        self.stream
    }

    pub(super) async fn send_line(&mut self, text: &str, within: Duration) -> Result<(), PeerLoss> {
        let writing = async {
            self.stream.write_all(text.as_bytes()).await?;
            self.stream.flush().await
        };
        Ok(timeout(within, writing).await.map_err(|_| PeerLoss)??)
    }

    pub(super) async fn line(&mut self, within: Duration) -> Result<CommandLine, PeerLoss> {
        match timeout(within, self.read_line()).await {
            Ok(line) => line,
            Err(_) => Ok(CommandLine::Late),
        }
    }

    async fn read_line(&mut self) -> Result<CommandLine, PeerLoss> {
        loop {
            if let Some(end) = self.input.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.input.drain(..=end).collect();
                return Ok(match line.as_slice() {
                    line if line.len() > LINE_MAX => CommandLine::TooLong,
                    [head @ .., b'\r', b'\n'] if !head.contains(&b'\r') => CommandLine::Whole(line),
                    _ => CommandLine::BadEnd,
                });
            }
            if self.input.len() >= LINE_MAX {
                return Ok(CommandLine::TooLong);
            }
            self.fill().await?;
        }
    }

    /// The text of a mail, up to `size_max` bytes of it. `came` is called when bytes of it come.
    pub(super) async fn text(&mut self, size_max: usize, within: Duration, came: impl Fn()) -> Result<Text, PeerLoss> {
        timeout(within, self.read_text(size_max, came)).await.map_err(|_| PeerLoss)?
    }

    async fn read_text(&mut self, size_max: usize, came: impl Fn()) -> Result<Text, PeerLoss> {
        let began = Instant::now();
        let mut receiver = DataReceiver::new();
        let mut text = Vec::new();
        // The end of the command line counts as the end of a line: a dot on the first line ends the text.
        receiver.ingest(&mut b"\r\n".iter(), &mut text);
        text.clear();
        let mut read = 0;
        let mut too_large = false;
        loop {
            if self.input.is_empty() {
                let earned = u64::try_from(read / PACE).unwrap_or(u64::MAX);
                match timeout_at(began + START + Duration::from_secs(earned), self.fill()).await {
                    Ok(filled) => filled?,
                    Err(_) => return Ok(Text::TooSlow),
                }
                came();
            }
            let mut bytes = self.input.iter();
            let ended = receiver.ingest(&mut bytes, &mut text);
            let left = bytes.len();
            let used = self.input.len() - left;
            self.input.drain(..used);
            read += used;
            too_large |= text.len() > size_max;
            if ended {
                return Ok(if too_large { Text::TooLarge } else { check_lines(text) });
            }
            if too_large {
                text.clear();
            }
            if read > FLOOD_MAX {
                return Err(PeerLoss);
            }
        }
    }

    async fn fill(&mut self) -> Result<(), PeerLoss> {
        let mut piece = [0; PIECE];
        let read = self.stream.read(&mut piece).await?;
        if read == 0 {
            return Err(PeerLoss);
        }
        self.input.extend(piece.iter().take(read));
        Ok(())
    }
}

fn check_lines(text: Vec<u8>) -> Text {
    let mut in_line = 0;
    let mut before = b'\n';
    for byte in &text {
        let bare = match (before, *byte) {
            (b'\r', b'\n') => false,
            (b'\r', _) => true,
            (_, b'\n') => true,
            _ => false,
        };
        if bare {
            return Text::BareEnd;
        }
        in_line += 1;
        if in_line > LINE_MAX {
            return Text::LineTooLong;
        }
        if *byte == b'\n' {
            in_line = 0;
        }
        before = *byte;
    }
    if before == b'\r' { Text::BareEnd } else { Text::Whole(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(5);

    async fn wire(said: &[u8]) -> MailWire<tokio::io::DuplexStream> {
        let (near, mut far) = tokio::io::duplex(1 << 20);
        far.write_all(said).await.unwrap();
        drop(far);
        MailWire::new(near)
    }

    async fn text(said: &[u8]) -> Result<Text, PeerLoss> {
        wire(said).await.text(2000, SOON, || ()).await
    }

    #[tokio::test]
    async fn only_a_dot_between_whole_line_ends_ends_a_mail() {
        for (said, left) in
            [(&b"a\r\n.\r\nQUIT\r\n"[..], &b"a\r\n"[..]), (b".\r\nQUIT\r\n", b""), (b"..a\r\n.\r\n", b".a\r\n")]
        {
            let Ok(Text::Whole(text)) = text(said).await else { panic!("{said:?}") };
            assert_eq!(text, left);
        }
        for smuggled in [
            &b"a\n.\nMAIL FROM:<x@y>\r\n"[..],
            b"a\r\n.\nMAIL\r\n",
            b"a\n.\r\nMAIL\r\n",
            b"a\r.\rMAIL\r\n",
            b"a\r\n.\rMAIL\r\n",
        ] {
            assert!(text(smuggled).await.is_err(), "{smuggled:?} ended a mail");
            let whole = [smuggled, b"\r\n.\r\n"].concat();
            assert_eq!(text(&whole).await.unwrap(), Text::BareEnd, "{smuggled:?}");
        }
    }

    #[tokio::test]
    async fn bytes_after_the_end_are_the_next_command() {
        let mut wire = wire(b"a\r\n.\r\nRSET\r\nQUIT\r\n").await;
        wire.text(2000, SOON, || ()).await.unwrap();
        assert_eq!(wire.line(SOON).await.unwrap(), CommandLine::Whole(b"RSET\r\n".to_vec()));
        assert_eq!(wire.line(SOON).await.unwrap(), CommandLine::Whole(b"QUIT\r\n".to_vec()));
        assert!(wire.line(SOON).await.is_err());
    }

    #[tokio::test]
    async fn a_mail_that_is_too_large_is_read_to_its_end() {
        let line = [vec![b'x'; 98], b"\r\n".to_vec()].concat();
        let exact = [line.repeat(20), b".\r\n".to_vec()].concat();
        assert!(matches!(text(&exact).await, Ok(Text::Whole(text)) if text.len() == 2000));
        let mut wire = wire(&[line.repeat(1000), b"y\r\n.\r\nNOOP\r\n".to_vec()].concat()).await;
        assert_eq!(wire.text(2000, SOON, || ()).await.unwrap(), Text::TooLarge);
        assert_eq!(wire.line(SOON).await.unwrap(), CommandLine::Whole(b"NOOP\r\n".to_vec()));
    }

    #[tokio::test]
    async fn a_line_has_a_thousand_bytes_at_most() {
        let of = |length: usize| [vec![b'x'; length - 2], b"\r\n.\r\n".to_vec()].concat();
        assert!(matches!(text(&of(1000)).await, Ok(Text::Whole(_))));
        assert_eq!(text(&of(1001)).await.unwrap(), Text::LineTooLong);
        let command = |length: usize| [vec![b'x'; length - 2], b"\r\n".to_vec()].concat();
        assert!(matches!(wire(&command(1000)).await.line(SOON).await, Ok(CommandLine::Whole(_))));
        assert_eq!(wire(&command(1001)).await.line(SOON).await.unwrap(), CommandLine::TooLong);
    }

    #[tokio::test]
    async fn a_command_ends_with_both() {
        assert_eq!(wire(b"NOOP\n").await.line(SOON).await.unwrap(), CommandLine::BadEnd);
        assert_eq!(wire(b"NO\rOP\r\n").await.line(SOON).await.unwrap(), CommandLine::BadEnd);
    }

    #[tokio::test(start_paused = true)]
    async fn a_text_must_arrive_at_a_minimum_pace() {
        let begin = Instant::now();
        let (near, mut far) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            while far.write_all(b"0123456789").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(900)).await;
            }
        });
        let mut wire = MailWire::new(near);
        let (long, came) = (Duration::from_secs(300), std::cell::Cell::new(0));
        let text = wire.text(2000, long, || came.set(came.get() + 1)).await.unwrap();
        assert_eq!((text, begin.elapsed().as_secs(), came.get()), (Text::TooSlow, 5, 6));
    }

    #[tokio::test]
    async fn a_silent_connection_times_out() {
        let (near, _far) = tokio::io::duplex(16);
        let mut wire = MailWire::new(near);
        assert_eq!(wire.line(Duration::from_millis(1)).await.unwrap(), CommandLine::Late);
        assert!(wire.text(10, Duration::from_millis(1), || ()).await.is_err());
    }
}
