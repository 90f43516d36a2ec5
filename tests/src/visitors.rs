//! Visitors of web sites, who speak to the program as the widget does.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest, http::HeaderValue},
};

use crate::{ClientReply, Patchbay, TestClient};

/// How long a frame is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A site of a client.
#[derive(Debug, Clone)]
pub struct TestSite {
    /// Its id.
    pub id: String,
    /// Its key.
    pub key: String,
    /// The one origin that may show the widget.
    pub origin: String,
}

impl TestClient {
    /// A site whose pages are at this origin; `more` = other fields of the request.
    pub async fn new_site(&self, origin: &str, more: Value) -> TestSite {
        let mut body = json!({ "name": "Shop", "origins": [origin] });
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        let made = self.post("/messaging-service/web/sites", &body).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let text = |field: &str| made.json()[field].as_str().unwrap().to_owned();
        TestSite { id: text("id"), key: text("siteKey"), origin: origin.to_owned() }
    }
}

/// A page of a site in a browser.
pub struct TestVisitor {
    base: String,
    http: reqwest::Client,
    site: TestSite,
    /// The token of the session.
    pub token: String,
    /// The answer of the session.
    pub session: Value,
    socket: Option<WebSocketStream<MaybeTlsStream<TcpStream>>>,
    /// Frames that no test has read yet.
    waiting: Vec<Value>,
    /// Messages that were shown, in order.
    pub shown: Vec<Value>,
    numbering: Value,
}

impl TestVisitor {
    /// Loads the page for the first time and opens the socket.
    pub async fn arrive(patchbay: &Patchbay, site: &TestSite) -> Self {
        let mut visitor = Self::load(&patchbay.url(), patchbay.http.clone(), site, json!({})).await;
        visitor.connect().await;
        visitor
    }

    /// Loads the page, with what the widget brings to the session.
    pub async fn load(base: &str, http: reqwest::Client, site: &TestSite, brings: Value) -> Self {
        let reply = session(base, &http, site, &site.origin, &brings).await;
        let session = reply.ok();
        Self {
            base: base.to_owned(),
            http,
            site: site.clone(),
            token: session["token"].as_str().unwrap().to_owned(),
            session,
            socket: None,
            waiting: Vec::new(),
            shown: Vec::new(),
            numbering: Value::Null,
        }
    }

    /// Another tab, or the same page after a reload, at this node.
    pub async fn again(&self, base: &str) -> Self {
        let brings = json!({ "token": self.token });
        let mut visitor = Self::load(base, self.http.clone(), &self.site, brings).await;
        visitor.connect().await;
        visitor
    }

    /// Opens the socket, and continues after the shown messages.
    pub async fn connect(&mut self) {
        let socket = open(&self.base, &self.site, &self.site.origin).await.expect("the socket opens");
        self.socket = Some(socket);
        let after = self.shown.last().map(|message| message["sequence"].clone());
        self.send(json!({ "type": "hello", "token": self.token, "chat": self.numbering, "after": after })).await;
        self.hears("ready", |frame| frame["type"] == "ready").await;
    }

    /// Cuts the connection without a word.
    pub fn cut(&mut self) {
        self.socket = None;
    }

    /// Sends a frame.
    pub async fn send(&mut self, frame: Value) {
        let socket = self.socket.as_mut().expect("a socket");
        socket.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// Writes a text under a new key; answers the key once it is on disk.
    pub async fn writes(&mut self, text: &str) -> String {
        let key = new_key();
        self.send(json!({ "type": "text", "key": key, "text": text })).await;
        self.taken(&key).await;
        key
    }

    /// Waits until the message with this key is on disk.
    pub async fn taken(&mut self, key: &str) -> Value {
        self.hears(&format!("{key} to be taken"), |frame| frame["type"] == "taken" && frame["key"] == key).await
    }

    /// Waits until the frame with this key is refused; answers why.
    pub async fn refused(&mut self, key: &str) -> Value {
        self.hears(&format!("{key} to be refused"), |frame| frame["type"] == "refused" && frame["key"] == key).await
    }

    /// Waits until a message with this text is shown.
    pub async fn sees(&mut self, text: &str) -> Value {
        self.sees_one(text, |message| message["content"]["text"] == text).await
    }

    /// Waits until such a message is shown.
    pub async fn sees_one(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(found) = self.shown.iter().find(|message| wanted(message)) {
                return found.clone();
            }
            let frame = self.next(what).await;
            self.waiting.push(frame);
        }
    }

