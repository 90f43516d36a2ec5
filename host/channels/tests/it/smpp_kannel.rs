//! Kannel's `drive_smpp` as the SMSC: a third-party test program for ESMEs, which reports PDUs that it cannot read. The
//! whole story, with the replies of subscribers, is in `tests/it/sms_kannel.rs`.

use std::{
    fs::File,
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
};

use channels::smpp::{SmppGateway, SmppUrl};
use futures::future::join_all;

use crate::{
    smpp_peer::{Recorded, SOON, quick},
    smpp_submits::part,
    support::scratch_folder,
};

const PROGRAM: &str = "/usr/lib/kannel/test/drive_smpp";
/// It also calls Kannel's own box, and ends if no box is there.
const BOX: &str = "127.0.0.1:13001";
const MESSAGES: usize = 30;

/// Ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn kannels_drive_smpp_and_our_session_understand_each_other() {
    if !Path::new(PROGRAM).exists() {
        println!("skipped: {PROGRAM} is missing; scripts/test-peers.sh installs it (kannel-extras)");
        return;
    }
    let log = scratch_folder().join("drive_smpp.log");
    // If another process has the address already, the program calls that one.
    let _box = TcpListener::bind(BOX).ok();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let said = File::create(&log).unwrap();
    let child = Command::new(PROGRAM)
        .args(["-v", "0", "-p", &port.to_string(), "-m", &MESSAGES.to_string()])
        .stdin(Stdio::null())
        .stdout(said.try_clone().unwrap())
        .stderr(said)
        .spawn()
        .unwrap();
    let mut kannel = Running(child);
    let url = format!("smpp://esme:secret@127.0.0.1:{port}?name=kannel&mode=txrx&window=8");
    let mut recorded = Recorded::new();
    let gateway = SmppGateway::start_with(vec![SmppUrl::parse(&url).unwrap()], recorded.recorder.clone(), quick());
    assert!(gateway.wait_bound(SOON).await, "{:?}", gateway.status());

    let taken = join_all((0..MESSAGES).map(|_| gateway.submit(part("Hello")))).await;
    assert!(taken.iter().all(|taken| taken.as_ref().is_ok_and(|taken| taken.smsc_id.is_empty())), "{taken:?}");
    let mut texts = Vec::new();
    for _ in 0..MESSAGES {
        let message = recorded.message().await;
        assert_eq!((message.from.as_str(), message.to.as_str()), ("456", "123"));
        texts.push(message.text.parse::<usize>().unwrap());
    }
    texts.sort_unstable();
    assert_eq!(texts, (1..=MESSAGES).collect::<Vec<_>>());

    gateway.shutdown().await;
    // It ends when a session does.
    tokio::task::spawn_blocking(move || kannel.0.wait()).await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&std::fs::read(&log).unwrap()).into_owned();
    assert_eq!(said.matches("submit_sm: short_message = <Hello>").count(), MESSAGES, "{said}");
    for wrong in ["garbage", "unpacking failed", "Unhandled SMPP PDU", "PANIC"] {
        assert!(!said.contains(wrong), "{wrong}: {said}");
    }
}
