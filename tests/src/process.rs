//! A process of the program.

use std::{
    net::SocketAddr,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::{TestClient, process_log::ProcessLog};

/// Longest time that a start may take.
const START: Duration = Duration::from_secs(120);

/// A process that listens.
pub(crate) struct Process {
    pub(crate) child: Child,
    pub(crate) log: ProcessLog,
    /// Its standard output.
    pub(crate) output: ProcessLog,
    pub(crate) address: SocketAddr,
    /// `http` or `https`.
    pub(crate) scheme: &'static str,
}

impl Process {
    /// Starts `patchbay serve` and waits until it listens.
    pub(crate) async fn start(command: Command) -> Self {
        Self::start_as("serve", command).await
    }

    /// The same for another command that listens.
    pub(crate) async fn start_as(name: &str, command: Command) -> Self {
        Self::try_to_start(name, command).await.unwrap_or_else(|log| panic!("the program ended:\n{log}"))
    }

    /// The same for a program that may refuse to start; then the answer is its log.
    pub(crate) async fn try_to_start(name: &str, mut command: Command) -> Result<Self, String> {
        command.arg(name).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let log = ProcessLog::collect(child.stderr.take().unwrap());
        let output = ProcessLog::collect(child.stdout.take().unwrap());
        let begun = Instant::now();
        let (scheme, address) = loop {
            if let Some(announced) = announced(&log.text()) {
                break announced;
            }
            if child.try_wait().unwrap().is_some() {
                log.end().await;
                return Err(log.text());
            }
            assert!(begun.elapsed() < START, "the program does not listen:\n{}", log.text());
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        Ok(Self { child, log, output, address, scheme })
    }
}

fn announced(log: &str) -> Option<(&'static str, SocketAddr)> {
    // The batch gateway's second listener names its address, too.
    let lines = log.lines().filter(|line| !line.contains("(batch SMS gateway)"));
    lines.flat_map(|line| ["http", "https"].map(|scheme| (line, scheme))).find_map(|(line, scheme)| {
        let (_, rest) = line.split_once(&format!("listening on {scheme}://"))?;
        let end = rest.find(|c: char| c.is_whitespace() || c == '"' || c == '\u{1b}').unwrap_or(rest.len());
        Some((scheme, rest[..end].parse().ok()?))
    })
}

/// A second process.
pub struct NodeProcess {
    /// Its base URL; empty for one that does not listen.
    pub url: String,
    pub(crate) child: Child,
    pub(crate) log: ProcessLog,
}

/// Asks a process to stop, waits for the end of its log, and answers its exit code.
pub(crate) async fn terminate(child: &mut Child, log: &ProcessLog) -> Option<i32> {
    let id = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    loop {
        if let Some(ended) = child.try_wait().unwrap() {
            log.end().await;
            return ended.code();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

impl NodeProcess {
    /// The client, talking to this node.
    pub fn client(&self, client: &TestClient) -> TestClient {
        client.at(&self.url)
    }

    /// Id of the process.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Its log so far.
    pub fn log(&self) -> String {
        self.log.text()
    }

    /// Asks the process to stop, and answers its exit code.
    pub async fn terminate(&mut self) -> Option<i32> {
        terminate(&mut self.child, &self.log).await
    }
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
