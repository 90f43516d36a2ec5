//! Receivers with odd HTTP: their status still counts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use channels::http::{
    GuardedClient, GuardedRequest, GuardedSettings, PostAnswer, PostError, WebhookAddress, WebhookPost,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::support::{Answer, Server};

fn client() -> GuardedClient {
    let settings = GuardedSettings { total_timeout: Duration::from_secs(5), ..GuardedSettings::default() };
    GuardedClient::new(settings).unwrap()
}

async fn post(guarded: &GuardedClient, url: &str) -> Result<PostAnswer, PostError> {
    let to = WebhookAddress::checked(url, true)?;
    guarded.post(WebhookPost::json(to, Bytes::from_static(b"{\"a\":1}"))).await
}

/// Reads a request with the body of these tests.
async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let (mut read, mut piece) = (Vec::new(), [0; 4096]);
    while !read.ends_with(b"{\"a\":1}") {
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            Ok(length) => read.extend_from_slice(&piece[..length]),
        }
    }
    Some(String::from_utf8(read).unwrap())
}

/// A receiver that answers each connection with these bytes and ends it.
async fn receiver(answer: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            if read_request(&mut stream).await.is_some() {
                drop(stream.write_all(&answer).await);
            }
        }
    });
    url
}

#[tokio::test]
async fn a_status_is_read_with_any_form_of_its_headers() {
    let many: String = (0..150).map(|number| format!("X-Number-{number}: {number}\r\n")).collect();
    for (what, headers) in [
        ("many headers", many.as_str()),
        ("a folded header", "X-Folded: one\r\n two\r\n\tthree\r\n"),
        ("a blank before a colon", "X-Blank : yes\r\n"),
        ("a tab before a colon", "X-Tab\t: yes\r\n"),
        ("a name that is none", "X Name: yes\r\n"),
        ("bytes that are no text", "X-Latin: caf\u{e9}\r\n"),
        ("line ends of Unix", "X-Unix: yes\n"),
        ("a header without a value", "X-Empty:\r\n"),
    ] {
        let answer = format!("HTTP/1.1 202 Accepted\r\n{headers}Content-Length: 5\r\n\r\ntaken");
        let answer = post(&client(), &receiver(answer.into_bytes()).await).await;
        let answer = answer.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!((answer.status, answer.body_start.as_str()), (202, "taken"), "{what}");
    }
    let bare = post(&client(), &receiver(b"HTTP/1.1 204\r\n\r\n".to_vec()).await).await.unwrap();
    assert_eq!((bare.status, bare.body_start.as_str()), (204, ""));
}

#[tokio::test]
async fn a_retry_date_is_read_in_every_form_without_a_date_header() {
    for date in ["Wed, 21 Oct 2065 07:28:00 GMT", "Wed Oct 21 07:28:00 2065"] {
        let answer = format!("HTTP/1.1 503 Busy\r\nRetry-After: {date}\r\nContent-Length: 0\r\n\r\n");
        let answer = post(&client(), &receiver(answer.into_bytes()).await).await.unwrap();
        assert!(answer.retry_after.is_some_and(|wait| wait > Duration::from_secs(86_400)), "{date}: {answer:?}");
    }
    let answer = "HTTP/1.1 429 Slow\r\nDate: Wednesday, 21-Oct-26 07:28:00 GMT\r\nRetry-After: Wed, 21 Oct 2026 07:29:00 GMT\r\nContent-Length: 0\r\n\r\n";
    let answer = post(&client(), &receiver(answer.as_bytes().to_vec()).await).await.unwrap();
    assert_eq!(answer.retry_after, Some(Duration::from_secs(60)));
}

#[tokio::test]
async fn plain_answers_are_asked_for_and_compressed_ones_are_not_shown() {
    let server = Server::start().await;
    server.answer(Answer::new(200, "plain"));
    assert_eq!(post(&client(), &server.url("/")).await.unwrap().body_start, "plain");
    assert_eq!(server.last().header("accept-encoding"), Some("identity"));

    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd\xc9\xc9\x07\0\x86\xa6\x10\x36\x05\0\0\0".to_vec();
    for (coding, body) in [
        (Some("gzip"), gzip.clone()),
        (None, gzip),
        (Some("br"), vec![0x8b, 0x02, 0x80, b'h', 0xff, 0x03]),
        (Some("zstd"), vec![0x28, 0xb5, 0x2f, 0xfd, 0x04]),
    ] {
        let answer = Answer::new(200, body);
        server.answer(match coding {
            Some(coding) => answer.header("content-encoding", coding),
            None => answer,
        });
        let shown = post(&client(), &server.url("/")).await.unwrap();
        let expected = format!("(compressed with {}, ", coding.unwrap_or("gzip"));
        assert!(shown.status == 200 && shown.body_start.starts_with(&expected), "{shown:?}");
    }
    server.answer(Answer::new(200, "plain").header("content-encoding", "gzip"));
    assert_eq!(post(&client(), &server.url("/")).await.unwrap().body_start, "plain", "it says so and does not do it");
}

