//! Files of customers that the provider does not give at once.

use std::sync::{Arc, Mutex};

use chrono::TimeDelta;
use domain::ids::MediaId;
use serde_json::json;
use storage::Queue;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::stage::Stage;

const FILE: &[u8] = b"\x89PNG\r\n\x1a\n and more";
/// Seconds between the attempts.
const PAUSES: [i64; 8] = [5, 30, 120, 600, 3_600, 21_600, 86_400, 172_800];

/// A Graph API with one file. The address `/expired` is no more.
struct GraphWithFile {
    url: String,
    targets: Arc<Mutex<Vec<String>>>,
}

impl GraphWithFile {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let targets = Arc::new(Mutex::new(Vec::new()));
        tokio::spawn(answer_all(listener, url.clone(), Arc::clone(&targets)));
        Self { url, targets }
    }

    fn targets(&self) -> Vec<String> {
        self.targets.lock().unwrap().clone()
    }
}

async fn answer_all(listener: TcpListener, url: String, targets: Arc<Mutex<Vec<String>>>) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap();
        let target = head.split(' ').nth(1).unwrap().to_owned();
        let (status, kind, body) = match target.as_str() {
            "/file" => ("200 OK", "image/png", FILE.to_vec()),
            "/expired" => ("404 Not Found", "text/plain", Vec::new()),
            _ => {
                let node = json!({ "id": "M1", "url": format!("{url}/file"), "mime_type": "image/png" });
                ("200 OK", "application/json", node.to_string().into_bytes())
            }
        };
        targets.lock().unwrap().push(target);
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body.as_slice()].concat()).await.unwrap();
    }
}

/// State and number of failed attempts of the only file.
async fn state(stage: &Stage) -> String {
    stage.texts("SELECT state || ' ' || attempts FROM media").await.remove(0)
}

#[tokio::test]
async fn a_file_that_cannot_be_fetched_is_tried_eight_times_more_and_then_given_up() {
    // Nothing listens at its Graph API.
    let stage = Stage::new().await;
    stage.zo_sends("wamid.A", "image", json!({ "id": "M1", "mime_type": "image/png" }), None).await;
    stage.settle_callbacks_only().await;
    stage.fetch_files().await;

    for (number, pause) in PAUSES.into_iter().enumerate() {
        assert_eq!(state(&stage).await, format!("PENDING {}", number + 1));
        stage.advance(TimeDelta::seconds(pause - 1));
        assert!(stage.due(Queue::Media).await.is_empty(), "less than {pause} s");
        stage.advance(TimeDelta::seconds(1));
        stage.fetch_files().await;
    }

    assert_eq!(state(&stage).await, "FAILED 9");
    stage.advance(TimeDelta::days(30));
    assert!(stage.due(Queue::Media).await.is_empty());
}

#[tokio::test]
async fn a_file_whose_address_has_expired_is_fetched_from_a_new_one() {
    let graph = GraphWithFile::start().await;
    let stage = Stage::new().await.with_graph_at(&graph.url);
    let image = json!({ "id": "M1", "mime_type": "image/png", "url": format!("{}/expired", graph.url) });
    stage.zo_sends("wamid.A", "image", image, None).await;
    stage.settle_callbacks_only().await;
    stage.fetch_files().await;
    assert_eq!(state(&stage).await, "PENDING 1");

    stage.advance(TimeDelta::seconds(PAUSES[0]));
    stage.fetch_files().await;

    assert_eq!(state(&stage).await, "READY 1");
    let [id] = stage.ids("SELECT id FROM media").await.try_into().unwrap();
    let size = stage.ctx.media.size(stage.client, MediaId(id)).await.unwrap();
    assert_eq!(size, Some(FILE.len() as u64));
    assert_eq!(graph.targets(), ["/expired", "/v25.0/M1?phone_number_id=PN", "/file"]);
}
