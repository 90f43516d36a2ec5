//! Attacks on the entrances of the program, while a neighbour is served.

mod activations;
mod bodies;
mod downloads;
mod frames;
mod heads;
mod informational_answers;
mod live_openings;
mod mail;
mod pages;
mod passwords;
mod silent_connections;
mod smsc;
mod tls;
mod unread_documents;
mod web_chat;

use std::{future::Future, sync::Arc, time::Duration};

use futures::future::{BoxFuture, join_all};
use tokio::sync::Notify;

use crate::{
    memory::{OpenFiles, forget_peak, open_files, resident},
    neighbour::{Action, Neighbour, USUAL, USUAL_WITHOUT_MAIL},
    stage::Stage,
    table::AttackOutcome,
};

/// An attack, which continues until it is dropped.
pub type Attack = BoxFuture<'static, ()>;

/// A case: its name, the actions of the neighbour, and how it is prepared.
pub struct AttackCase {
    pub name: &'static str,
    actions: &'static [Action],
    node: NodeKind,
    prepare: for<'a> fn(&'a Stage) -> BoxFuture<'a, Attack>,
}

/// The node under attack.
#[derive(Debug, Clone, Copy)]
enum NodeKind {
    Usual,
    Tls,
    /// Its SMS centre is the attacker.
    HostileSmsc,
}

macro_rules! cases {
    ($($name:literal => $prepare:path),* $(,)?) => {
        vec![$(AttackCase { name: $name, actions: &USUAL, node: NodeKind::Usual, prepare: |stage| Box::pin($prepare(stage)) }),*]
    };
}

/// All cases, in the order in which they run.
pub fn cases() -> Vec<AttackCase> {
    let mut cases = cases![
        "unread-openapi" => unread_documents::openapi,
        "unread-docs" => unread_documents::docs,
        "one-byte-windows" => unread_documents::one_byte_windows,
        "unread-pages" => pages::messages,
        "unread-key-values" => pages::key_values,
        "announced-bodies" => bodies::announced,
        "slow-bodies" => bodies::slow,
        "announced-callbacks" => bodies::callbacks,
        "unread-downloads" => downloads::unread,
        "web-chat-history" => web_chat::history,
        "web-chat-progress" => web_chat::progress,
        "web-chat-unread" => web_chat::unread,
        "live-openings" => live_openings::at_once,
        "silent-mail" => mail::silent,
        "silent-texts" => mail::silent_texts,
        "passwords" => passwords::of_a_stranger,
        "parallel-logins" => passwords::parallel,
        "unread-refusals" => unread_documents::refusals,
        "endless-continue" => informational_answers::endless,
        "silent-connections" => silent_connections::connections,
        "slow-heads" => heads::slow,
        "large-heads" => heads::large,
        "unfinished-heads" => heads::unfinished,
        "pipelining" => heads::pipelined,
        "rapid-resets" => frames::rapid_resets,
        "continuations" => frames::continuations,
        "unfinished-blocks" => frames::unfinished_blocks,
        "pings" => frames::pings,
        "window-updates" => frames::window_updates,
        "request-floods" => frames::requests,
        "socket-fragments" => web_chat::fragments,
    ];
    cases.push(AttackCase {
        name: "schema-patterns",
        actions: &[Action::Send, Action::Login, Action::Callback, Action::Ready, Action::Activation],
        node: NodeKind::Usual,
        prepare: |stage| Box::pin(activations::with_patterns(stage)),
    });
    cases.push(AttackCase {
        name: "slow-handshakes",
        actions: &[Action::Send, Action::Login, Action::Callback, Action::Ready, Action::Webhook],
        node: NodeKind::Tls,
        prepare: |stage| Box::pin(tls::slow_handshakes(stage)),
    });
    cases.push(AttackCase {
        name: "smsc-flood",
        // The other node has the mail listener.
        actions: &USUAL_WITHOUT_MAIL,
        node: NodeKind::HostileSmsc,
        prepare: |stage| Box::pin(smsc::flood(stage)),
    });
    cases
}

/// Runs a case: first the neighbour alone, then the same while the attack continues for `length`.
pub async fn run(case: &AttackCase, length: Duration) -> AttackOutcome {
    let mut stage = Stage::set().await;
    match case.node {
        NodeKind::Usual => {}
        NodeKind::Tls => stage.move_to_tls().await,
        NodeKind::HostileSmsc => stage.move_to_hostile_smsc().await,
    }
    let attack = (case.prepare)(&stage).await;
    let neighbour = Neighbour::of(&stage).await;
    // The first requests open connections to the database and fill caches.
    neighbour.measure(case.actions, Duration::from_secs(1)).await;
    let quiet = neighbour.measure(case.actions, (length / 3).max(Duration::from_secs(5))).await;
    let process = stage.process();
    forget_peak(process);
    let before = resident(process);
    let attackers = Attackers::start(attack);
    let (under_attack, open) = tokio::join!(neighbour.measure(case.actions, length), most_open_files(process, length));
    let peak = resident(process);
    attackers.stop();
    stage.print_troubles();
    let note = if resident(process).now > 0 { String::new() } else { "the process ended".to_owned() };
    AttackOutcome { case: case.name, quiet, under_attack, before, peak, open, note }
}

async fn most_open_files(process: u32, length: Duration) -> OpenFiles {
    let end = tokio::time::Instant::now() + length;
    let mut most = OpenFiles::default();
    while tokio::time::Instant::now() < end {
        let now = open_files(process);
        most = OpenFiles { files: most.files.max(now.files), sockets: most.sockets.max(now.sockets) };
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    most
}

/// The attackers have a thread of the lowest priority: they must cost the program its own time, not the machine's.
struct Attackers {
    stop: Arc<Notify>,
    thread: std::thread::JoinHandle<()>,
}

impl Attackers {
    fn start(attack: Attack) -> Self {
        let stop = Arc::new(Notify::new());
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            // On Linux, this is the priority of the calling thread alone. An attack without it is only harder.
            let _ = rustix::process::setpriority_process(None, 19);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                tokio::select! {
                    () = attack => {}
                    () = stopped.notified() => {}
                }
            });
            runtime.shutdown_background();
        });
        Self { stop, thread }
    }

    fn stop(self) {
        self.stop.notify_one();
        self.thread.join().expect("no attacker panics");
    }
}

/// So many attackers at once, each of which begins again half a second after its end.
fn crowd<F>(count: u32, attacker: impl Fn(u32) -> F + Send + Sync + 'static) -> Attack
where
    F: Future<Output = ()> + Send + 'static,
{
    let attacker = Arc::new(attacker);
    let all = (0..count).map(move |number| {
        let attacker = Arc::clone(&attacker);
        async move {
            loop {
                attacker(number).await;
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        }
    });
    Box::pin(async move {
        // Tasks of their own: one future for thousands would look at each of them at every turn.
        let tasks: Vec<_> = all.map(tokio::spawn).collect();
        join_all(tasks).await;
    })
}
