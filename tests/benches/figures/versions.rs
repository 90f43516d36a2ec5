//! The time until a version of a plugin is live: after an upload, after a rollback, and in `patchbay plugin dev` after its
//! component was saved.

use std::{
    io::{BufRead, BufReader, Lines},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use harness::{Patchbay, PatchbaySetup, TestClient};
use serde_json::json;

use crate::table::{Bar, Figure, median};

const ROUNDS: u8 = 5;
const NUMBER: &str = "27110000000";
const PLUGINS: &str = "/plugin-service/api/v1/plugins";

/// With the hello bots of two languages; `None` if its tools are missing.
pub async fn measure(rust: Option<Vec<u8>>, script: Option<Vec<u8>>) -> Vec<Figure> {
    let patchbay = PatchbaySetup::new().durable().start().await;
    let client = patchbay.client("acme", NUMBER).await;
    let mut figures = vec![upload(&client, "upload to live, 50 KB (Rust)", &harness::greeter("Hello"), 500.0).await];
    if let Some(script) = &script {
        figures.push(upload(&client, "upload to live, 1 MB (JavaScript)", script, 2_000.0).await);
    }
    figures.push(rollback(&client).await);
    let rust =
        rust.map(|component| save_to_live(&patchbay, &client, "saved to live in `plugin dev` (Rust)", &component));
    let script = script
        .map(|component| save_to_live(&patchbay, &client, "saved to live in `plugin dev` (JavaScript)", &component));
    figures.extend(rust.into_iter().chain(script));
    drop::<Patchbay>(patchbay);
    figures
}

/// A component that differs each time and in each run, so that nothing of it is compiled yet.
fn another(component: &[u8], mark: u8) -> Vec<u8> {
    let mut bytes = component.to_vec();
    bytes.extend([0, 8, 2, b'n', b'o', mark]);
    bytes.extend(std::process::id().to_le_bytes());
    bytes
}

/// From the bytes to the first event that the new version may answer: upload, activation, both answered.
async fn upload(client: &TestClient, name: &'static str, component: &[u8], bar: f64) -> Figure {
    let mut took = Vec::new();
    for round in 0..ROUNDS {
        let bytes = another(component, round);
        let began = Instant::now();
        client.install("measured", bytes).await;
        took.push(millis(began.elapsed()));
    }
    let note = format!("{} bytes; each round {}", component.len() + 10, rounds(&took));
    figure(name, took, bar, note)
}

async fn rollback(client: &TestClient) -> Figure {
    let mut took = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let reply = client.post(&format!("{PLUGINS}/measured/rollback"), &json!({})).await;
        took.push(millis(began.elapsed()));
        assert_eq!(reply.status, 200, "{}", reply.text);
    }
    let note = format!("each round {}", rounds(&took));
    figure("rollback", took, 10.0, note)
}

/// From a saved component to the line of the session that says that it is live. A build is not measured.
fn save_to_live(patchbay: &Patchbay, client: &TestClient, name: &'static str, component: &[u8]) -> Figure {
    let place = tempfile::tempdir().unwrap();
    // No component of an upload has these marks.
    save(place.path(), &another(component, 2 * ROUNDS));
    let mut session = DevSession::open(place.path(), patchbay, client);
    session.is_live();
    let mut took = Vec::new();
    for round in 0..ROUNDS {
        let bytes = another(component, ROUNDS + round);
        let began = Instant::now();
        save(place.path(), &bytes);
        session.is_live();
        took.push(millis(began.elapsed()));
    }
    let note = format!("{} bytes; each round {}; without a build", component.len() + 10, rounds(&took));
    figure(name, took, 1_000.0, note)
}

/// Saves the component in one step, as compilers do.
fn save(folder: &Path, component: &[u8]) {
    std::fs::write(folder.join(".next"), component).unwrap();
    std::fs::rename(folder.join(".next"), folder.join("saved.wasm")).unwrap();
}

/// A running `patchbay plugin dev`.
struct DevSession {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl DevSession {
    fn open(folder: &Path, patchbay: &Patchbay, client: &TestClient) -> Self {
        let mut command = Command::new(harness::binary());
        command.args(["plugin", "dev", "saved.wasm", "--number", NUMBER]).current_dir(folder);
        command.env("PATCHBAY_URL", patchbay.url()).env("PATCHBAY_API_KEY", &client.key);
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, lines }
    }

    /// Waits until the session shows the next activation.
    fn is_live(&mut self) {
        let found = self.lines.by_ref().any(|line| line.unwrap().contains(" s after the change"));
        assert!(found, "the session has ended");
    }
}

impl Drop for DevSession {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn figure(name: &'static str, took: Vec<f64>, bar: f64, note: String) -> Figure {
    Figure {
        name,
        unit: "ms",
        measured: median(took),
        floor: None,
        floor_name: "-".to_owned(),
        bar: Bar::AtMost(bar),
        notes: vec![note],
    }
}

fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

fn rounds(took: &[f64]) -> String {
    took.iter().map(|ms| format!("{ms:.1}")).collect::<Vec<_>>().join(", ") + " ms"
}
