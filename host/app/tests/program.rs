//! The program itself, started as its users start it.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

mod support;

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::Path,
    process::{Command, Output, Stdio},
};

use support::TempDir;

fn patchbay(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_patchbay")).current_dir(directory).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn config_prints_the_settings_of_the_file_in_the_working_directory() {
    let dir = TempDir::new();
    fs::write(dir.path().join("patchbay.toml"), "[whatsapp_cloud]\napp_secret = \"hunter2\"\n").unwrap();
    let output = patchbay(dir.path(), &["config"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(printed.starts_with("data_dir = \".patchbay\"\n"), "{printed}");
    assert!(printed.contains("app_secret = \"********\"") && !printed.contains("hunter2"), "{printed}");
}

#[test]
fn a_wrong_configuration_is_one_line_on_standard_error_and_status_1() {
    let dir = TempDir::new();
    fs::write(dir.path().join("other.toml"), "[servr]\nlisten = \"127.0.0.1:1\"\n").unwrap();
    let output = patchbay(dir.path(), &["config", "--config", "other.toml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(
        text(&output.stderr).starts_with("patchbay: unknown setting servr in other.toml; did you mean server?"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn a_wrong_command_line_is_explained_on_standard_error_with_status_1() {
    let dir = TempDir::new();
    let output = patchbay(dir.path(), &["client", "create", "--ref", "acme"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty() && text(&output.stderr).contains("--email"));
    let help = patchbay(dir.path(), &["--help"]);
    assert!(help.status.success() && text(&help.stdout).contains("serve"));
}

#[test]
fn a_missing_certificate_is_reported_before_a_database_is_created() {
    let dir = TempDir::new();
    fs::write(dir.path().join("patchbay.toml"), "[server]\ntls_cert = \"no.pem\"\ntls_key = \"no.key\"\n").unwrap();
    let output = patchbay(dir.path(), &["serve"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("server.tls_cert") && said.contains("no.pem"), "{said}");
    assert!(!dir.path().join(".patchbay").exists(), "nothing was begun");
}

#[test]
fn a_taken_port_is_reported_before_a_database_is_created() {
    let dir = TempDir::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    fs::write(dir.path().join("patchbay.toml"), format!("[server]\nlisten = \"{address}\"\n")).unwrap();
    let output = patchbay(dir.path(), &["serve"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains(&address.to_string()) && said.contains("server.listen"), "{said}");
    assert!(!dir.path().join(".patchbay").exists(), "nothing was begun");
}

#[test]
fn the_version_names_the_build() {
    let dir = TempDir::new();
    let output = patchbay(dir.path(), &["--version"]);
    let said = text(&output.stdout);
    assert!(said.starts_with(&format!("patchbay {} (", env!("CARGO_PKG_VERSION"))), "{said}");
}

#[test]
fn an_unreachable_database_is_named_with_the_cause_and_without_its_password() {
    let dir = TempDir::new();
    let file = "[database]\nurl = \"postgres://app:hunter2@127.0.0.1:1/patchbay\"\n";
    fs::write(dir.path().join("patchbay.toml"), file).unwrap();
    let output = patchbay(dir.path(), &["migrate"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("127.0.0.1:1;") && said.contains("refused") && !said.contains("hunter2"), "{said}");
}

#[test]
fn administration_without_a_database_creates_none_and_names_the_next_step() {
    let dir = TempDir::new();
    for command in [
        &["sender", "list", "--client", "acme"][..],
        &["sms-source", "list", "--client", "acme"],
        &["credits", "add", "--client", "acme", "--amount", "5"],
        &["client", "create", "--ref", "a", "--name", "A", "--email", "a@a.example", "--password", "a-long-password"],
        &["opt-out", "remove", "--client", "acme", "--number", "27820000001"],
        &["work"],
    ] {
        let output = patchbay(dir.path(), command);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {said}");
        assert!(said.contains("there is no database") && said.contains("patchbay serve"), "{command:?}: {said}");
        assert!(output.stdout.is_empty(), "{command:?}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "{command:?}");
    }
}

#[test]
fn a_reload_signal_is_ignored_with_a_log_line() {
    let dir = TempDir::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://app@{}/patchbay", silent.local_addr().unwrap());
    let file = format!("[database]\nurl = \"{url}\"\n[server]\nlisten = \"127.0.0.1:0\"\n");
    fs::write(dir.path().join("patchbay.toml"), file).unwrap();
    for command in ["serve", "work"] {
        let mut starting = Command::new(env!("CARGO_BIN_EXE_patchbay"));
        starting.current_dir(dir.path()).arg(command).stderr(Stdio::piped());
        let mut child = starting.spawn().unwrap();
        let (_held, _) = silent.accept().unwrap();
        let id = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();

        rustix::process::kill_process(id, rustix::process::Signal::HUP).unwrap();

        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(said.any(|line| line.unwrap().contains("SIGHUP is ignored")), "{command}");
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{command}");
    }
}

#[test]
fn a_program_stopped_during_its_start_exits_with_status_0() {
    let dir = TempDir::new();
    // A database that never answers, so that the start waits for it.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://app@{}/patchbay", silent.local_addr().unwrap());
    let file = format!("[database]\nurl = \"{url}\"\n[server]\nlisten = \"127.0.0.1:0\"\n");
    fs::write(dir.path().join("patchbay.toml"), file).unwrap();
    for command in ["serve", "work"] {
        let mut starting = Command::new(env!("CARGO_BIN_EXE_patchbay"));
        starting.current_dir(dir.path()).arg(command).stderr(Stdio::piped());
        let child = starting.spawn().unwrap();
        let (_held, _) = silent.accept().unwrap();

        let id = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();

        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
    }
}
