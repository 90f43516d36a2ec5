//! A server that carries out changes, and does not list the numbers of the client at that time.

use author::server::{ActivationRequest, RemoteServer};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

const NUMBER_ID: &str = "019a7e52-4a00-7c3e-9f1b-3d2a5c6b7e80";
const WARNING: &str = "\nWarning: numbers are shown by their ids, because they cannot be listed: the server is busy (too \
                       many requests); try again in a few seconds";

fn activation() -> Value {
    json!({ "plugin": "clerk", "version": 2, "world": "chatbot", "whatsAppNumberId": NUMBER_ID, "mode": "live" })
}

/// A server with this answer to every question except for the list of numbers.
async fn server(value: Value) -> RemoteServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            answer(stream, &value).await;
        }
    });
    RemoteServer::new(&address, "key").unwrap()
}

async fn answer(mut stream: TcpStream, value: &Value) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    let (status, body) = match head.contains("/whatsappclientnumbers/") {
        true => ("503 Service Unavailable", json!({ "error": "BUSY", "message": "too many requests" })),
        false => ("200 OK", value.clone()),
    };
    let body = body.to_string();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(answer.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn an_activation_is_shown_with_the_id_of_its_number_and_a_warning() {
    let server = server(activation()).await;
    let wanted = ActivationRequest { number: Some(NUMBER_ID.to_owned()), ..ActivationRequest::default() };

    let active = server.activate("clerk", &wanted).await.unwrap();

    assert_eq!(active.json, activation());
    let shown = active.to_string();
    assert!(shown.starts_with(&format!("clerk version 2 is live as chatbot of number {NUMBER_ID}")), "{shown}");
    assert!(shown.ends_with(WARNING), "{shown}");
}

#[tokio::test]
async fn a_rollback_is_shown_with_the_ids_of_its_number_and_a_warning() {
    let mut report = activation();
    report["before"] = activation();
    let server = server(report).await;

    let report = server.rollback("clerk", Some(NUMBER_ID), None, false).await.unwrap().unwrap();

    let shown = report.to_string();
    assert!(shown.starts_with(&format!("before: clerk version 2 is live as chatbot of number {NUMBER_ID}")), "{shown}");
    assert!(shown.ends_with(WARNING), "{shown}");
}

#[tokio::test]
async fn a_list_of_plugins_has_one_warning_at_its_end() {
    let plugin = |name: &str| json!({ "name": name, "version": 2, "world": "chatbot", "size": 9, "source": "uploaded", "activations": [activation()] });
    let server = server(json!({ "content": [plugin("clerk"), plugin("shop")] })).await;

    let plugins = server.list_plugins().await.unwrap();

    let shown: Vec<String> = plugins.iter().map(ToString::to_string).collect();
    assert!(shown.iter().all(|one| one.contains(&format!("live for number {NUMBER_ID}"))), "{shown:?}");
    let warned: Vec<bool> = shown.iter().map(|one| one.ends_with(WARNING)).collect();
    assert_eq!(warned, [false, true]);
}
