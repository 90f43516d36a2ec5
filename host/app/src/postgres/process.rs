//! Starts, watches and stops the server.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::OpenOptionsExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::watch;

use super::{account::SystemAccount, binaries::Binaries, cluster::last_lines, error::PostgresError};

/// Bound on a start: recovery after a crash reads up to `max_wal_size`.
const READY_WITHIN: Duration = Duration::from_secs(300);

/// Bound on a fast stop. After it an immediate stop follows, which costs a recovery at the next start.
const FAST_STOP: Duration = Duration::from_secs(10);

/// Bound on an immediate stop. After it the process is killed.
const IMMEDIATE_STOP: Duration = Duration::from_secs(5);

/// A larger log is renamed at the next start.
const LOG_BYTES: u64 = 10 * 1024 * 1024;

/// Waits at the other end of a pipe. If that closes without a message, patchbay was killed, and the server is stopped:
/// fast, and after 15 s immediately. (`PR_SET_PDEATHSIG` would need unsafe code.)
const WATCHER: &str = r#"
trap '' HUP INT TERM
if read -r _; then exit 0; fi
kill -INT "$1" 2>/dev/null
n=0
while [ "$n" -lt 15 ] && kill -0 "$1" 2>/dev/null; do sleep 1; n=$((n + 1)); done
kill -0 "$1" 2>/dev/null && kill -QUIT "$1" 2>/dev/null
"#;

pub struct Launch<'a> {
    pub binaries: &'a Binaries,
    pub account: &'a SystemAccount,
    pub cluster: &'a Path,
    pub socket_dir: &'a Path,
    pub log: &'a Path,
}

/// A server that accepts connections.
#[derive(Debug)]
pub struct PostgresServer {
    pid: Pid,
    exited: watch::Receiver<Option<ExitStatus>>,
    watcher: Child,
}

impl PostgresServer {
    pub async fn start(launch: &Launch<'_>) -> Result<Self, PostgresError> {
        let (log, log_start) = open_log(launch.log)?;
        let mut server = Self::spawn(launch, log)?;
        let begun = Instant::now();
        while !is_ready(launch.cluster, server.pid) {
            let status = *server.exited.borrow_and_update();
            if let Some(status) = status {
                server.dismiss_watcher();
                let tail = read_from(launch.log, log_start).unwrap_or_default();
                return Err(PostgresError::NotStarted {
                    status: status.to_string(),
                    log: launch.log.to_owned(),
                    tail: last_lines(&tail),
                });
            }
            if begun.elapsed() > READY_WITHIN {
                server.stop().await;
                return Err(PostgresError::NotReady { waited: READY_WITHIN, log: launch.log.to_owned() });
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(server)
    }

    fn spawn(launch: &Launch<'_>, log: File) -> Result<Self, PostgresError> {
        let child = server_command(launch, log)
            .and_then(|mut command| command.spawn())
            .map_err(PostgresError::files("run", launch.binaries.program("postgres")))?;
        let watcher = watch_over(child.id(), launch.account);
        let pid = Pid::from_child(&child);
        let exited = reap(child).map_err(PostgresError::files("watch", launch.cluster));
        match (watcher, exited) {
            (Ok(watcher), Ok(exited)) => Ok(Self { pid, exited, watcher }),
            (Err(source), _) => {
                // A server without a watcher could be left behind, so it is not run at all.
                let _ = kill_process(pid, Signal::QUIT);
                Err(PostgresError::files("run", "/bin/sh")(source))
            }
            (_, Err(error)) => Err(error),
        }
    }

    /// Resolves when the server has ended, which should only happen after [`PostgresServer::stop`].
    pub async fn exited(&self) {
        let mut exited = self.exited.clone();
        // The sender is dropped only after it has reported the end of the server.
        let _ = exited.wait_for(Option::is_some).await;
    }

    /// Stops the server: fast (transactions are rolled back, a checkpoint is written), then immediately, then by force.
    pub async fn stop(&mut self) {
        for (signal, patience) in
            [(Signal::INT, FAST_STOP), (Signal::QUIT, IMMEDIATE_STOP), (Signal::KILL, IMMEDIATE_STOP)]
        {
            if self.exited.borrow().is_some() {
                break;
            }
            // Fails only if the process has just ended.
            let _ = kill_process(self.pid, signal);
            if tokio::time::timeout(patience, self.exited()).await.is_ok() {
                break;
            }
            tracing::warn!(?signal, "PostgreSQL did not stop in time");
        }
        self.dismiss_watcher();
    }

    fn dismiss_watcher(&mut self) {
        if let Some(mut pipe) = self.watcher.stdin.take() {
            let _ = pipe.write_all(b"done\n");
        }
        let _ = self.watcher.wait();
    }
}

/// Private, durable and quiet, regardless of `postgresql.conf`.
fn server_command(launch: &Launch<'_>, log: File) -> io::Result<Command> {
    let mut command = launch.account.command(&launch.binaries.program("postgres"));
    command.arg("-D").arg(launch.cluster).arg("-k").arg(one_directory(launch.socket_dir));
    for setting in ["listen_addresses=", "port=5432", "unix_socket_permissions=0777", "fsync=on", "full_page_writes=on"]
    {
        command.args(["-c", setting]);
    }
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    Ok(command)
}

fn one_directory(path: &Path) -> OsString {
    let mut quoted = vec![b'"'];
    for byte in path.as_os_str().as_bytes() {
        quoted.push(*byte);
        if *byte == b'"' {
            quoted.push(b'"');
        }
    }
    quoted.push(b'"');
    OsString::from_vec(quoted)
}

fn watch_over(pid: u32, account: &SystemAccount) -> io::Result<Child> {
    let mut command = account.command(Path::new("/bin/sh"));
    command.args(["-c", WATCHER, "patchbay-watcher", &pid.to_string()]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

fn reap(mut child: Child) -> io::Result<watch::Receiver<Option<ExitStatus>>> {
    let (sender, receiver) = watch::channel(None);
    thread::Builder::new().name("postgres".to_owned()).spawn(move || {
        let status = child.wait().unwrap_or_default();
        // The receiver may be gone when the process is ending.
        let _ = sender.send(Some(status));
    })?;
    Ok(receiver)
}

/// The server writes `ready` into the eighth line of its `postmaster.pid`. `pg_ctl` waits for the same.
fn is_ready(cluster: &Path, pid: Pid) -> bool {
    let Ok(text) = fs::read_to_string(cluster.join("postmaster.pid")) else {
        return false;
    };
    let mut lines = text.lines().map(str::trim);
    let ours = lines.next() == Some(pid.as_raw_nonzero().to_string().as_str());
    ours && lines.nth(6) == Some("ready")
}

/// Opens the log for appending and returns the position at which this run begins.
fn open_log(path: &Path) -> Result<(File, u64), PostgresError> {
    if fs::metadata(path).is_ok_and(|log| log.len() > LOG_BYTES) {
        let old = PathBuf::from(format!("{}.old", path.display()));
        fs::rename(path, &old).map_err(PostgresError::files("rename", path))?;
    }
    let log = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    let log = log.map_err(PostgresError::files("open", path))?;
    let length = log.metadata().map_err(PostgresError::files("look at", path))?.len();
    Ok((log, length))
}

fn read_from(path: &Path, start: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
