//! The third-party SMSC of the SMS benchmarks, and the least work that any client of an SMSC does.

use std::{
    io::{BufRead, BufReader, Lines, Write},
    process::{Child, ChildStdout, Command, Stdio},
    str::FromStr,
    time::{Duration, Instant},
};

use futures::{SinkExt, StreamExt};
use harness::{installed_peer, peer_folder};
use rusmpp::{
    Command as Smpp, CommandStatus, Pdu,
    pdus::{BindTransceiver, SubmitSm},
    tokio_codec::CommandCodec,
    types::{COctetString, OctetString},
    values::{DataCoding, EsmClass, InterfaceVersion, Npi, RegisteredDelivery, Ton},
};
use tokio::net::TcpStream;
use tokio_util::codec::Framed;

/// Longest wait for submits, in addition to 2 ms for each.
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
        let folder = peer_folder("smsc");
        let mut child = Command::new("node")
            .arg(folder.join("quick.js"))
            .arg(installed_peer("smsc"))
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

    /// Its answer to a line (`quick.js` lists them).
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
    let mut session = Session::bind(account).await;
    let began = Instant::now();
    for number in 0..count {
        if number >= window {
            session.submitted().await;
        }
        session.send(submit_sm(number, text)).await;
    }
    for _ in 0..window.min(count) {
        session.submitted().await;
    }
    let took = began.elapsed();
    session.unbind().await;
    #[expect(clippy::cast_precision_loss, reason = "a count of submits")]
    let count = count as f64;
    count / took.as_secs_f64()
}

/// A connection to an SMSC with the codec and nothing above it: requests are written one by one, answers read in their order.
struct Session {
    framed: Framed<TcpStream, CommandCodec>,
    sequence: u32,
}

impl Session {
    async fn bind(account: &Account) -> Self {
        let stream = TcpStream::connect(&account.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let mut session = Self { framed: Framed::new(stream, CommandCodec::new()), sequence: 0 };
        let bind = BindTransceiver::builder()
            .system_id(COctetString::from_str(account.system_id).unwrap())
            .password(COctetString::from_str("secret").unwrap())
            .interface_version(InterfaceVersion::Smpp3_4);
        session.send(bind.build()).await;
        let Some(Pdu::BindTransceiverResp(_)) = session.answer().await else { panic!("the SMSC refuses the bind") };
        session
    }

    async fn send(&mut self, request: impl Into<Pdu>) {
        self.sequence += 1;
        self.framed.send(Smpp::new(CommandStatus::EsmeRok, self.sequence, request)).await.unwrap();
    }

    /// The next answer. The SMSC asks for nothing in the time of a run.
    async fn answer(&mut self) -> Option<Pdu> {
        let answer = self.framed.next().await.expect("the SMSC answers").unwrap();
        assert_eq!(answer.status(), CommandStatus::EsmeRok);
        answer.pdu().cloned()
    }

    async fn submitted(&mut self) {
        let answer = self.answer().await;
        let Some(Pdu::SubmitSmResp(answer)) = answer else { panic!("no answer to a submit: {answer:?}") };
        assert!(!answer.message_id().is_empty());
    }

    async fn unbind(mut self) {
        self.send(Pdu::Unbind).await;
        assert!(matches!(self.answer().await, Some(Pdu::UnbindResp)), "the SMSC lets go");
    }
}

/// The program's submit of one of these legs.
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
