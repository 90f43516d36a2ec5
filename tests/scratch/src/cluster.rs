//! A private PostgreSQL cluster that ends with this process.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use rustix::process::{Gid, Uid, geteuid};

use crate::{binaries, frozen_cluster::Frozen};

/// Runs PostgreSQL until its standard input ends, which it does when the process that holds the other end is gone,
/// killed or not; then stops it and removes everything.
const KEEPER: &str = r#"
    bin=$1; root=$2
    trap '' INT TERM HUP
    "$bin/postgres" -D "$root/data" >"$root/log" 2>&1 </dev/null &
    server=$!
    read -r _
    kill -INT "$server" 2>/dev/null
    wait "$server"
    cd / && rm -rf "$root"
"#;

/// Settings of a cluster that need not survive anything.
const SETTINGS: &str = "
    listen_addresses = ''
    fsync = off
    synchronous_commit = off
    full_page_writes = off
    max_connections = 300
    shared_buffers = 64MB
    max_wal_size = 4GB
    autovacuum = off
    timezone = 'UTC'
    log_timezone = 'UTC'
";

/// Settings of a cluster that keeps its promises, as the program's own embedded one does (`host/app/src/postgres/cluster.rs`).
const DURABLE_SETTINGS: &str = "
    listen_addresses = ''
    fsync = on
    synchronous_commit = on
    full_page_writes = on
    max_connections = 200
    shared_buffers = 128MB
    effective_cache_size = 1GB
    work_mem = 8MB
    min_wal_size = 256MB
    max_wal_size = 2GB
    checkpoint_timeout = 15min
    checkpoint_completion_target = 0.9
    random_page_cost = 1.1
    max_parallel_workers_per_gather = 0
    jit = off
    autovacuum_naptime = 15s
    autovacuum_vacuum_scale_factor = 0.05
    autovacuum_analyze_scale_factor = 0.05
    default_statistics_target = 10
    timezone = 'UTC'
    log_timezone = 'UTC'
";

/// Statements can be counted, and are when a benchmark turns that on.
const COUNTING_SETTINGS: &str = "
    shared_preload_libraries = 'pg_stat_statements'
    pg_stat_statements.track = 'none'
    pg_stat_statements.track_planning = on
";

/// Free bytes of the file system in memory from which on a cluster of tests is made there. Each database has 900 files and 13 MB,
/// which are copied from the template in a third of the time that a disk takes.
const ROOM: u64 = 8 << 30;

/// The purpose of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Quick and gone: nothing is written through to the disk.
    Tests,
    /// Commits are on the disk, as in production.
    Benchmarks,
}

impl Purpose {
    fn settings(self, bin: &Path) -> String {
        match self {
            Self::Tests => SETTINGS.to_owned(),
            Self::Benchmarks if binaries::count_statements(bin) => format!("{DURABLE_SETTINGS}{COUNTING_SETTINGS}"),
            Self::Benchmarks => DURABLE_SETTINGS.to_owned(),
        }
    }

    /// End of the name of its directory.
    fn suffix(self) -> &'static str {
        match self {
            Self::Tests => "",
            Self::Benchmarks => "-durable",
        }
    }
}

/// A running cluster. It stops when the keeper's standard input closes: with this value, or with the process.
pub struct Cluster {
    root: PathBuf,
    _keeper: Child,
    _lifeline: ChildStdin,
}

/// The account of PostgreSQL if we are root, which it refuses.
#[derive(Clone, Copy)]
struct Account {
    uid: u32,
    gid: u32,
}

impl Cluster {
    /// Creates and starts a cluster; takes about a second.
    pub fn start(purpose: Purpose) -> anyhow::Result<Self> {
        let bin = binaries::directory()?;
        let account = if geteuid().is_root() { Some(unprivileged()?) } else { None };
        let root = new_directory(purpose, account)?;
        initialise(&bin, &root, account)?;
        fs::write(root.join("data/postgresql.auto.conf"), settings(purpose, &bin, &root))
            .context("cannot write the settings")?;
        let mut keeper = command("/bin/sh", &root, account);
        keeper.args(["-c", KEEPER, "keeper"]).arg(&bin).arg(&root);
        // A group of its own: Ctrl-C at the terminal ends the tests, and the keeper cleans up behind them.
        keeper.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut keeper = keeper.spawn().context("cannot start /bin/sh")?;
        let lifeline = keeper.stdin.take().context("the keeper has no standard input")?;
        let cluster = Self { root, _keeper: keeper, _lifeline: lifeline };
        cluster.wait_until_ready()?;
        Ok(cluster)
    }

