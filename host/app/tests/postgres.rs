//! The embedded PostgreSQL with real clusters. Each test makes its own in a directory for temporary files.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

mod support;

use std::{
    env, fs,
    io::{BufRead, BufReader},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use app::postgres::{Binaries, DataDirLock, Database, EmbeddedPostgres, PostgresError, RunFile};
use rustix::process::{Pid, Signal, kill_process};
use settings::{Settings, Sources};
use support::TempDir;

/// The data directory for the helper process of tests about killed servers.
const HELD_DIR: &str = "PATCHBAY_TEST_HELD_DIR";

/// Runs one statement with PostgreSQL's own client and returns its output.
fn sql(url: &str, statement: &str) -> String {
    let psql = Binaries::find(None, None).unwrap().program("psql");
    let output = Command::new(psql).args(["-XAtq", "-d", url, "-c", statement]).output().unwrap();
    assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn postmaster(data_dir: &Path) -> Option<Pid> {
    let text = fs::read_to_string(data_dir.join("postgres/postmaster.pid")).ok()?;
    Pid::from_raw(text.lines().next()?.parse().ok()?)
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(30), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Not a test, but the process that such tests kill.
#[tokio::test]
#[ignore = "started by the tests of killed servers"]
async fn hold_a_cluster_until_killed() {
    let data_dir = env::var_os(HELD_DIR).expect("only to be started by another test");
    let postgres = EmbeddedPostgres::start(Path::new(&data_dir)).await.unwrap();
    sql(&postgres.url(), "CREATE TABLE kept (note text); INSERT INTO kept VALUES ('committed')");
    println!("holding");
    std::future::pending::<()>().await;
}

/// Starts a process that runs the cluster of a data directory, and waits until it does.
fn start_holder(data_dir: &Path) -> Child {
    let mut holder = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "hold_a_cluster_until_killed", "--nocapture"])
        .env(HELD_DIR, data_dir)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(holder.stdout.take().unwrap());
    assert!(output.lines().any(|line| line.unwrap().contains("holding")), "the holder ended early");
    holder
}

#[tokio::test]
async fn a_restart_finds_the_data_of_the_first_start() {
    let dir = TempDir::new();
    let postgres = EmbeddedPostgres::start(dir.path()).await.unwrap();
    let url = postgres.url();
    assert_eq!(sql(&url, "SELECT current_user || ' ' || current_database()"), "patchbay patchbay");
    assert_eq!(sql(&url, "SHOW listen_addresses"), "");
    assert_eq!(sql(&url, "SHOW fsync"), "on");
    let mut db = storage::PgConnection::connect(&url).await.unwrap();
    assert!(storage::work::safeguards::disabled(&mut db).await.unwrap().is_empty());
    db.close().await.unwrap();
    assert_eq!(sql(&url, "SHOW server_encoding"), "UTF8");
    sql(&url, "CREATE TABLE kept (note text); INSERT INTO kept VALUES ('ünïcode')");
    postgres.stop().await;
    assert_eq!(postmaster(dir.path()), None, "the server has ended");

    let postgres = EmbeddedPostgres::start(dir.path()).await.unwrap();
    assert_eq!(postgres.url(), url);
    assert_eq!(sql(&url, "SELECT note FROM kept"), "ünïcode");
    postgres.stop().await;
}

#[tokio::test]
async fn a_server_that_runs_as_root_gives_postgresql_to_an_unprivileged_user() {
    let dir = TempDir::new();
    let postgres = EmbeddedPostgres::start(dir.path()).await.unwrap();
    let owner = fs::metadata(dir.path().join("postgres")).unwrap();
    assert_ne!(owner.uid(), 0);
    assert_eq!(owner.mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(dir.path().join("socket")).unwrap().mode() & 0o777, 0o700);
    postgres.stop().await;
}

#[tokio::test]
async fn a_second_server_on_the_same_data_is_refused_with_the_process_that_has_it() {
    let dir = TempDir::new();
    let _lock = DataDirLock::acquire(dir.path()).unwrap();
    let error = EmbeddedPostgres::start(dir.path()).await.unwrap_err();
    let message = error.to_string();
    assert!(message.contains(&format!("another patchbay (process {})", std::process::id())), "{message}");
    assert!(message.contains("PATCHBAY__DATA_DIR"), "{message}");
}

#[tokio::test]
async fn a_killed_server_takes_its_postgresql_with_it_and_the_next_start_finds_the_data() {
    let dir = TempDir::new();
    let mut holder = start_holder(dir.path());
    let orphan = postmaster(dir.path()).unwrap();
    holder.kill().unwrap();
    holder.wait().unwrap();
    wait_until("PostgreSQL has ended by itself", || rustix::process::test_kill_process(orphan).is_err());

    let postgres = EmbeddedPostgres::start(dir.path()).await.unwrap();
    assert_eq!(sql(&postgres.url(), "SELECT note FROM kept"), "committed");
    postgres.stop().await;
}

#[tokio::test]
async fn a_postgresql_that_was_left_behind_is_stopped_by_the_next_start() {
    let dir = TempDir::new();
    let mut holder = start_holder(dir.path());
    let orphan = postmaster(dir.path()).unwrap();
    kill_watcher(orphan);
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(rustix::process::test_kill_process(orphan).is_ok(), "PostgreSQL is an orphan");

    let postgres = EmbeddedPostgres::start(dir.path()).await.unwrap();
    assert_ne!(postmaster(dir.path()).unwrap(), orphan);
    assert_eq!(sql(&postgres.url(), "SELECT note FROM kept"), "committed");
    postgres.stop().await;
}

/// Kills the watcher of a PostgreSQL, found by its arguments.
fn kill_watcher(server: Pid) {
    let server = server.as_raw_nonzero().to_string();
    for process in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(line) = fs::read_to_string(process.path().join("cmdline")) else {
            continue;
        };
        let arguments: Vec<&str> = line.trim_end_matches('\0').split('\0').collect();
        if arguments.contains(&"patchbay-watcher") && arguments.last() == Some(&server.as_str()) {
            let pid: i32 = process.file_name().to_str().unwrap().parse().unwrap();
            kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
            return;
        }
    }
    panic!("no watcher of process {server}");
}

