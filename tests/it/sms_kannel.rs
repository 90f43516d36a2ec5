//! Kannel's `drive_smpp` as the SMSC (issue 12, part 5): a third-party test program for ESMEs in Debian's package
//! `kannel-extras`. It binds a transmitter and a receiver and no transceiver. It answers every submit without an id. It
//! sends a given number of messages from subscriber 456 to 123, each with the id of a receipt. It ends when a session
//! ends.

use std::{
    fs::File,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use harness::{PatchbaySetup, WebhookSink, eventually};
use serde_json::{Value, json};

const PROGRAM: &str = "/usr/lib/kannel/test/drive_smpp";
/// The program also calls Kannel's box here, and ends if there is none.
const BOX: &str = "127.0.0.1:13001";
/// The number of messages in each direction: fewer than the program sends without an answer.
const MESSAGES: usize = 40;

struct Kannel {
    child: Child,
    log: PathBuf,
    _box: Option<TcpListener>,
}

impl Kannel {
    fn start(port: u16, folder: &Path) -> Self {
        let log = folder.join("drive_smpp.log");
        // If another process has the address already, the program calls that process.
        let held = TcpListener::bind(BOX).ok();
        let said = File::create(&log).unwrap();
        let child = Command::new(PROGRAM)
            .args(["-v", "0", "-p", &port.to_string(), "-m", &MESSAGES.to_string()])
            .stdin(Stdio::null())
            .stdout(said.try_clone().unwrap())
            .stderr(said)
            .spawn()
            .unwrap();
        Self { child, log, _box: held }
    }

    fn said(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap()).into_owned()
    }

    fn submitted(&self) -> Vec<String> {
        let said = self.said();
        let texts = said.lines().filter_map(|line| line.split_once("submit_sm: short_message = <"));
        let mut texts: Vec<String> = texts.map(|(_, text)| text.trim_end_matches('>').to_owned()).collect();
        texts.sort_unstable();
        texts
    }
}

impl Drop for Kannel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn kannels_drive_smpp_gets_each_sms_once_and_delivers_replies() {
    if !Path::new(PROGRAM).exists() {
        println!(
            "skipped: {PROGRAM} is missing; where there is apt-get, scripts/test-peers.sh installs it (kannel-extras)"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("smpp://esme:secret@127.0.0.1:{port}?name=kannel&mode=txrx&window=8");
    let mut patchbay = PatchbaySetup::new().set("smpp.url", &url).set("limits.unknown_after", "1s").start().await;
    let (client, sink) = (patchbay.bare_client("acme"), WebhookSink::start().await);
    patchbay.credits(&client, 100);
    let messages: Vec<Value> = (0..MESSAGES)
        .map(
            |at| json!({ "recipients": [{ "to": format!("2782000{at:04}") }], "messageText": format!("Text {at:02}") }),
        )
        .collect();
    let settings = json!({ "replyCallBackURL": sink.url("reply") });
    let sent = patchbay.sms(&client, "/sms/json", &json!({ "messages": messages, "settings": settings })).await.ok();
    assert_eq!(sent["statusCode"], "100", "there is no SMSC yet, and it is on disk");
    // An SMS cannot be sent to 456, so this row makes the messages from 456 replies.
    let mut db = patchbay.database().await;
    sqlx::query(
        "INSERT INTO sms_correspondent (source, subscriber, client_id, message_id)
         SELECT '123', '456', client_id, id FROM sms_message LIMIT 1",
    )
    .execute(&mut db)
    .await
    .unwrap();

    let mut kannel = Kannel::start(port, folder.path());

    let count = async |statement: &str| -> i64 {
        let mut db = patchbay.database().await;
        sqlx::query_scalar(statement).fetch_one(&mut db).await.unwrap()
    };
    eventually("the SMSC to have all", || async {
        let waiting = count("SELECT count(*) FROM sms_message WHERE state <> 'ACCEPTED'").await;
        (waiting == 0).then_some(())
    })
    .await;
    let mut told: Vec<usize> = sink
        .receives_many("reply", MESSAGES)
        .await
        .iter()
        .map(|told| told.form()["messageText"].parse().unwrap())
        .collect();
    told.sort_unstable();
    told.dedup();
    assert_eq!(told, (1..=MESSAGES).collect::<Vec<_>>());
    let incoming = count("SELECT count(*) FROM sms_inbound WHERE sender = '456' AND receiver = '123'").await;
    assert_eq!(usize::try_from(incoming).unwrap(), MESSAGES);

    // If a message were in doubt, it would be sent once more now.
    patchbay.advance_clock(3600).await;
    assert_eq!(count("SELECT count(*) FROM outbound_work").await, 0);
    assert_eq!(count("SELECT count(*) FROM outbound_leg WHERE ambiguous").await, 0);
    assert_eq!(patchbay.terminate().await, Some(0));
    kannel.child.wait().unwrap();
    let expected: Vec<String> = (0..MESSAGES).map(|at| format!("Text {at:02}")).collect();
    assert_eq!(kannel.submitted(), expected, "each once");
    let said = kannel.said();
    assert!(said.contains("All messages sent to ESME."), "{said}");
    for wrong in ["garbage", "unpacking failed", "Unhandled SMPP PDU", "PANIC"] {
        assert!(!said.contains(wrong), "{wrong}: {said}");
    }
}
