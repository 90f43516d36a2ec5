//! What SMS are submitted to: an SMSC written by others, and the least that any client of an SMSC does.

use std::{
    io::{BufRead, BufReader, Lines, Write},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
    str::FromStr,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::StreamExt;
use rusmpp::{
    pdus::{BindTransceiver, SubmitSm},
    types::{COctetString, OctetString},
    values::{DataCoding, EsmClass, InterfaceVersion, Npi, RegisteredDelivery, Ton},
};
use rusmppc::{Client, ConnectionBuilder};
use tokio::{sync::Semaphore, task::JoinSet};

/// How long submits are waited for, besides 2 ms for each.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where an SMSC is, and how to bind there.
pub struct Account {
    pub address: String,
    pub system_id: &'static str,
}

impl Account {
    /// As the program is told of it.
    pub fn url(&self, window: usize) -> String {
        format!("smpp://{}:secret@{}?name=bench&window={window}", self.system_id, self.address)
    }
}

/// npm `smpp` as an SMSC, in a process of its own; it ends with this.
pub struct Npm {
    child: Child,
    said: Lines<BufReader<ChildStdout>>,
    pub account: Account,
}

impl Npm {
    /// Installs the package where it is missing, and starts it.
    pub fn start() -> Self {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("peers/smsc");
        let installed = Command::new("sh").arg(folder.join("install.sh")).output().unwrap();
        assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
        let modules = String::from_utf8(installed.stdout).unwrap();
        let mut child = Command::new("node")
            .arg(folder.join("quick.js"))
            .arg(modules.trim())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node is installed");
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = said.next().expect("it says its port").unwrap();
        let account = Account { address: format!("127.0.0.1:{}", port.trim()), system_id: "esme" };
        Self { child, said, account }
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// What it answers to a line (`quick.js` lists them).
    pub fn ask(&mut self, line: &str) -> String {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
        self.said.next().expect("it answers").unwrap()
    }

    /// Waits until it has taken so many submits; answers how long that took since `began`.
    pub async fn has_taken(&mut self, count: usize, began: Instant) -> Duration {
        loop {
            let taken: usize = self.ask("count").parse().unwrap();
            if taken >= count {
                assert_eq!(taken, count, "more submits than messages");
                return began.elapsed();
            }
            let patience = PATIENCE + Duration::from_millis(2 * u64::try_from(count).unwrap());
            assert!(began.elapsed() < patience, "{taken} of {count} were submitted in {patience:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Npm {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Submits per second of a client that does nothing else, with so many unanswered at once.
pub async fn bare_loop(account: &Account, text: &str, count: usize, window: usize) -> f64 {
    let client = bound(account).await;
    let places = Arc::new(Semaphore::new(window));
    let mut submits = JoinSet::new();
    let began = Instant::now();
    for number in 0..count {
        let place = Arc::clone(&places).acquire_owned().await.unwrap();
        let (client, submit) = (client.clone(), submit_sm(number, text));
        submits.spawn(async move {
            let answer = client.submit_sm(submit).await.expect("the SMSC takes it");
            assert!(!answer.message_id().is_empty());
            drop(place);
        });
    }
    submits.join_all().await;
    let took = began.elapsed();
    client.unbind().await.expect("the SMSC lets go");
    #[expect(clippy::cast_precision_loss, reason = "a count of submits")]
    let count = count as f64;
    count / took.as_secs_f64()
}

async fn bound(account: &Account) -> Client {
    let stream = tokio::net::TcpStream::connect(&account.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let (client, mut events) = ConnectionBuilder::new()
        .enquire_link_interval(Duration::from_secs(30))
        .response_timeout(Duration::from_secs(10))
        .disable_interface_version_check()
        .connected(stream);
    tokio::spawn(async move { while events.next().await.is_some() {} });
    let bind = BindTransceiver::builder()
        .system_id(COctetString::from_str(account.system_id).unwrap())
        .password(COctetString::from_str("secret").unwrap())
        .interface_version(InterfaceVersion::Smpp3_4);
    client.bind_transceiver(bind.build()).await.expect("the SMSC accepts the bind");
    client
}

/// What the program submits for one of these legs.
fn submit_sm(number: usize, text: &str) -> SubmitSm {
    SubmitSm::builder()
        .source_addr_ton(Ton::Alphanumeric)
        .source_addr(COctetString::from_str("PATCHBAY").unwrap())
        .dest_addr_ton(Ton::International)
        .dest_addr_npi(Npi::Isdn)
        .destination_addr(COctetString::from_str(&format!("2782{number:07}")).unwrap())
        .esm_class(EsmClass::from(0u8))
        .registered_delivery(RegisteredDelivery::from(1u8))
        .data_coding(DataCoding::McSpecific)
        .short_message(OctetString::from_str(text).unwrap())
        .build()
}
