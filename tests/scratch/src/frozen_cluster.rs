//! A frozen PostgreSQL: its processes are stopped. The system still accepts connections, but no answer comes.

use std::{fs, path::Path};

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};

/// Every process of a cluster is stopped until this is dropped.
pub struct Frozen(Vec<Pid>);

impl Frozen {
    /// Stops the processes of the cluster in `data`.
    pub(crate) fn stop(data: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(data.join("postmaster.pid")).context("the cluster does not run")?;
        let server = text.lines().next().and_then(pid).context("postmaster.pid names no process")?;
        let mut frozen = Self(Vec::new());
        // The server first: it makes no further processes then.
        frozen.add(server)?;
        for process in children(server)? {
            frozen.add(process)?;
        }
        Ok(frozen)
    }

    fn add(&mut self, process: Pid) -> anyhow::Result<()> {
        match kill_process(process, Signal::STOP) {
            Ok(()) => self.0.push(process),
            // It ended between two checks.
            Err(rustix::io::Errno::SRCH) => {}
            Err(error) => return Err(error).context("cannot stop a process of PostgreSQL"),
        }
        Ok(())
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        for process in &self.0 {
            // One that is gone needs nothing.
            let _ = kill_process(*process, Signal::CONT);
        }
    }
}

/// The processes that a process has made, as `ps` tells it on every system.
fn children(parent: Pid) -> anyhow::Result<Vec<Pid>> {
    let output = std::process::Command::new("ps").args(["-A", "-o", "pid=,ppid="]).output().context("cannot run ps")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let pairs = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((pid(words.next()?)?, pid(words.next()?)?))
    });
    Ok(pairs.filter(|(_, above)| *above == parent).map(|(process, _)| process).collect())
}

fn pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.trim().parse().ok()?)
}