    /// URL of a database of this cluster.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://patchbay@localhost/{database}?host={}", self.root.display())
    }

    /// The log of the server so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.root.join("log")).unwrap_or_default()
    }

    /// Stops every process of the cluster until the answer is dropped.
    pub fn freeze(&self) -> anyhow::Result<Frozen> {
        Frozen::stop(&self.root.join("data"))
    }

    fn wait_until_ready(&self) -> anyhow::Result<()> {
        let give_up = Instant::now() + Duration::from_secs(60);
        let pid_file = self.root.join("data/postmaster.pid");
        while Instant::now() < give_up {
            // The last line of this file is PostgreSQL's own word for its state.
            if fs::read_to_string(&pid_file).is_ok_and(|text| text.lines().any(|line| line.trim_end() == "ready")) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        bail!("PostgreSQL did not start within 60 s; it said:\n{}", self.log())
    }
}

/// A fresh directory that only PostgreSQL's account can enter. Short, because a socket's path has about 100 bytes.
fn new_directory(purpose: Purpose, account: Option<Account>) -> anyhow::Result<PathBuf> {
    let (memory, disk) = (Path::new("/dev/shm"), Path::new("/tmp"));
    let parent = match purpose {
        Purpose::Tests if is_writable_by_all(memory) && has_room(memory) => memory.to_path_buf(),
        Purpose::Tests | Purpose::Benchmarks if is_writable_by_all(disk) => disk.to_path_buf(),
        Purpose::Tests | Purpose::Benchmarks => std::env::temp_dir(),
    };
    let root = parent.join(format!("patchbay-scratch-{}{}", std::process::id(), purpose.suffix()));
    if root.exists() {
        // Left by a keeper that was killed, under a process id that is ours now.
        fs::remove_dir_all(&root).with_context(|| format!("cannot remove {}", root.display()))?;
    }
    fs::create_dir(&root).with_context(|| format!("cannot create {}", root.display()))?;
    fs::set_permissions(&root, fs::Permissions::from_mode(0o700))?;
    if let Some(Account { uid, gid }) = account {
        rustix::fs::chown(&root, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))?;
    }
    Ok(root)
}

fn is_writable_by_all(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_dir() && found.permissions().mode() & 0o002 != 0)
}

/// True if a cluster of tests fits into this file system.
fn has_room(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|found| found.f_bavail.saturating_mul(found.f_frsize) >= ROOM)
}

fn initialise(bin: &Path, root: &Path, account: Option<Account>) -> anyhow::Result<()> {
    let output = command(bin.join("initdb"), root, account)
        .args(["--no-sync", "--no-instructions", "-U", "patchbay", "-E", "UTF8", "--locale=C.UTF-8", "--auth=trust"])
        .arg("-D")
        .arg(root.join("data"))
        .output()
        .context("cannot run initdb")?;
    if !output.status.success() {
        bail!("initdb failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

fn settings(purpose: Purpose, bin: &Path, root: &Path) -> String {
    format!("{}\n    unix_socket_directories = '{}'\n", purpose.settings(bin), root.display())
}

fn command(program: impl AsRef<std::ffi::OsStr>, root: &Path, account: Option<Account>) -> Command {
    let mut command = Command::new(program);
    // The directory of the tests may be closed to PostgreSQL's account.
    command.current_dir(root);
    if let Some(Account { uid, gid }) = account {
        command.uid(uid).gid(gid);
    }
    command
}

/// The account `postgres`, else `nobody`.
fn unprivileged() -> anyhow::Result<Account> {
    let accounts = fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
    let find = |wanted: &str| {
        accounts.lines().find_map(|line| {
            let mut fields = line.split(':');
            let is_wanted = fields.next() == Some(wanted);
            let uid = fields.nth(1)?.parse().ok()?;
            let gid = fields.next()?.parse().ok()?;
            is_wanted.then_some(Account { uid, gid })
        })
    };
    find("postgres")
        .or_else(|| find("nobody"))
        .context("there is no account `postgres` or `nobody` to run PostgreSQL as")
}
