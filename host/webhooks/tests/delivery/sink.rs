//! A webhook receiver with scripted answers, which records its requests.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

/// A request that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Names in lower case.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        &self.headers[name]
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub after: Duration,
}

impl Answer {
    pub fn at_once(status: u16) -> Self {
        Self { status, after: Duration::ZERO }
    }

    pub fn after_millis(millis: u64) -> Self {
        Self { status: 200, after: Duration::from_millis(millis) }
    }
}

type Script = dyn Fn(usize) -> Answer + Send + Sync;

/// The receiver; it listens until the test ends.
pub struct Sink {
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Sink {
    /// `script` returns the answer to the request with this number, counted from 0.
    pub async fn answering(script: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let (script, log): (Arc<Script>, _) = (Arc::new(script), Arc::clone(&received));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, log) = (Arc::clone(&script), Arc::clone(&log));
                tokio::spawn(async move { drop(serve(stream, &*script, &log).await) });
            }
        });
        Self { url, received }
    }

    /// The requests so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Waits until so many requests have come in; they need not have been answered.
    pub async fn has_received(&self, count: usize) {
        while self.received.lock().unwrap().len() < count {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

async fn serve(stream: TcpStream, script: &Script, log: &Mutex<Vec<Received>>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let mut headers = HashMap::new();
        loop {
            let mut header = String::new();
            stream.read_line(&mut header).await?;
            let Some((name, value)) = header.trim_end().split_once(": ") else { break };
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let place = {
            let mut log = log.lock().unwrap();
            log.push(Received { headers, body });
            log.len() - 1
        };
        let answer = script(place);
        tokio::time::sleep(answer.after).await;
        let head = format!("HTTP/1.1 {} Answer\r\ncontent-length: 0\r\n\r\n", answer.status);
        stream.write_all(head.as_bytes()).await?;
    }
}
