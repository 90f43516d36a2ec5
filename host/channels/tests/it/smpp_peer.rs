//! The third-party SMSCs: npm `smpp` (tests/peers/smsc) and Python's `smpp34` (tests/peers/smsc-python), programs that are
//! steered over their standard input.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, OnceLock},
    time::Duration,
};

use async_trait::async_trait;
use channels::smpp::{MobileOriginated, SmppEvents, SmppGateway, SmppSettings, SmppUrl, SmscReceipt, StoreFailed};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, Command},
    sync::mpsc,
    time::timeout,
};

/// Longest wait for anything that must happen.
pub const SOON: Duration = Duration::from_secs(10);

fn folder_of(peer: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../tests/peers").join(peer)
}

/// Installs a package once per test run and says where it is.
fn installed(peer: &str, folder: &'static OnceLock<String>) -> &'static str {
    folder.get_or_init(|| {
        let output = std::process::Command::new("sh").arg(folder_of(peer).join("install.sh")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    })
}

/// A running SMSC.
pub struct Peer {
    child: Child,
    stdin: ChildStdin,
    events: mpsc::UnboundedReceiver<Value>,
    pub port: u16,
}

impl Peer {
    pub async fn start() -> Self {
        Self::start_on(0).await
    }

    /// On a certain port, for a peer that comes back.
    pub async fn start_on(port: u16) -> Self {
        Self::start_with(port, &[]).await
    }

    /// Over TLS, with the files of key and certificate.
    pub async fn start_tls(key: &Path, certificate: &Path) -> Self {
        Self::start_with(0, &[key, certificate]).await
    }

    async fn start_with(port: u16, files: &[&Path]) -> Self {
        static MODULES: OnceLock<String> = OnceLock::new();
        let mut command = Command::new("node");
        command
            .arg(folder_of("smsc").join("smsc.js"))
            .arg(installed("smsc", &MODULES))
            .arg(port.to_string())
            .args(files);
        Self::run(command).await
    }

    /// The SMSC that is written in Python.
    pub async fn start_python() -> Self {
        static PACKAGES: OnceLock<String> = OnceLock::new();
        let mut command = Command::new("python3");
        command.arg(folder_of("smsc-python").join("smsc.py"));
        command.env("PYTHONPATH", Path::new(installed("smsc-python", &PACKAGES)).join("python"));
        Self::run(command).await
    }

    async fn run(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node and python3 are installed (scripts/test-peers.sh)");
        let stdin = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, events) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        let mut peer = Self { child, stdin, events, port: 0 };
        let listening = peer.expect("listening").await;
        peer.port = u16::try_from(listening["port"].as_u64().unwrap()).unwrap();
        peer
    }

    /// The next event of this name; others before it are dropped.
    pub async fn expect(&mut self, name: &str) -> Value {
        timeout(SOON, async {
            loop {
                let event = self.events.recv().await.expect("the peer ended");
                if event["event"] == name {
                    return event;
                }
            }
        })
        .await
        .unwrap_or_else(|_| panic!("the peer reported no `{name}`"))
    }

    /// The next event of this name within `limit`, if there is one.
    pub async fn maybe(&mut self, name: &str, limit: Duration) -> Option<Value> {
        timeout(limit, async {
            loop {
                let event = self.events.recv().await?;
                if event["event"] == name {
                    return Some(event);
                }
            }
        })
        .await
        .ok()
        .flatten()
    }

    pub async fn tell(&mut self, command: Value) {
        self.stdin.write_all(format!("{command}\n").as_bytes()).await.unwrap();
    }

    /// Changes how the peer behaves and waits until it does.
    pub async fn behave(&mut self, mut behaviour: Value) {
        behaviour["do"] = json!("behave");
        self.tell(behaviour).await;
        self.expect("behaving").await;
    }

    pub async fn kill(mut self) -> u16 {
        self.child.kill().await.unwrap();
        self.port
    }

    pub fn url(&self, options: &str) -> SmppUrl {
        SmppUrl::parse(&format!("smpp://esme:secret@127.0.0.1:{}?name=test&{options}", self.port)).unwrap()
    }
}

/// Records the messages that it gets, and refuses to store if it is told so.
pub struct Recorder {
    receipts: mpsc::UnboundedSender<SmscReceipt>,
    messages: mpsc::UnboundedSender<MobileOriginated>,
    failures: std::sync::atomic::AtomicUsize,
}

/// The messages of the recorder.
pub struct Recorded {
    pub receipts: mpsc::UnboundedReceiver<SmscReceipt>,
    pub messages: mpsc::UnboundedReceiver<MobileOriginated>,
    pub recorder: Arc<Recorder>,
}

impl Recorded {
    pub fn new() -> Self {
        let (to_receipts, receipts) = mpsc::unbounded_channel();
        let (to_messages, messages) = mpsc::unbounded_channel();
        let recorder =
            Arc::new(Recorder { receipts: to_receipts, messages: to_messages, failures: Default::default() });
        Self { receipts, messages, recorder }
    }

    /// The next `count` events cannot be stored.
    pub fn fail(&self, count: usize) {
        self.recorder.failures.store(count, std::sync::atomic::Ordering::SeqCst);
    }

    pub async fn receipt(&mut self) -> SmscReceipt {
        timeout(SOON, self.receipts.recv()).await.expect("no receipt came").unwrap()
    }

    pub async fn message(&mut self) -> MobileOriginated {
        timeout(SOON, self.messages.recv()).await.expect("no message came").unwrap()
    }
}

impl Recorder {
    fn store(&self) -> Result<(), StoreFailed> {
        use std::sync::atomic::Ordering::SeqCst;
        let failing = self.failures.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok();
        if failing { Err(StoreFailed) } else { Ok(()) }
    }
}

#[async_trait]
impl SmppEvents for Recorder {
    async fn receipt(&self, receipt: SmscReceipt) -> Result<(), StoreFailed> {
        self.store()?;
        self.receipts.send(receipt).map_err(|_| StoreFailed)
    }

    async fn mobile_originated(&self, message: MobileOriginated) -> Result<(), StoreFailed> {
        self.store()?;
        self.messages.send(message).map_err(|_| StoreFailed)
    }
}

/// Times for tests.
pub fn quick() -> SmppSettings {
    SmppSettings {
        connect_timeout: Duration::from_secs(2),
        response_timeout: Duration::from_secs(2),
        enquire_link: Duration::from_millis(300),
        reconnect_first: Duration::from_millis(100),
        reconnect_longest: Duration::from_millis(400),
        refused_first: Duration::from_secs(2),
        refused_longest: Duration::from_secs(4),
        part_hold: Duration::from_millis(600),
        part_expiry: Duration::from_secs(2),
        ..SmppSettings::default()
    }
}

/// A peer with a gateway bound to it.
pub async fn bound(options: &str) -> (Peer, SmppGateway, Recorded) {
    let mut peer = Peer::start().await;
    let recorded = Recorded::new();
    let gateway = SmppGateway::start_with(vec![peer.url(options)], recorded.recorder.clone(), quick());
    assert!(gateway.wait_bound(SOON).await, "{:?}", gateway.status());
    peer.expect("bind").await;
    (peer, gateway, recorded)
}