#[tokio::test]
async fn a_stale_process_file_with_the_id_of_another_program_does_not_prevent_a_start() {
    let dir = TempDir::new();
    EmbeddedPostgres::start(dir.path()).await.unwrap().stop().await;
    let mut stranger = Command::new("sleep").arg("60").spawn().unwrap();
    let stale = dir.path().join("postgres/postmaster.pid");
    fs::write(&stale, format!("{}\n{}\n1700000000\n5432\n", stranger.id(), dir.path().join("postgres").display()))
        .unwrap();

    let postgres = EmbeddedPostgres::start(dir.path()).await.unwrap();
    assert_eq!(sql(&postgres.url(), "SELECT 1"), "1");
    assert!(stranger.try_wait().unwrap().is_none(), "the stranger was left alone");
    postgres.stop().await;
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[tokio::test]
async fn data_of_another_major_version_is_refused_with_the_way_out() {
    let dir = TempDir::new();
    fs::create_dir(dir.path().join("postgres")).unwrap();
    fs::write(dir.path().join("postgres/PG_VERSION"), "9\n").unwrap();
    let error = EmbeddedPostgres::start(dir.path()).await.unwrap_err();
    assert!(matches!(error, PostgresError::OtherVersion { made_by: 9, .. }), "{error}");
    let message = error.to_string();
    assert!(message.contains("pg_dump") && message.contains("PG_BIN_DIR"), "{message}");
}

#[tokio::test]
async fn an_interrupted_creation_is_started_again() {
    let dir = TempDir::new();
    fs::create_dir_all(dir.path().join("postgres.new/base")).unwrap();
    fs::write(dir.path().join("postgres.new/PG_VERSION"), "15\n").unwrap();
    let postgres = EmbeddedPostgres::start(dir.path()).await.unwrap();
    assert_eq!(sql(&postgres.url(), "SELECT 1"), "1");
    postgres.stop().await;
}

#[tokio::test]
async fn a_server_that_cannot_start_shows_the_end_of_its_log() {
    let dir = TempDir::new();
    EmbeddedPostgres::start(dir.path()).await.unwrap().stop().await;
    fs::write(dir.path().join("postgres/postgresql.auto.conf"), "no_such_setting = 1\n").unwrap();
    let message = EmbeddedPostgres::start(dir.path()).await.unwrap_err().to_string();
    assert!(message.contains("no_such_setting") && message.contains("postgres.log"), "{message}");
}

#[tokio::test]
async fn a_data_directory_with_a_long_path_gets_a_short_socket() {
    let dir = TempDir::new();
    let deep = dir.path().join("a-long-name/".repeat(12));
    fs::create_dir_all(&deep).unwrap();
    let postgres = EmbeddedPostgres::start(&deep).await.unwrap();
    assert_eq!(sql(&postgres.url(), "SELECT 1"), "1");
    let socket_dir = sql(&postgres.url(), "SHOW unix_socket_directories").trim_matches('"').to_owned();
    assert!(socket_dir.len() < 100 && !socket_dir.starts_with(dir.path().to_str().unwrap()), "{socket_dir}");
    postgres.stop().await;
    fs::remove_dir_all(socket_dir).unwrap();
}

#[tokio::test]
async fn a_data_directory_with_unusual_characters_works_like_any_other() {
    for name in ["a, b", "it's \"quoted\" with a back\\slash ", "Größe-数据 100%25&x=$HOME;#?"] {
        let dir = TempDir::new();
        let data_dir = dir.path().join(name);
        for expected in ["0", "1"] {
            let server = EmbeddedPostgres::start(&data_dir).await.unwrap_or_else(|error| panic!("{name}: {error}"));
            sql(&server.url(), "CREATE TABLE IF NOT EXISTS kept (note text)");
            assert_eq!(sql(&server.url(), "SELECT count(*) FROM kept"), expected, "{name}");
            sql(&server.url(), "INSERT INTO kept VALUES ('committed')");
            let pool = storage::connect(&server.url(), 1).await.unwrap_or_else(|error| panic!("{name}: {error}"));
            pool.close().await;
            let socket_dir = sql(&server.url(), "SHOW unix_socket_directories");
            assert!(!name.contains(',') || !socket_dir.contains(','), "psql could not be told: {socket_dir}");
            server.stop().await;
            if name.contains(',') {
                fs::remove_dir_all(socket_dir.trim_matches('"')).unwrap();
            }
        }
    }
}

#[tokio::test]
async fn a_command_makes_no_database_and_no_data_directory() {
    let dir = TempDir::new();
    let data_dir = dir.path().join("data");
    let error = Database::connect_for_admin(&config_for(&data_dir)).await.unwrap_err();
    assert!(matches!(error, PostgresError::NoDatabase { .. }), "{error}");
    assert!(error.to_string().contains("patchbay serve"), "{error}");
    assert!(!data_dir.exists());
    // A directory of another program, or one that was abandoned before there was a database.
    fs::create_dir(&data_dir).unwrap();
    fs::write(data_dir.join("patchbay.lock"), "1\n").unwrap();
    Database::connect_for_admin(&config_for(&data_dir)).await.unwrap_err();
    assert_eq!(fs::read_dir(&data_dir).unwrap().count(), 1);
}

#[tokio::test]
async fn a_command_waits_for_a_server_that_is_just_making_the_database() {
    let dir = TempDir::new();
    let config = config_for(dir.path());
    let lock = DataDirLock::acquire(dir.path()).unwrap();
    let serving = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let server = EmbeddedPostgres::start_locked(lock, None).await.unwrap();
        RunFile::new(&server.url(), vec![]).write(dir.path()).unwrap();
        server
    };
    let (server, command) = tokio::join!(serving, Database::connect_for_admin(&config));
    let command = command.unwrap();
    assert!(!command.is_embedded());
    command.stop().await;
    server.stop().await;
}

