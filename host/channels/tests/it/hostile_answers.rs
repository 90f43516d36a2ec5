//! Peers whose answers cost too much: an endless answer is ended, with the cause as a text, and costs no other call.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use bytes::Bytes;
use channels::{
    http::{
        ApiCall, ApiClient, Excess, GuardedClient, GuardedRequest, GuardedSettings, PostAnswer, PostError,
        WebhookAddress, WebhookPost,
    },
    whatsapp_cloud::{CloudApi, CloudNumber, CloudSettings, GraphError},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::sleep,
};

use crate::support::{Answer, Server};

/// The endless part of a peer's answer, after a first part.
#[derive(Clone)]
struct Endless {
    once: &'static str,
    again: Arc<[u8]>,
    every: Option<Duration>,
}

impl Endless {
    fn new(once: &'static str, again: &str) -> Self {
        // Many at a time: a peer that pays little for each.
        let times = (64 * 1024 / again.len()).max(1);
        Self { once, again: again.repeat(times).into_bytes().into(), every: None }
    }

    /// A byte a second.
    fn dripping(once: &'static str, byte: &str) -> Self {
        Self { once, again: byte.as_bytes().into(), every: Some(Duration::from_secs(1)) }
    }

    async fn say(self, mut stream: TcpStream) -> std::io::Result<()> {
        // Any request, in one piece or several.
        let mut asked = [0; 4096];
        let _asked = stream.read(&mut asked).await?;
        stream.write_all(self.once.as_bytes()).await?;
        loop {
            stream.write_all(&self.again).await?;
            if let Some(every) = self.every {
                sleep(every).await;
            }
        }
    }

    /// The address of a peer that gives every caller this answer.
    async fn peer(self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // It ends when the other side has had enough.
                tokio::spawn(self.clone().say(stream));
            }
        });
        url
    }
}

fn guarded() -> GuardedClient {
    GuardedClient::new(GuardedSettings::default()).unwrap()
}

async fn post(url: &str) -> Result<PostAnswer, PostError> {
    let to = WebhookAddress::checked(&format!("{url}/hook"), true)?;
    guarded().post(WebhookPost::json(to, Bytes::from_static(b"{}"))).await
}

async fn request(url: &str) -> Result<(), PostError> {
    let request = GuardedRequest {
        method: "GET".to_owned(),
        url: format!("{url}/from-a-plugin"),
        headers: Vec::new(),
        body: Bytes::new(),
        max_response_bytes: 8 * 1024 * 1024,
        timeout: None,
        allow_private: true,
    };
    guarded().request(request).await.map(|_| ())
}

async fn fetch(url: &str) -> Result<(), PostError> {
    guarded().fetch(&format!("{url}/file.png"), 8 * 1024 * 1024, true).await.map(|_| ())
}

async fn command(url: &str) -> Result<(), PostError> {
    let call = ApiCall {
        method: "GET",
        path: "/plugins".to_owned(),
        headers: &[],
        body: None,
        sent: None,
        timeout: Duration::from_secs(15),
    };
    ApiClient::new(url, "key").unwrap().call(call).await.map(|_| ())
}

/// The error of a call of the Graph API, as a text.
async fn graph(url: &str) -> String {
    let settings = CloudSettings { graph_url: url.to_owned(), ..CloudSettings::default() };
    let number = CloudNumber { phone_number_id: "PN1".to_owned(), access_token: "T".to_owned() };
    match CloudApi::new(settings).unwrap().resolve_media(&number, "4711").await {
        Err(GraphError::Unreachable(reason) | GraphError::Unreadable(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

type Call = fn(String) -> Pin<Box<dyn Future<Output = Result<(), PostError>> + Send>>;

/// Everything that reads the answer of a peer through the clients, by name.
const CALLS: [(&str, Call); 4] = [
    ("a webhook", |url| Box::pin(async move { post(&url).await.map(|_| ()) })),
    ("a plugin's request", |url| Box::pin(async move { request(&url).await })),
    ("a file", |url| Box::pin(async move { fetch(&url).await })),
    ("a command", |url| Box::pin(async move { command(&url).await })),
];

#[tokio::test]
async fn endless_heads_are_cut_off_for_every_reader() {
    let continues = Endless::new("", "HTTP/1.1 100 Continue\r\n\r\n");
    let hints = Endless::new("", "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n");
    let headers = Endless::new("HTTP/1.1 200 OK\r\n", "X-More: and more\r\n");
    let line = Endless::new("HTTP/1.1 200 OK\r\nX-Long: ", "a");
    let blank = Endless::new("", "\r\n");
    for (endless, excess) in [
        (continues, Excess::Informational),
        (hints, Excess::Informational),
        (headers, Excess::HeadBytes),
        (line, Excess::HeadBytes),
        (blank, Excess::HeadBytes),
    ] {
        let url = endless.peer().await;
        for (name, call) in CALLS {
            assert_eq!(call(url.clone()).await, Err(PostError::Excessive(excess)), "{name}: {excess}");
        }
        let reason = graph(&url).await;
        assert!(reason.contains(&excess.to_string()), "{reason}");
    }
}

#[tokio::test]
async fn a_call_is_answered_during_hostile_ones() {
    let url = Endless::new("", "HTTP/1.1 100 Continue\r\n\r\n").peer().await;
    let server = Server::start().await;
    server.answer(Answer::new(200, "fine"));
    let fine = server.url("");
    let (neighbour, ..) = tokio::join!(post(&fine), post(&url), post(&url), post(&url), post(&url));
    assert_eq!(neighbour.map(|answer| answer.body_start), Ok("fine".to_owned()));
}

#[tokio::test]
async fn a_few_informational_answers_stand_before_an_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = [0; 4096];
        let _asked = stream.read(&mut asked).await.unwrap();
        stream.write_all("HTTP/1.1 102 Processing\r\n\r\n".repeat(16).as_bytes()).await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await.unwrap();
    });
    assert_eq!(post(&url).await.map(|answer| answer.body_start), Ok("ok".to_owned()));
}

#[tokio::test]
async fn bodies_with_too_much_overhead_are_aborted() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let tiny = Endless::new(chunked, "1\r\nx\r\n").peer().await;
    let extended = Endless::new("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "a").peer().await;
    let trailing =
        Endless::new("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n", "X-More: and more\r\n");
    let trailing = trailing.peer().await;
    for (name, call) in CALLS.into_iter().skip(1) {
        assert_eq!(call(tiny.clone()).await, Err(PostError::Excessive(Excess::Pieces)), "{name}");
        for (url, cause) in [(&extended, "chunk extensions over limit"), (&trailing, "chunk trailers")] {
            let Err(PostError::Other(reason)) = call(url.clone()).await else { panic!("{name}: {cause}") };
            assert!(reason.contains(cause), "{name}: {reason}");
        }
    }
    // The status of a webhook has decided, and no more than the beginning of the body is read.
    for url in [tiny, extended, trailing] {
        assert_eq!(post(&url).await.map(|answer| answer.status), Ok(200));
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_answer_is_aborted_at_its_timeout() {
    let head = Endless::dripping("HTTP/1.1 200 OK\r\nX-Slow: ", "a").peer().await;
    let body = Endless::dripping("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", "a").peer().await;
    for (name, call) in CALLS {
        assert_eq!(call(head.clone()).await, Err(PostError::Timeout), "{name}");
    }
    for (name, call) in CALLS.into_iter().skip(1) {
        assert_eq!(call(body.clone()).await, Err(PostError::Timeout), "{name}");
    }
    assert_eq!(post(&body).await.map(|answer| answer.status), Ok(200));
}