/// A receiver that answers the first request of each connection and, at the second one, closes it without an answer.
async fn closing_receiver() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                if read_request(&mut stream).await.is_some() {
                    drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await);
                    drop(read_request(&mut stream).await);
                }
            });
        }
    });
    (url, connections)
}

#[tokio::test]
async fn a_kept_connection_that_the_receiver_closes_gets_one_second_try_at_once() {
    let (url, connections) = closing_receiver().await;
    let guarded = client();
    for expected in [1, 2] {
        let answer = post(&guarded, &url).await;
        assert_eq!(answer.map(|answer| (answer.status, answer.body_start)), Ok((200, "ok".to_owned())));
        assert_eq!(connections.load(Ordering::SeqCst), expected);
    }
}

#[tokio::test]
async fn a_new_connection_that_the_receiver_closes_is_no_answer_and_is_not_tried_again_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            drop(read_request(&mut stream).await);
        }
    });
    assert!(matches!(post(&client(), &url).await, Err(PostError::Other(_))));
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_call_of_a_plugin_that_may_have_had_an_effect_is_not_made_twice() {
    let (url, connections) = closing_receiver().await;
    let guarded = client();
    let call = |method: &str| GuardedRequest {
        method: method.to_owned(),
        url: url.clone(),
        headers: Vec::new(),
        body: Bytes::from_static(b"{\"a\":1}"),
        max_response_bytes: 100,
        timeout: None,
        allow_private: true,
    };
    assert_eq!(guarded.request(call("POST")).await.unwrap().status, 200);
    assert!(guarded.request(call("POST")).await.is_err());
    assert_eq!(connections.load(Ordering::SeqCst), 1);
    assert_eq!(guarded.request(call("PUT")).await.unwrap().status, 200);
    assert_eq!(guarded.request(call("PUT")).await.unwrap().status, 200, "PUT may be repeated");
    assert_eq!(connections.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_server_gives_the_type_of_a_linked_file() {
    let server = Server::start().await;
    let guarded = client();
    let describe = async |path: &str| guarded.describe(&server.url(path), true, Duration::from_secs(5)).await;
    server.answer(
        Answer::new(200, "")
            .header("content-type", "application/pdf")
            .header("content-disposition", "inline; filename=a.pdf"),
    );
    let described = describe("/a").await.unwrap().unwrap();
    assert_eq!(described.content_type.as_deref(), Some("application/pdf"));
    assert_eq!(described.disposition.as_deref(), Some("inline; filename=a.pdf"));
    assert_eq!(server.last().method, "HEAD");

    server.answer(Answer::new(405, ""));
    server.answer(Answer::new(206, "%").header("content-type", "application/pdf"));
    assert_eq!(describe("/a").await.unwrap().unwrap().content_type.as_deref(), Some("application/pdf"));
    assert_eq!((server.last().method.as_str(), server.last().header("range")), ("GET", Some("bytes=0-0")));

    server.answer(Answer::new(302, "").header("location", "/elsewhere"));
    server.answer(Answer::new(200, "").header("content-type", "image/png"));
    assert_eq!(describe("/a").await.unwrap().unwrap().content_type.as_deref(), Some("image/png"));
    assert_eq!(server.last().target, "/elsewhere");

    server.answer(Answer::new(404, ""));
    server.answer(Answer::new(404, ""));
    assert_eq!(describe("/a").await, Ok(None));
}

#[tokio::test]
async fn a_link_to_a_private_address_is_not_followed() {
    let server = Server::start().await;
    server.answer(Answer::new(302, "").header("location", "http://169.254.169.254/latest/meta-data"));
    let guarded = client();
    let described = guarded.describe(&server.url("/"), true, Duration::from_secs(5)).await;
    assert!(matches!(described, Err(PostError::Refused(_))), "{described:?}");
    let described = guarded.describe(&server.url("/"), false, Duration::from_secs(5)).await;
    assert!(matches!(described, Err(PostError::Refused(_))), "{described:?}");
    assert_eq!(server.seen().len(), 1);
}
