//! HTTP/2 by hand (RFC 9113, RFC 7541): frames that no client library would send. Connections are without TLS and begin
//! with prior knowledge.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{Mutex, watch},
};

use crate::{sources::Source, stage::Ground};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Types of frames.
pub mod frame {
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PING: u8 = 6;
    pub const WINDOW_UPDATE: u8 = 8;
    pub const CONTINUATION: u8 = 9;
}

pub const END_STREAM: u8 = 1;
pub const END_HEADERS: u8 = 4;
const ACK: u8 = 1;
const INITIAL_WINDOW_SIZE: u16 = 4;

/// A connection. Its frames are read and thrown away; SETTINGS and PING are acknowledged.
#[derive(Clone)]
pub struct Http2 {
    writer: Arc<Mutex<OwnedWriteHalf>>,
    ended: watch::Receiver<bool>,
    answers: Arc<AtomicU32>,
    host: String,
    source: Source,
}

impl Http2 {
    /// Opens a connection whose streams may receive `window` bytes each.
    pub async fn open(ground: &Ground, source: Source, window: u32) -> Option<Self> {
        Self::begin(source.connect(ground.http).await.ok()?, ground, source, window).await
    }

    async fn begin(stream: TcpStream, ground: &Ground, source: Source, window: u32) -> Option<Self> {
        let (reader, mut writer) = stream.into_split();
        let mut settings = INITIAL_WINDOW_SIZE.to_be_bytes().to_vec();
        settings.extend(window.to_be_bytes());
        let opening = [PREFACE, &encode(frame::SETTINGS, 0, 0, &settings)].concat();
        writer.write_all(&opening).await.ok()?;
        let writer = Arc::new(Mutex::new(writer));
        let (end, ended) = watch::channel(false);
        let answers = Arc::new(AtomicU32::new(0));
        tokio::spawn(answer(reader, Arc::clone(&writer), Arc::clone(&answers), end));
        Some(Self { writer, ended, answers, host: ground.http.to_string(), source })
    }

    /// Sends a frame; false if the connection has ended.
    pub async fn send(&self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> bool {
        self.write(&encode(kind, flags, stream, payload)).await
    }

    /// Sends bytes as they are.
    pub async fn write(&self, bytes: &[u8]) -> bool {
        self.writer.lock().await.write_all(bytes).await.is_ok()
    }

    /// Asks for a path on the n-th stream, from 0, and sends no body.
    pub async fn get(&self, number: u32, path: &str, more: &[(&str, &str)]) -> bool {
        self.write(&self.get_frame(number, path, more)).await
    }

    /// The frame of that request.
    pub fn get_frame(&self, number: u32, path: &str, more: &[(&str, &str)]) -> Vec<u8> {
        let block = self.block("GET", path, more);
        encode(frame::HEADERS, END_HEADERS | END_STREAM, stream(number), &block)
    }

    /// The header block of a request.
    pub fn block(&self, method: &str, path: &str, more: &[(&str, &str)]) -> Vec<u8> {
        let mut block = Vec::new();
        for (name, value) in [(":method", method), (":scheme", "http"), (":path", path), (":authority", &self.host)] {
            field(&mut block, name, value);
        }
        if let Some((name, value)) = self.source.header() {
            field(&mut block, name, &value);
        }
        for (name, value) in more {
            field(&mut block, name, value);
        }
        block
    }

    /// The number of complete answers.
    pub fn answers(&self) -> u32 {
        self.answers.load(Ordering::Relaxed)
    }

    /// Whether the program has ended the connection.
    pub fn has_ended(&self) -> bool {
        *self.ended.borrow()
    }
}

/// The id of the n-th stream of a client.
pub fn stream(number: u32) -> u32 {
    2 * number + 1
}

/// Bytes of a frame.
pub fn encode(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = vec![length[1], length[2], length[3], kind, flags];
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Adds a field to a header block: a literal without indexing and without Huffman codes.
pub fn field(block: &mut Vec<u8>, name: &str, value: &str) {
    block.push(0);
    text(block, name);
    text(block, value);
}

fn text(block: &mut Vec<u8>, text: &str) {
    let mut left = text.len();
    if left < 127 {
        block.push(u8::try_from(left).unwrap());
    } else {
        block.push(127);
        left -= 127;
        while left >= 128 {
            block.push(u8::try_from(left % 128).unwrap() | 128);
            left /= 128;
        }
        block.push(u8::try_from(left).unwrap());
    }
    block.extend(text.as_bytes());
}

async fn answer(
    mut reader: OwnedReadHalf,
    writer: Arc<Mutex<OwnedWriteHalf>>,
    answers: Arc<AtomicU32>,
    end: watch::Sender<bool>,
) {
    let mut head = [0; 9];
    let mut payload = Vec::new();
    while reader.read_exact(&mut head).await.is_ok() {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        payload.resize(usize::try_from(length).unwrap(), 0);
        if reader.read_exact(&mut payload).await.is_err() {
            break;
        }
        let (kind, flags) = (head[3], head[4]);
        // A stream that was reset has its answer, too.
        let ends = matches!(kind, frame::DATA | frame::HEADERS) && flags & END_STREAM != 0;
        if ends || kind == frame::RST_STREAM {
            answers.fetch_add(1, Ordering::Relaxed);
        }
        let wants_answer = matches!(kind, frame::SETTINGS | frame::PING) && flags & ACK == 0;
        if wants_answer {
            let echoed: &[u8] = if kind == frame::PING { &payload } else { &[] };
            if writer.lock().await.write_all(&encode(kind, ACK, 0, echoed)).await.is_err() {
                break;
            }
        }
    }
    end.send_replace(true);
}
