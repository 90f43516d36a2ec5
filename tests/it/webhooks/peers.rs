//! Third-party receivers: `standardwebhooks` of PyPI and npm, in `tests/peers/webhooks`, and of crates.io.

use std::{
    collections::BTreeMap,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use fenced_blocks::blocks;
use harness::{SinkRequest, installed_peer, peer_folder};
use hmac::{Hmac, Mac};
use serde::Serialize;
use sha2::Sha256;
use standardwebhooks::Webhook;

const PEER: &str = "webhooks";

#[derive(Debug, Clone, Serialize)]
pub struct Case {
    pub secret: String,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Case {
    /// A received webhook with the secret that should have signed it.
    pub fn of(secret: &str, received: &SinkRequest) -> Self {
        let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
        Self {
            secret: secret.to_owned(),
            headers: names.map(|name| (name.to_owned(), received.header(name))).into(),
            body: String::from_utf8(received.body.to_vec()).unwrap(),
        }
    }

    pub fn with_header(&self, name: &str, value: &str) -> Self {
        let mut changed = self.clone();
        changed.headers.insert(name.to_owned(), value.to_owned());
        changed
    }
}

/// The verdict of each library for every case: `ok`, or the reason.
pub fn verdicts(cases: &[Case]) -> [(&'static str, Vec<String>); 3] {
    let installed = installed_peer(PEER);
    let mut python = Command::new("python3");
    python.arg(peer_folder(PEER).join("verify.py"));
    python.env("PYTHONPATH", installed.join("python")).env("PYTHONDONTWRITEBYTECODE", "1");
    let mut node = Command::new("node");
    node.arg(peer_folder(PEER).join("verify.cjs")).arg(installed);
    let rust = cases.iter().map(rust_verdict).collect();
    [
        ("PyPI standardwebhooks", ask(python, cases)),
        ("npm standardwebhooks", ask(node, cases)),
        ("crates.io standardwebhooks", rust),
    ]
}

/// The programs that run the examples of `docs/webhooks.md`, each with the language of its code block.
const EXAMPLES: [(&str, &[&str]); 5] =
    [("python", &["python3"]), ("javascript", &["node"]), ("php", &["php"]), ("ruby", &["ruby"]), ("perl", &["perl"])];

/// The verdict of each example of the documentation for every case.
pub fn verdicts_of_examples(cases: &[Case]) -> Vec<(&'static str, Vec<String>)> {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let page = std::fs::read_to_string(root.join("../docs/webhooks.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let run = |(language, program): &(&'static str, &[&str])| {
        let shown = blocks(&page, language);
        let block = &shown[0].text;
        let driver = std::fs::read_to_string(peer_folder(PEER).join("drivers").join(language)).unwrap();
        let open = if *language == "php" { "<?php\n" } else { "" };
        let file = folder.path().join(if *language == "javascript" { "verify.cjs" } else { language });
        std::fs::write(&file, format!("{open}{block}{driver}")).unwrap();
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).arg(&file);
        (*language, ask(command, cases))
    };
    EXAMPLES.iter().map(run).collect()
}

fn rust_verdict(case: &Case) -> String {
    let mut headers = reqwest::header::HeaderMap::new();
    for (name, value) in &case.headers {
        headers.insert(reqwest::header::HeaderName::try_from(name).unwrap(), value.parse().unwrap());
    }
    let verified = Webhook::new(&case.secret).and_then(|webhook| webhook.verify(case.body.as_bytes(), &headers));
    verified.map_or_else(|error| error.to_string(), |()| "ok".to_owned())
}

/// Whether `secret` made one of the signatures, at any time.
pub fn is_signed_by(secret: &str, received: &SinkRequest) -> bool {
    let key = STANDARD.decode(secret.trim_start_matches("whsec_")).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(format!("{}.{}.", received.header("webhook-id"), received.header("webhook-timestamp")).as_bytes());
    mac.update(&received.body);
    let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    received.header("webhook-signature").split(' ').any(|signature| signature == expected)
}

fn ask(mut library: Command, cases: &[Case]) -> Vec<String> {
    let mut child = library.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the library can be run");
    let mut input = child.stdin.take().unwrap();
    input.write_all(&serde_json::to_vec(cases).unwrap()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{library:?} failed");
    serde_json::from_slice(&output.stdout).unwrap()
}
