//! WebSockets from a chosen source.

use std::net::SocketAddr;

use futures::{SinkExt, StreamExt};
use harness::TestSite;
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, net::TcpStream};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest, http::HeaderValue},
};

use crate::{sources::Source, stage::ORIGIN};

/// Why a step failed, in a few words: reasons are counted.
pub type Failed = String;

/// A WebSocket.
pub struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    /// Opens one at a path, with these headers.
    pub async fn open(
        source: Source,
        to: SocketAddr,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, Failed> {
        let stream = source.connect(to).await.map_err(|error| format!("connect: {}", error.kind()))?;
        Self::open_on(stream, source, to, path, headers).await
    }

    /// Opens one on a connection.
    pub async fn open_on(
        stream: TcpStream,
        source: Source,
        to: SocketAddr,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, Failed> {
        let mut request = format!("ws://{to}{path}").into_client_request().map_err(|error| error.to_string())?;
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
        }
        if let Some((name, value)) = source.header() {
            request.headers_mut().insert(name, HeaderValue::from_str(&value).unwrap());
        }
        let opened = client_async(request, stream).await;
        opened.map(|(socket, _)| Self(socket)).map_err(|error| format!("socket: {error}"))
    }

    /// Opens the socket of a widget and says hello.
    pub async fn widget(source: Source, to: SocketAddr, site: &TestSite, token: &str) -> Result<Self, Failed> {
        let stream = source.connect(to).await.map_err(|error| format!("connect: {}", error.kind()))?;
        Self::widget_on(stream, source, to, site, token).await
    }

    /// The same on a connection.
    pub async fn widget_on(
        stream: TcpStream,
        source: Source,
        to: SocketAddr,
        site: &TestSite,
        token: &str,
    ) -> Result<Self, Failed> {
        let path = format!("/web-chat/socket?site={}", site.key);
        let headers = [("origin", ORIGIN), ("sec-websocket-protocol", "patchbay.web-chat.v1")];
        let mut socket = Self::open_on(stream, source, to, &path, &headers).await?;
        socket.say(&json!({ "type": "hello", "token": token })).await?;
        Ok(socket)
    }

    /// Sends a frame.
    pub async fn say(&mut self, frame: &Value) -> Result<(), Failed> {
        self.0.send(Message::text(frame.to_string())).await.map_err(|_| "the socket is closed".to_owned())
    }

    /// Sends a frame in fragments without content, which does not end.
    pub async fn send_fragments(mut self) {
        // A part of a text, and parts that continue it, with a mask of zeros (RFC 6455, 5.2).
        let begin = [0x01, 0x80, 0, 0, 0, 0];
        let more = [0x00, 0x80, 0, 0, 0, 0].repeat(10_000);
        let stream = self.0.get_mut();
        if stream.write_all(&begin).await.is_ok() {
            while stream.write_all(&more).await.is_ok() {}
        }
    }

    /// The first frame that is `wanted`; others are passed over.
    pub async fn hear(&mut self, wanted: impl Fn(&Value) -> bool) -> Result<Value, Failed> {
        while let Some(frame) = self.0.next().await {
            match frame.map_err(|_| "the socket broke".to_owned())? {
                Message::Text(text) => {
                    let frame: Value = serde_json::from_str(&text).map_err(|_| "a frame is no JSON".to_owned())?;
                    if wanted(&frame) {
                        return Ok(frame);
                    }
                }
                Message::Close(Some(frame)) => return Err(format!("closed with {}", frame.code)),
                _ => {}
            }
        }
        Err("the socket ended".to_owned())
    }

    /// Sends the frame at this pace, and reads everything that comes, until the end.
    pub async fn flood(self, frame: &Value, pace: std::time::Duration) {
        let (mut sink, mut stream) = self.0.split();
        let frame = Message::text(frame.to_string());
        let sending = async {
            while sink.send(frame.clone()).await.is_ok() {
                tokio::time::sleep(pace).await;
            }
        };
        let reading = async { while let Some(Ok(_)) = stream.next().await {} };
        tokio::select! {
            () = sending => {}
            () = reading => {}
        }
    }

    /// Reads everything that comes, until the end.
    pub async fn drain(&mut self) {
        while let Some(Ok(_)) = self.0.next().await {}
    }
}

/// Begins a visit; answers its token.
pub async fn visit(http: &reqwest::Client, base: &str, site: &TestSite) -> Result<String, Failed> {
    let url = format!("{base}/web-chat/sessions?site={}", site.key);
    let sent = http.post(url).header("Origin", ORIGIN).json(&json!({})).send().await;
    let reply = sent.map_err(|_| "no answer to a visit".to_owned())?;
    let status = reply.status().as_u16();
    let body: Value = reply.json().await.map_err(|_| format!("visit: {status}"))?;
    body["token"].as_str().map(str::to_owned).ok_or(format!("visit: {status}"))
}
