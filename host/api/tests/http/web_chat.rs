//! Sockets of widgets that cost more than sockets may: frames without an end, pages that are not read, many sockets.

use std::{net::SocketAddr, time::Duration};

use api::WebChatLimits;
use axum::http::{HeaderValue, StatusCode};
use futures::{FutureExt, SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Error, Message, client::IntoClientRequest},
};

use crate::service::{Call, Options, Service};

const ORIGIN: &str = "https://shop.example";
/// How long something is waited for that must come.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long it is seen that something does not come.
const MOMENT: Duration = Duration::from_millis(300);

/// A service with a site, which listens.
struct Site {
    service: Service,
    key: String,
    address: SocketAddr,
}

impl Site {
    async fn open(web_chat: WebChatLimits) -> Self {
        let service =
            Service::with(Options { web_chat, trusted_proxies: &["127.0.0.0/8"], ..Options::default() }).await;
        let made = service.post("/messaging-service/web/sites", &json!({ "name": "Shop", "origins": [ORIGIN] })).await;
        assert_eq!(made.status, 201, "{made:?}");
        let key = made.json()["siteKey"].as_str().unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = service.router.clone().into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { service, key, address }
    }

    /// The token of a new visitor.
    async fn token(&self) -> String {
        let call = Call::post(&format!("/web-chat/sessions?site={}", self.key), "{}").header("origin", ORIGIN);
        self.service.send(call).await.json()["token"].as_str().unwrap().to_owned()
    }

    /// Opens a socket from an address. An error is the status of the refusal.
    async fn socket(&self, from: &str) -> Result<Widget, StatusCode> {
        let url = format!("ws://{}/web-chat/socket?site={}", self.address, self.key);
        let mut request = url.into_client_request().unwrap();
        let headers = request.headers_mut();
        headers.insert("origin", HeaderValue::from_static(ORIGIN));
        headers.insert("sec-websocket-protocol", HeaderValue::from_static("patchbay.web-chat.v1"));
        headers.insert("x-forwarded-for", from.parse().unwrap());
        let stream = TcpStream::connect(self.address).await.unwrap();
        match client_async(request, stream).await {
            Ok((socket, _)) => Ok(Widget(socket)),
            Err(Error::Http(answer)) => Err(answer.status()),
            Err(error) => panic!("{error}"),
        }
    }

    /// A widget that has been told where its chat stands.
    async fn widget(&self, from: &str, token: &str) -> Widget {
        let mut widget = self.socket(from).await.unwrap();
        widget.says(&json!({ "type": "hello", "token": token })).await;
        widget.hears("ready").await;
        widget
    }

    /// A visitor whose chat has this many long messages.
    async fn talkative(&self, messages: usize) -> String {
        let token = self.token().await;
        let mut widget = self.widget("192.0.2.1", &token).await;
        for number in 0..messages {
            let text = format!("{number:04}{}", "x".repeat(4_092));
            widget.says(&json!({ "type": "text", "key": format!("key-{number:04}"), "text": text })).await;
            widget.hears("taken").await;
        }
        widget.leaves().await;
        token
    }
}

struct Widget(WebSocketStream<TcpStream>);

