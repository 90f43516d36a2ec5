//! The PostgreSQL of an earlier, killed patchbay, and its lock files.

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::error::PostgresError;

/// Signals that stop a server, with the time for each: fast, immediate, by force.
const WAYS_TO_STOP: [(Signal, Duration); 3] = [
    (Signal::INT, Duration::from_secs(10)),
    (Signal::QUIT, Duration::from_secs(5)),
    (Signal::KILL, Duration::from_secs(5)),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Postmaster {
    /// There is no such file: the last server ended cleanly.
    None,
    /// The process in the file has ended, or is another program now.
    Stale,
    Running(Pid),
}

pub fn inspect(cluster: &Path) -> Postmaster {
    let Some(pid) = named_process(cluster) else {
        return Postmaster::None;
    };
    let alive = match test_kill_process(pid) {
        Ok(()) | Err(rustix::io::Errno::PERM) => true,
        Err(_) => false,
    };
    if alive && works_on(pid, cluster) { Postmaster::Running(pid) } else { Postmaster::Stale }
}

/// Stops a server that was left behind. The lock of the data directory must be held: then no living patchbay owns it.
pub fn clear(cluster: &Path, socket_dir: &Path) -> Result<(), PostgresError> {
    match inspect(cluster) {
        Postmaster::None => {}
        Postmaster::Stale => {
            // If another process of the same user now has the process id in the file, the server would refuse to start.
            // Its own check of shared memory still finds back ends that outlived their postmaster.
            remove(&cluster.join("postmaster.pid"))?;
        }
        Postmaster::Running(pid) => {
            tracing::warn!(
                pid = pid.as_raw_nonzero().get(),
                "stopping the PostgreSQL of an earlier run that was killed"
            );
            stop(pid, cluster)?;
        }
    }
    for name in [".s.PGSQL.5432", ".s.PGSQL.5432.lock"] {
        remove(&socket_dir.join(name))?;
    }
    Ok(())
}

fn remove(path: &Path) -> Result<(), PostgresError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(PostgresError::files("remove", path)(error)),
        _ => Ok(()),
    }
}

fn stop(pid: Pid, cluster: &Path) -> Result<(), PostgresError> {
    for (signal, patience) in WAYS_TO_STOP {
        // It may end by itself at this moment.
        let _ = kill_process(pid, signal);
        let begun = Instant::now();
        while begun.elapsed() < patience {
            if inspect(cluster) != Postmaster::Running(pid) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    Err(PostgresError::OrphanStays { pid: pid.as_raw_nonzero().get() })
}

/// The first line of `postmaster.pid`. It is negative for a single-user server.
fn named_process(cluster: &Path) -> Option<Pid> {
    let text = fs::read_to_string(cluster.join("postmaster.pid")).ok()?;
    let number: i32 = text.lines().next()?.trim().parse().ok()?;
    Pid::from_raw(number.checked_abs()?)
}

/// True if the process runs in the cluster's directory, as only the server should.
fn works_on(pid: Pid, cluster: &Path) -> bool {
    let process = Path::new("/proc").join(pid.as_raw_nonzero().to_string());
    if Path::new("/proc/self").exists() {
        return fs::read_link(process.join("cwd")).is_ok_and(|directory| directory == cluster);
    }
    let command = Command::new("ps").args(["-o", "command=", "-p", &pid.as_raw_nonzero().to_string()]).output();
    command.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(&*cluster.to_string_lossy()))
}