/// Only for root the database goes elsewhere.
#[tokio::test]
async fn a_data_directory_behind_a_closed_one_has_its_database_elsewhere() {
    let closed = TempDir::new();
    fs::set_permissions(closed.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let data_dir = closed.path().join("data");
    let postgres = EmbeddedPostgres::start(&data_dir).await.unwrap();
    sql(&postgres.url(), "CREATE TABLE kept (note text)");
    let cluster = sql(&postgres.url(), "SHOW data_directory");
    postgres.stop().await;
    let postgres = EmbeddedPostgres::start(&data_dir).await.unwrap();
    assert_eq!(sql(&postgres.url(), "SELECT count(*) FROM kept"), "0", "the next start finds it");
    postgres.stop().await;
    if !rustix::process::geteuid().is_root() {
        assert_eq!(Path::new(&cluster), data_dir.join("postgres"));
        return;
    }
    let home = fs::read_to_string(data_dir.join("postgres.location")).unwrap();
    assert_eq!(Path::new(&cluster), Path::new(home.trim()).join("postgres"));
    fs::remove_dir_all(home.trim()).unwrap();
    let error = EmbeddedPostgres::start(&data_dir).await.unwrap_err();
    assert!(matches!(error, PostgresError::HomeLost { .. }), "{error}");
}

fn config_for(data_dir: &Path) -> Settings {
    let variable = ("PATCHBAY__DATA_DIR".to_owned(), data_dir.display().to_string());
    Settings::from_sources(Sources { variables: vec![variable], ..Sources::default() }).unwrap()
}

#[tokio::test]
async fn a_command_uses_the_database_of_the_running_server_and_brings_its_own_otherwise() {
    let dir = TempDir::new();
    let config = config_for(dir.path());
    let server = Database::start(&config).await.unwrap();
    server.announce(vec!["http://127.0.0.1:1".to_owned()]).unwrap();

    let command = Database::connect_for_admin(&config).await.unwrap();
    assert!(!command.is_embedded(), "it joins the server");
    assert_eq!(sql(command.url(), "SELECT 1"), "1");
    command.stop().await;
    assert_eq!(sql(server.url(), "SELECT 1"), "1", "and leaves it running");
    let another = Database::start(&config).await.unwrap_err();
    assert!(matches!(another, PostgresError::InUse { .. }), "a second server is refused: {another}");

    server.stop().await;
    assert_eq!(RunFile::read(dir.path()), None);
    let command = Database::connect_for_admin(&config).await.unwrap();
    assert!(command.is_embedded());
    assert_eq!(sql(command.url(), "SELECT 1"), "1");
    command.stop().await;
}

#[tokio::test]
async fn commands_at_the_same_time_take_turns() {
    let dir = TempDir::new();
    let config = config_for(dir.path());
    Database::connect_for_migration(&config).await.unwrap().stop().await;
    let first = Database::connect_for_admin(&config).await.unwrap();
    let (ended, second) = tokio::join!(
        async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            first.stop().await;
            Instant::now()
        },
        async {
            let second = Database::connect_for_admin(&config).await.unwrap();
            (Instant::now(), second)
        }
    );
    assert!(second.0 > ended);
    second.1.stop().await;
}

#[tokio::test]
async fn a_configured_database_is_taken_as_it_is() {
    let variable = ("PATCHBAY__DATABASE__URL".to_owned(), "postgres://app:pw@db.example/patchbay".to_owned());
    let config = Settings::from_sources(Sources { variables: vec![variable], ..Sources::default() }).unwrap();
    let database = Database::start(&config).await.unwrap();
    assert_eq!(database.url(), "postgres://app:pw@db.example/patchbay");
    assert!(!database.is_embedded());
}

#[tokio::test]
async fn a_server_dropped_without_a_stop_does_not_stay() {
    let dir = TempDir::new();
    let postgres = EmbeddedPostgres::start(dir.path()).await.unwrap();
    let server = postmaster(dir.path()).unwrap();
    drop(postgres);
    wait_until("PostgreSQL has ended by itself", || rustix::process::test_kill_process(server).is_err());
}