impl Widget {
    async fn says(&mut self, frame: &Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// Waits for a frame of this type; answers to probes are sent while it waits.
    async fn hears(&mut self, kind: &str) -> Value {
        let heard = async {
            loop {
                match self.0.next().await {
                    Some(Ok(Message::Text(text))) => {
                        let frame: Value = serde_json::from_str(&text).unwrap();
                        if frame["type"] == kind {
                            return frame;
                        }
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    other => panic!("{other:?} in the place of {kind}"),
                }
            }
        };
        timeout(PATIENCE, heard).await.unwrap_or_else(|_| panic!("no {kind} came"))
    }

    /// Closes the socket, and waits until the other side has done so.
    async fn leaves(mut self) {
        self.0.close(None).await.unwrap();
        while timeout(PATIENCE, self.0.next()).await.unwrap().is_some() {}
    }

    async fn hears_nothing_of(&mut self, kind: &str) {
        assert!(timeout(MOMENT, self.hears(kind)).await.is_err(), "{kind} came");
    }
}

/// Limits that no harmless visitor reaches.
fn generous() -> WebChatLimits {
    WebChatLimits { posts_per_minute: 1_000, ..WebChatLimits::default() }
}

#[tokio::test]
async fn frames_over_the_share_of_a_visitor_or_an_address_wait() {
    let limits = WebChatLimits { frames_per_minute: 3, frames_per_minute_per_address: 5, ..generous() };
    let site = Site::open(limits).await;
    let mut ann = site.widget("192.0.2.1", &site.token().await).await;
    let mut ben = site.widget("192.0.2.1", &site.token().await).await;
    let mut far = site.widget("192.0.2.2", &site.token().await).await;
    for (widget, answered) in [(&mut ann, 3), (&mut ben, 2), (&mut far, 3)] {
        for _ in 0..answered + 1 {
            widget.says(&json!({ "type": "ping" })).await;
        }
        for _ in 0..answered {
            widget.hears("pong").await;
        }
        widget.hears_nothing_of("pong").await;
    }
}

#[tokio::test]
async fn unchanged_progress_causes_no_statement() {
    let site = Site::open(generous()).await;
    let token = site.talkative(1).await;
    let mut widget = site.widget("192.0.2.1", &token).await;
    widget.hears("messages").await;
    let far = json!({ "type": "progress", "delivered": 9_000, "read": 9_000 });
    for progress in [json!({ "type": "progress", "delivered": 1, "read": 1 }), far.clone()] {
        widget.says(&progress).await;
        widget.says(&json!({ "type": "ping" })).await;
        widget.hears("pong").await;
    }
    // A request that asks the database for something now waits. The service itself may keep a session.
    let db = &site.service.context.db;
    let mut all = Vec::new();
    while let Ok(Ok(session)) = timeout(MOMENT, db.acquire()).await {
        all.push(session);
    }
    assert!(!all.is_empty());
    for progress in [far, json!({ "type": "progress", "delivered": 1, "read": 0 })] {
        widget.says(&progress).await;
        widget.says(&json!({ "type": "ping" })).await;
        let pong = timeout(Duration::from_secs(5), widget.hears("pong")).await;
        assert!(pong.is_ok(), "it asked the database");
    }
}

#[tokio::test]
async fn pages_have_a_bounded_number_of_bytes_and_lead_back_to_the_beginning() {
    let site = Site::open(generous()).await;
    let token = site.talkative(20).await;
    let mut widget = site.widget("192.0.2.1", &token).await;
    let mut page = widget.hears("messages").await;
    let mut seen = Vec::new();
    loop {
        let bytes = page.to_string().len();
        assert!(bytes < 48 * 1024, "{bytes} bytes");
        let items = page["items"].as_array().unwrap();
        seen.splice(0..0, items.iter().map(|item| item["sequence"].as_i64().unwrap()));
        if page["more"] == false {
            break;
        }
        widget.says(&json!({ "type": "history", "before": seen[0] })).await;
        page = widget.hears("history").await;
    }
    assert_eq!(seen, (1..=20).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_widget_that_does_not_read_holds_no_more_than_the_share_of_its_visitor() {
    let site = Site::open(WebChatLimits { unread_bytes_per_visitor: 1, ..generous() }).await;
    let token = site.talkative(8).await;
    // It hears that it may begin, and reads nothing after that.
    let mut lazy = site.widget("192.0.2.1", &token).await;
    let mut second = site.widget("192.0.2.1", &token).await;
    second.hears_nothing_of("messages").await;
    second.says(&json!({ "type": "ping" })).await;
    second.hears("pong").await;
    lazy.says(&json!({ "type": "history", "before": 5 })).await;
    let page = lazy.hears("messages").await;
    assert_eq!(page["items"].as_array().unwrap().len(), 8, "nothing was lost in between");
    let history = lazy.hears("history").await;
    assert_eq!(history["items"].as_array().unwrap().len(), 4);
    // From here on both read.
    let messages = tokio::select! {
        messages = second.hears("messages") => messages,
        other = lazy.hears("nothing more") => panic!("{other}"),
    };
    assert_eq!(messages["items"].as_array().unwrap().len(), 8);
}

#[tokio::test]
async fn a_widget_that_does_not_read_is_ended_and_gives_its_place_back() {
    let limits = WebChatLimits { sockets_per_address: 1, write_timeout: Duration::from_secs(2), ..generous() };
    let site = Site::open(limits).await;
    let token = site.talkative(8).await;
    let until_free = || async {
        loop {
            match site.socket("192.0.2.1").await {
                Ok(widget) => return widget,
                Err(status) => assert_eq!(status, StatusCode::TOO_MANY_REQUESTS),
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    let mut lazy = timeout(PATIENCE, until_free()).await.expect("the place of the first socket");
    lazy.says(&json!({ "type": "hello", "token": token })).await;
    // It never reads: it holds the only place of its address until it is ended.
    assert_eq!(site.socket("192.0.2.1").await.err(), Some(StatusCode::TOO_MANY_REQUESTS));
    assert!(site.socket("192.0.2.2").await.is_ok(), "another address");
    timeout(PATIENCE, until_free()).await.expect("the place of a socket that does not read");
    // Earlier messages can still be read; then the socket ends.
    while let Some(Ok(_)) = lazy.0.next().now_or_never().flatten() {}
}

#[tokio::test]
async fn sockets_behind_a_proxy_count_to_the_address_that_it_reports() {
    let site = Site::open(WebChatLimits { sockets_per_address: 2, ..generous() }).await;
    let _held = [site.socket("192.0.2.1").await.unwrap(), site.socket("192.0.2.1").await.unwrap()];
    for crowd in ["192.0.2.1", "198.51.100.9, 192.0.2.1"] {
        assert_eq!(site.socket(crowd).await.err(), Some(StatusCode::TOO_MANY_REQUESTS), "{crowd}");
    }
    assert!(site.socket("192.0.2.2").await.is_ok(), "another address behind the same proxy");
}
