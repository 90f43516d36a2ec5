//! The harness of the end-to-end tests: the real binary on free ports with a fresh database, the simulated providers and
//! phones, and a receiver of webhooks.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "test support: a failure here is a failed test, and the harness is its own outside world"
)]

mod authority;
mod callbacks;
mod client;
mod gateways;
mod guests;
mod later_schema;
mod messenger;
mod nodes;
mod patchbay;
mod peers;
mod phones;
mod plugins;
mod process;
mod process_log;
mod shared_patchbay;
mod sink;
mod stored_rows;
mod telegram;
pub mod visitors;

pub use authority::Authority;
pub use callbacks::{inbound_text, status};
pub use client::{ClientReply, TestClient};
pub use guests::{altered, example, greeter, guest};
pub use messenger::MessengerPerson;
pub use patchbay::{Patchbay, PatchbaySetup, binary};
pub use peers::{installed_peer, peer_folder};
pub use phones::TestPhone;
pub use process::NodeProcess;
pub use shared_patchbay::SharedPatchbay;
pub use sink::{SinkRequest, WebhookSink};
pub use stored_rows::RowCounts;
pub use telegram::{TelegramUser, bot_token};
pub use visitors::{TestSite, TestVisitor};

use std::{future::Future, sync::OnceLock, time::Duration};

use tokio::runtime::Runtime;

/// How long a test waits for something that happens in the background. Far longer than it takes; never a measure.
const PATIENCE: Duration = Duration::from_secs(60);
/// First and longest pause between two checks. A check is often a request, which costs the processors of the program, too.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(80));

/// The outside world runs on threads of its own: a test that waits for a command must not stop it.
fn outside_world() -> &'static Runtime {
    static WORLD: OnceLock<Runtime> = OnceLock::new();
    WORLD.get_or_init(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap())
}

/// The time of the real clock, with which the program starts: for requests that name a moment.
pub fn real_time() -> chrono::DateTime<chrono::Utc> {
    chrono::Utc::now()
}

/// A caller that opens a connection for each request, and waits so long for an answer.
pub fn newcomer(patience: Duration) -> reqwest::Client {
    reqwest::Client::builder().pool_max_idle_per_host(0).timeout(patience).build().unwrap()
}

/// Waits until `probe` gives something, looking less and less often.
///
/// # Panics
///
/// When it takes longer than anything should; `what` says what was waited for.
pub async fn eventually<T, F: Future<Output = Option<T>>>(what: &str, mut probe: impl FnMut() -> F) -> T {
    let begun = std::time::Instant::now();
    let (mut pause, longest) = PAUSES;
    while begun.elapsed() < PATIENCE {
        if let Some(found) = probe().await {
            return found;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
    panic!("waited in vain for {what}");
}
