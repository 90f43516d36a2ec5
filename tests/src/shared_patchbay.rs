//! One program for all tests that keep to a client and phones of their own: a start costs a second, a client does not.

use std::{
    ops::Deref,
    os::unix::process::CommandExt,
    process::{Child, ChildStdin, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use tokio::sync::OnceCell;

use crate::{Patchbay, PatchbaySetup, TestClient, TestPhone};

/// Ends the program and removes its data once our end of its standard input closes, which happens with this process.
const KEEPER: &str = r#"trap '' INT TERM HUP; read -r _; kill -KILL "$1"; rm -rf "$2""#;

/// The program that tests share. Its clock is never moved and its settings are the usual ones.
pub struct SharedPatchbay {
    patchbay: &'static Patchbay,
}

struct Kept {
    patchbay: Patchbay,
    _keeper: Child,
    _lifeline: ChildStdin,
}

impl SharedPatchbay {
    /// The program, started by the first test that asks for it.
    pub async fn get() -> Self {
        static PROGRAM: OnceCell<Kept> = OnceCell::const_new();
        let kept = PROGRAM.get_or_init(|| start(PatchbaySetup::new())).await;
        Self { patchbay: &kept.patchbay }
    }

    /// Another program, which has the guests of `tests/guests` as plugins.
    pub async fn with_guests() -> Self {
        static PROGRAM: OnceCell<Kept> = OnceCell::const_new();
        let kept = PROGRAM.get_or_init(|| start(PatchbaySetup::new().with_guests())).await;
        Self { patchbay: &kept.patchbay }
    }

    /// A client that no other test knows, with a Cloud number and the sample templates.
    pub async fn new_client(&self) -> TestClient {
        let number = next();
        self.patchbay.client(&format!("client-{number}"), &format!("2711{number:07}")).await
    }

    /// A client without any number.
    pub fn new_bare_client(&self) -> TestClient {
        self.patchbay.bare_client(&format!("client-{}", next()))
    }

    /// A phone that no other test knows.
    pub fn new_phone(&self) -> TestPhone {
        self.patchbay.phone(&format!("2782{:07}", next()))
    }
}

async fn start(setup: PatchbaySetup) -> Kept {
    let mut patchbay = setup.start().await;
    // A connection belongs to the runtime of the test that opened it, so none is kept for the next test.
    patchbay.http = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
    let mut keeper = Command::new("/bin/sh");
    keeper.args(["-c", KEEPER, "keeper", &patchbay.process_id().to_string()]).arg(patchbay.data_dir());
    // A group of its own: Ctrl-C at the terminal ends the tests, and the keeper cleans up behind them.
    keeper.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut keeper = keeper.spawn().expect("there is a shell");
    let lifeline = keeper.stdin.take().unwrap();
    Kept { patchbay, _keeper: keeper, _lifeline: lifeline }
}

fn next() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

impl Deref for SharedPatchbay {
    type Target = Patchbay;

    fn deref(&self) -> &Patchbay {
        self.patchbay
    }
}

impl Drop for SharedPatchbay {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("---- the end of the shared program's log ----\n{}", self.patchbay.end_of_log());
        }
    }
}
