//! Third-party programs: `aiosmtpd` as the relay, `smtplib` and `swaks` as mail clients.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
};

use harness::{eventually, installed_peer, peer_folder};
use serde_json::{Value, json};

const PEER: &str = "email";

fn python(script: &str) -> Command {
    let mut python = Command::new("python3");
    python.arg(peer_folder(PEER).join(script));
    python.env("PYTHONPATH", installed_peer(PEER).join("python")).env("PYTHONDONTWRITEBYTECODE", "1");
    python
}

/// A relay that keeps the mails that it accepts.
pub struct Relay {
    child: Child,
    pub port: u16,
    mails: Arc<Mutex<Vec<Value>>>,
}

impl Relay {
    pub fn start() -> Self {
        Self::start_at(0)
    }

    pub fn start_at(port: u16) -> Self {
        Self::start_with(port, &[])
    }

    /// A relay that accepts nothing before STARTTLS. The arguments are the files of its certificate and key.
    pub fn start_tls(certificate: &str, key: &str) -> Self {
        Self::start_with(0, &[certificate, key])
    }

    fn start_with(port: u16, files: &[&str]) -> Self {
        let mut python = python("sink.py");
        let mut child = python.arg(port.to_string()).args(files).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let mails = Arc::new(Mutex::new(Vec::new()));
        let collected = Arc::clone(&mails);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                collected.lock().unwrap().push(serde_json::from_str(&line).unwrap());
            }
        });
        Self { child, port: u16::try_from(first["port"].as_u64().unwrap()).unwrap(), mails }
    }

    pub fn mails(&self) -> Vec<Value> {
        self.mails.lock().unwrap().clone()
    }

    /// Waits for the mail whose subject begins with `subject`.
    pub async fn receives(&self, subject: &str) -> Value {
        eventually(&format!("a mail about {subject:?}"), || async {
            self.mails().into_iter().find(|mail| mail["headers"]["subject"].as_str().unwrap().starts_with(subject))
        })
        .await
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a mail with `smtplib`, and returns the code of the answer.
pub fn smtplib(order: &Value) -> u64 {
    let answer = smtplib_all(std::slice::from_ref(order)).remove(0);
    answer["code"].as_u64().unwrap()
}

pub fn smtplib_all(orders: &[Value]) -> Vec<Value> {
    let mut child = python("send.py").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(json!(orders).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "smtplib failed");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Sends a mail with `swaks`, and returns its success and the dialogue.
pub fn swaks(port: u16, arguments: &[&str]) -> (bool, String) {
    let server = format!("127.0.0.1:{port}");
    let output = Command::new("swaks").args(["--server", &server, "--timeout", "20"]).args(arguments).output();
    let output = output.expect("swaks is installed: scripts/test-peers.sh does it");
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}
