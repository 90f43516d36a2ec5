//! Creates a cluster, and checks that an existing one fits the programs.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::DirBuilderExt,
    path::Path,
    process::{Command, Output, Stdio},
};

use super::{account::SystemAccount, binaries::Binaries, error::PostgresError, home::Home};

/// The owner of the whole cluster, and the user of our connections.
pub const USER: &str = "patchbay";

pub const DATABASE: &str = "patchbay";

const SHOWN_LINES: usize = 15;

/// Settings for two cores, written once into `postgresql.conf`, where the operator may change them. Log messages leave
/// out details and statements, because these quote rows with phone numbers.
const TUNING: &str = "
# Written by patchbay when it made this cluster; yours to change. Address, socket and fsync are set at every start.
shared_buffers = 128MB
effective_cache_size = 1GB
work_mem = 8MB
maintenance_work_mem = 64MB
max_connections = 100
min_wal_size = 256MB
max_wal_size = 2GB
checkpoint_timeout = 15min
checkpoint_completion_target = 0.9
random_page_cost = 1.1
max_worker_processes = 4
max_parallel_workers_per_gather = 0
jit = off
autovacuum_naptime = 15s
autovacuum_vacuum_scale_factor = 0.05
autovacuum_analyze_scale_factor = 0.05
default_statistics_target = 10
idle_in_transaction_session_timeout = 60s
timezone = 'UTC'
log_timezone = 'UTC'
log_checkpoints = off
log_min_messages = log
log_min_error_statement = panic
log_error_verbosity = terse
";

/// The major version that made the cluster. `None` if there is no cluster.
pub fn made_by(cluster: &Path) -> Result<Option<u32>, PostgresError> {
    let path = cluster.join("PG_VERSION");
    match fs::read_to_string(&path) {
        Ok(text) => text.trim().parse().map(Some).map_err(|_| {
            let source = io::Error::other(format!("it says {text:?} instead of a major version"));
            PostgresError::files("understand", &path)(source)
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !cluster.exists() => Ok(None),
        Err(error) => Err(PostgresError::files("read", path)(error)),
    }
}

/// Creates the cluster under a temporary name, and renames it at the end. So an interrupted start leaves no half cluster.
pub fn create(home: &Home, account: &SystemAccount, binaries: &Binaries) -> Result<(), PostgresError> {
    let (cluster, draft) = (home.cluster(), home.path().join("postgres.new"));
    tracing::info!(directory = %cluster.display(), version = binaries.major, "creating the embedded PostgreSQL");
    if draft.exists() {
        fs::remove_dir_all(&draft).map_err(PostgresError::files("remove", &draft))?;
    }
    DirBuilder::new().mode(0o700).create(&draft).map_err(PostgresError::files("create", &draft))?;
    account.own_directory(&draft)?;
    init(&draft, account, binaries)?;
    let conf = draft.join("postgresql.conf");
    let mut file = OpenOptions::new().append(true).open(&conf).map_err(PostgresError::files("open", &conf))?;
    file.write_all(TUNING.as_bytes()).and_then(|()| file.sync_all()).map_err(PostgresError::files("write", &conf))?;
    create_database(&draft, account, binaries)?;
    fs::rename(&draft, &cluster).map_err(PostgresError::files("rename", &draft))?;
    let parent = File::open(home.path()).and_then(|directory| directory.sync_all());
    parent.map_err(PostgresError::files("write", home.path()))
}

/// `initdb` with the locale C.UTF-8, or `C` if the system lacks it. Local connections are trusted, because only the
/// server's account and root can enter the directory of the socket. Other connections are impossible.
fn init(cluster: &Path, account: &SystemAccount, binaries: &Binaries) -> Result<(), PostgresError> {
    let initdb = |locale: &str| {
        let mut command = account.command(&binaries.program("initdb"));
        command.args(["--username", USER, "--encoding", "UTF8", "--locale", locale]);
        command.args(["--auth-local", "trust", "--auth-host", "reject", "--pgdata"]).arg(cluster);
        command.stdin(Stdio::null());
        run("initdb", &mut command)
    };
    match initdb("C.UTF-8") {
        Err(PostgresError::Program { output, .. }) if output.contains("invalid locale") => initdb("C").map(drop),
        other => other.map(drop),
    }
}

/// Creates the database in single-user mode, which needs no client program and no connection.
fn create_database(cluster: &Path, account: &SystemAccount, binaries: &Binaries) -> Result<(), PostgresError> {
    let mut command = account.command(&binaries.program("postgres"));
    command.args(["--single", "-D"]).arg(cluster).arg("template1").stdin(Stdio::piped());
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(PostgresError::files("run", binaries.program("postgres")))?;
    let statement = format!("CREATE DATABASE {DATABASE};\n");
    let written = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(statement.as_bytes()));
    let output = child.wait_with_output().map_err(PostgresError::files("run", binaries.program("postgres")))?;
    // Single-user mode does not fail if a statement fails.
    let failed = String::from_utf8_lossy(&output.stderr).contains("ERROR:");
    if written.is_err() || failed || !output.status.success() {
        return Err(failure("postgres --single", &output));
    }
    Ok(())
}

fn run(program: &'static str, command: &mut Command) -> Result<Output, PostgresError> {
    let output = command.output().map_err(PostgresError::files("run", command.get_program()))?;
    if output.status.success() { Ok(output) } else { Err(failure(program, &output)) }
}

fn failure(program: &'static str, output: &Output) -> PostgresError {
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    PostgresError::Program { program, status: output.status.to_string(), output: last_lines(&text) }
}

pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let (_, shown) = lines.split_at(lines.len().saturating_sub(SHOWN_LINES));
    shown.join("\n")
}