    /// Waits for such a frame.
    pub async fn hears(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&wanted) {
            return self.waiting.remove(at);
        }
        loop {
            let frame = self.next(what).await;
            if wanted(&frame) {
                return frame;
            }
            self.waiting.push(frame);
        }
    }

    async fn next(&mut self, what: &str) -> Value {
        loop {
            let socket = self.socket.as_mut().expect("a socket");
            let waited = timeout(PATIENCE, socket.next()).await;
            let message = waited.unwrap_or_else(|_| panic!("waited for {what}; shown: {:?}", self.shown));
            match message.unwrap_or_else(|| panic!("the socket ended before {what}")).unwrap() {
                Message::Text(text) => return self.note(serde_json::from_str(&text).unwrap()),
                Message::Close(frame) => panic!("closed before {what}: {frame:?}"),
                _ => {}
            }
        }
    }

    fn note(&mut self, frame: Value) -> Value {
        match frame["type"].as_str() {
            Some("ready") => {
                if frame["resumed"] == false {
                    self.shown.clear();
                }
                self.numbering = frame["chat"]["chat"].clone();
            }
            Some("state") => self.numbering = frame["chat"]["chat"].clone(),
            Some("messages") => self.shown.extend(frame["items"].as_array().unwrap().iter().cloned()),
            _ => {}
        }
        frame
    }

    /// Waits until the server closes the socket; answers its code.
    pub async fn closed(&mut self) -> u16 {
        let socket = self.socket.as_mut().expect("a socket");
        loop {
            match timeout(PATIENCE, socket.next()).await.expect("the server closes") {
                Some(Ok(Message::Close(Some(frame)))) => return frame.code.into(),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return 0,
            }
        }
    }

    /// The texts that were shown, in order.
    pub fn texts(&self) -> Vec<String> {
        self.shown.iter().map(|message| message["content"]["text"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Uploads a file.
    pub async fn uploads(&self, name: &str, content_type: &str, bytes: Vec<u8>) -> ClientReply {
        let url = format!("{}/web-chat/files?site={}&name={name}", self.base, self.site.key);
        let request = self.http.post(url).header("Origin", &self.site.origin).header("X-Visitor-Token", &self.token);
        ClientReply::to(request.header("Content-Type", content_type).body(bytes)).await
    }
}

/// A key that no other message has.
pub fn new_key() -> String {
    uuid::Uuid::from_u128(rand::random()).to_string()
}

/// Begins a session from a page of this origin.
pub async fn session(base: &str, http: &reqwest::Client, site: &TestSite, origin: &str, brings: &Value) -> ClientReply {
    let url = format!("{base}/web-chat/sessions?site={}", site.key);
    ClientReply::to(http.post(url).header("Origin", origin).json(brings)).await
}

/// Opens a socket from a page of this origin.
pub async fn open(
    base: &str,
    site: &TestSite,
    origin: &str,
) -> Result<WebSocketStream<MaybeTlsStream<TcpStream>>, Box<Error>> {
    let url = format!("{}/web-chat/socket?site={}", base.replacen("http", "ws", 1), site.key);
    let mut request = url.into_client_request().unwrap();
    let headers = request.headers_mut();
    headers.insert("Origin", HeaderValue::from_str(origin).unwrap());
    headers.insert("Sec-WebSocket-Protocol", HeaderValue::from_static("patchbay.web-chat.v1"));
    connect_async(request).await.map(|(socket, _)| socket).map_err(Box::new)
}
