//! An SMSC of the tests that writes bytes, so that it can send PDUs that no library sends.

use std::time::Duration;

use channels::smpp::SmppUrl;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use crate::smpp_peer::SOON;

pub const SUBMIT_SM: u32 = 4;
pub const DELIVER_SM: u32 = 5;
pub const UNBIND: u32 = 6;
pub const BIND_TRANSCEIVER: u32 = 9;
pub const ENQUIRE_LINK: u32 = 0x15;
pub const DATA_SM: u32 = 0x103;
pub const GENERIC_NACK: u32 = 0x8000_0000;
pub const RESPONSE: u32 = 0x8000_0000;

/// Where it is.
pub struct Smsc {
    listener: TcpListener,
}

/// One connection to it.
pub struct Session {
    pub stream: TcpStream,
    read: Vec<u8>,
    /// The next sequence number of its own PDUs.
    sequence: u32,
}

/// A PDU as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdu {
    pub command: u32,
    pub status: u32,
    pub sequence: u32,
    pub body: Vec<u8>,
}

impl Smsc {
    pub async fn start() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.unwrap() }
    }

    pub fn url(&self, options: &str) -> SmppUrl {
        let port = self.listener.local_addr().unwrap().port();
        SmppUrl::parse(&format!("smpp://esme:secret@127.0.0.1:{port}?mode=trx&name=raw&{options}")).unwrap()
    }

    /// The next connection.
    pub async fn accept(&self) -> Session {
        let (stream, _) = timeout(SOON, self.listener.accept()).await.expect("no connection came").unwrap();
        Session { stream, read: Vec::new(), sequence: 0 }
    }

    /// The next connection, its bind answered with this status and body.
    pub async fn answer_bind(&self, status: u32, body: &[u8]) -> Session {
        let mut session = self.accept().await;
        let bind = session.expect(BIND_TRANSCEIVER).await;
        session.answer(&bind, status, body).await;
        session
    }

    /// The next connection, bound.
    pub async fn bound(&self) -> Session {
        self.answer_bind(0, b"smsc\0").await
    }
}

impl Session {
    /// The next PDU; `None` at the end of the connection.
    pub async fn next(&mut self) -> Option<Pdu> {
        loop {
            if let Some(pdu) = self.cut() {
                return Some(pdu);
            }
            let mut octets = [0; 4_096];
            match self.stream.read(&mut octets).await {
                Ok(0) | Err(_) => return None,
                Ok(length) => self.read.extend_from_slice(&octets[..length]),
            }
        }
    }

    fn cut(&mut self) -> Option<Pdu> {
        let word = |at: usize| Some(u32::from_be_bytes(self.read.get(at..at + 4)?.try_into().unwrap()));
        let length = word(0)? as usize;
        let (command, status, sequence) = (word(4)?, word(8)?, word(12)?);
        let body = self.read.get(16..length)?.to_vec();
        self.read.drain(..length);
        Some(Pdu { command, status, sequence, body })
    }

    /// Returns the next PDU of this command. It answers `enquire_link` during the wait, and no other PDU may come.
    pub async fn expect(&mut self, command: u32) -> Pdu {
        let waiting = async {
            loop {
                let pdu = self.next().await.expect("the connection ended");
                if pdu.command == command {
                    return pdu;
                }
                assert_eq!(pdu.command, ENQUIRE_LINK, "{pdu:?} instead of {command:#x}");
                self.answer(&pdu, 0, b"").await;
            }
        };
        timeout(SOON, waiting).await.unwrap_or_else(|_| panic!("no {command:#x} came"))
    }

    /// Returns at the end of the connection. Earlier PDUs are dropped.
    pub async fn ended(&mut self) {
        timeout(SOON, async { while self.next().await.is_some() {} }).await.expect("the connection did not end");
    }

    pub async fn answer(&mut self, request: &Pdu, status: u32, body: &[u8]) {
        self.write(request.command | RESPONSE, status, request.sequence, body).await;
    }

    /// Sends a request and says its number.
    pub async fn send(&mut self, command: u32, body: &[u8]) -> u32 {
        self.sequence += 1;
        self.write(command, 0, self.sequence, body).await;
        self.sequence
    }

    pub async fn write(&mut self, command: u32, status: u32, sequence: u32, body: &[u8]) {
        self.stream.write_all(&pdu(command, status, sequence, body)).await.unwrap();
    }

    /// Whether nothing comes for a while; `enquire_link` is answered.
    pub async fn is_quiet(&mut self, time: Duration) -> bool {
        let waiting = async {
            while let Some(pdu) = self.next().await {
                if pdu.command != ENQUIRE_LINK {
                    return;
                }
                self.answer(&pdu, 0, b"").await;
            }
        };
        timeout(time, waiting).await.is_err()
    }
}

pub fn pdu(command: u32, status: u32, sequence: u32, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(16 + body.len()).unwrap();
    let header = [length, command, status, sequence].map(u32::to_be_bytes).concat();
    [header.as_slice(), body].concat()
}

/// The body of a `deliver_sm` with this source (its NUL included), class, coding, text and parameters.
pub fn deliver_sm(source: &[u8], (esm_class, data_coding): (u8, u8), text: &[u8], parameters: &[u8]) -> Vec<u8> {
    let length = u8::try_from(text.len()).unwrap();
    let fixed = [esm_class, 0, 0, 0, 0, 0, 0, data_coding, 0, length];
    [b"\0\x01\x01", source, b"\x01\x0127110000000\0", &fixed, text, parameters].concat()
}

/// An optional parameter.
pub fn tlv(tag: u16, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(value.len()).unwrap();
    [&tag.to_be_bytes()[..], &length.to_be_bytes()[..], value].concat()
}
