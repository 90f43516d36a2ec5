//! The tools for authors of plugins as a developer uses them (CONTRACT 8): the real binary, a server, a customer's
//! phone.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use harness::{Patchbay, PatchbaySetup, TestClient, altered, binary, guest};
use serde_json::json;
use tempfile::TempDir;

pub const NUMBER: &str = "27110000001";

/// The machine of a developer: a folder, and the environment of the tools.
pub struct Machine {
    folder: TempDir,
    environment: Vec<(&'static str, String)>,
}

/// The target folder of cargo, which all tests with Rust projects share.
pub fn target_folder() -> PathBuf {
    binary().ancestors().nth(2).unwrap().to_owned()
}

pub struct Said {
    pub out: String,
    pub err: String,
    pub status: i32,
}

impl Machine {
    pub fn new() -> Self {
        let environment = vec![("CARGO_TARGET_DIR", target_folder().display().to_string())];
        Self { folder: tempfile::tempdir().unwrap(), environment }
    }

    fn with_server(patchbay: &Patchbay, client: &TestClient) -> Self {
        let mut machine = Self::new();
        machine.environment.push(("PATCHBAY_URL", patchbay.url()));
        machine.environment.push(("PATCHBAY_API_KEY", client.key.clone()));
        machine
    }

    pub fn path(&self, path: &str) -> String {
        self.folder.path().join(path).display().to_string()
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.folder.path().join(path), content).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.arg("plugin").args(arguments).current_dir(self.folder.path());
        for variable in ["PATCHBAY_URL", "PATCHBAY_API_KEY", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
            command.env_remove(variable);
        }
        command.envs(self.environment.iter().map(|(name, value)| (*name, value)));
        command
    }

    /// Runs `patchbay plugin ...` in the folder with `input` on standard input.
    pub fn types_with(&self, arguments: &[&str], input: &str) -> Said {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // If a command reads no input, it may have ended already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Said { out: text(stdout), err: text(stderr), status: status.code().unwrap() }
    }

    pub fn types(&self, arguments: &[&str]) -> Said {
        self.types_with(arguments, "")
    }

    /// Runs a command that must succeed, and returns its output.
    pub fn does(&self, arguments: &[&str]) -> String {
        let said = self.types(arguments);
        assert_eq!(said.status, 0, "{arguments:?}\n{}\n{}", said.out, said.err);
        said.out
    }

    /// Runs a command that must fail, and returns its error.
    pub fn fails(&self, arguments: &[&str]) -> String {
        let said = self.types(arguments);
        assert_eq!(said.status, 1, "{arguments:?}\n{}\n{}", said.out, said.err);
        said.err
    }
}

pub async fn office() -> (Patchbay, TestClient, Machine) {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", NUMBER).await;
    let machine = Machine::with_server(&patchbay, &client);
    (patchbay, client, machine)
}

#[tokio::test]
async fn a_new_bot_receives_from_and_answers_a_customers_phone() {
    let (patchbay, _client, machine) = office().await;
    let phone = patchbay.phone("27820000001");

    let made = machine.does(&["new", "--lang", "rust", "--world", "chatbot", "my-bot"]);
    assert!(made.contains("patchbay plugin test"), "{made}");
    let built = machine.does(&["build", "my-bot"]);
    assert!(built.contains("my-bot/build/my-bot.wasm"), "{built}");
    let checked = machine.does(&["check", "my-bot"]);
    assert!(checked.contains("world:   chatbot") && checked.contains("can be loaded"), "{checked}");
    let tested = machine.does(&["test", "my-bot"]);
    assert!(tested.contains(" passed, 0 failed"), "{tested}");
    let pushed = machine.does(&["push", "my-bot"]);
    assert!(pushed.starts_with("my-bot version 1: uploaded (chatbot, "), "{pushed}");
    let again = machine.does(&["push", "my-bot"]);
    assert!(again.starts_with("my-bot version 1: the server has these bytes already"), "{again}");
    let activated = machine.does(&["activate", "my-bot", "--version", "1"]);
    let live = "my-bot version 1 is live as chatbot of all numbers\n  hosts that it may call by HTTP: none\n";
    assert_eq!(activated, live);

    phone.write(NUMBER, "hi there").await;
    let answer =
        phone.receives("an answer", |message| message["text"].as_str().unwrap_or_default().contains("hi there"));
    assert!(answer.await["text"].as_str().unwrap().starts_with("Hello, "));

    let logs = machine.does(&["logs", "my-bot"]);
    assert!(logs.lines().all(|line| line.contains("v1  answered")) && logs.lines().count() >= 2, "{logs}");
    assert!(
        machine
            .does(&["logs", "my-bot", "--outcome", "trapped"])
            .contains("no call of my-bot has the outcome trapped (")
    );

    // A second version, and the rollback to the first.
    let source = machine.folder.path().join("my-bot/src/lib.rs");
    let second = std::fs::read_to_string(&source).unwrap().replace("Hello, ", "Good day, ");
    std::fs::write(&source, second).unwrap();
    let last = machine.does(&["push", "my-bot", "--no-build"]);
    assert!(last.starts_with("my-bot version 1: the server has these bytes already"), "{last}");
    assert!(machine.types(&["test", "my-bot"]).out.contains("[-Hello,-]"), "the old tests show the difference");
    assert!(machine.does(&["push", "my-bot"]).starts_with("my-bot version 2: uploaded"));
    machine.does(&["activate", "my-bot"]);
    phone.write(NUMBER, "second time").await;
    phone
        .receives("the new version", |message| message["text"].as_str().unwrap_or_default().starts_with("Good day, "))
        .await;
    let back = machine.does(&["rollback", "my-bot"]);
    assert!(back.contains("after:  my-bot version 1 is live as chatbot of all numbers"), "{back}");
    phone.write(NUMBER, "third time").await;
    let third = phone
        .receives("the old version", |message| message["text"].as_str().unwrap_or_default().contains("third time"));
    assert!(third.await["text"].as_str().unwrap().starts_with("Hello, "));
    assert!(machine.does(&["invocations", "my-bot"]).contains("v2  answered"));
    machine.does(&["deactivate", "my-bot"]);
    assert!(machine.fails(&["deactivate", "my-bot"]).contains("does not have that"));
}

#[tokio::test]
async fn a_push_shows_its_progress_and_the_final_answer_of_the_server() {
    let (_patchbay, _client, machine) = office().await;
    machine.write("clerk.wasm", guest("clerk"));
    let pushed = machine.types(&["push", "clerk.wasm"]);
    assert_eq!(pushed.status, 0, "{}", pushed.err);
    assert!(pushed.err.contains("the server checks and compiles it"), "{}", pushed.err);
    machine.write("broken.wasm", altered(guest("misfit"), "deed-none", "deed-trap"));
    let refused = machine.fails(&["push", "broken.wasm"]);
    assert!(refused.contains("the server refused it") && refused.contains("this bot never works"), "{refused}");
}

#[tokio::test]
async fn recorded_calls_are_replayed_here_and_at_the_server() {
    let (patchbay, client, machine) = office().await;
    machine.write("clerk.wasm", guest("clerk"));
    machine.write("other.wasm", altered(guest("clerk"), "you said: ", "you wrote:"));
    assert!(machine.does(&["push", "clerk.wasm"]).starts_with("clerk version 1"));
    assert!(machine.does(&["push", "other.wasm", "--name", "clerk"]).starts_with("clerk version 2"));
    machine.does(&["activate", "clerk", "--version", "1"]);
    client.post("/plugin-service/api/v1/plugins/clerk/recording", &json!({})).await.ok();
    let phone = patchbay.phone("27820000002");
    for text in ["say one", "count", "remember two", "recall"] {
        phone.write(NUMBER, text).await;
    }
    phone.receives("the last answer", |message| message["text"] == "you said: two").await;

    let same = machine.does(&["replay", "clerk", "--version", "1"]);
    assert!(same.contains("5 calls replayed") && same.contains("5 identical, 0 different"), "{same}");
    let here = machine.does(&["replay", "clerk", "clerk.wasm", "--limit", "2"]);
    assert!(here.contains("2 calls replayed") && here.contains("2 identical, 0 different"), "{here}");
    for arguments in [&["replay", "clerk", "--version", "2"][..], &["replay", "clerk", "other.wasm"]] {
        let said = machine.types(arguments);
        assert_eq!(said.status, 1, "{}", said.err);
        assert!(said.out.contains("5 calls replayed") && said.out.contains("4 identical, 1 different"), "{}", said.out);
        assert!(said.out.contains("you wrote:"), "{}", said.out);
        assert!(said.err.contains("another result than recorded"), "{}", said.err);
    }
}

#[tokio::test]
async fn logs_follow_calls_as_they_are_made_each_once() {
    let (patchbay, _client, machine) = office().await;
    machine.write("clerk.wasm", guest("clerk"));
    machine.does(&["push", "clerk.wasm"]);
    machine.does(&["activate", "clerk"]);
    let phone = patchbay.phone("27820000003");
    let mut command = machine.command(&["logs", "clerk", "--follow"]);
    let mut following = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();

    let mut calls = vec![];
    for text in ["say one", "total-and-fail"] {
        phone.write(NUMBER, text).await;
        let wanted = if text == "say one" { 2 } else { 3 };
        while calls.len() < wanted {
            let line = lines.next().unwrap().unwrap();
            calls.extend((!line.starts_with(' ')).then_some(line));
        }
    }
    following.kill().unwrap();
    following.wait().unwrap();

    let outcome = |call: &String| call.split_whitespace().nth(2).unwrap().to_owned();
    assert_eq!(calls.iter().map(outcome).collect::<Vec<_>>(), ["answered", "answered", "refused"], "{calls:?}");
}

#[tokio::test]
async fn logs_follow_only_the_calls_of_a_filter() {
    let (patchbay, _client, machine) = office().await;
    machine.write("clerk.wasm", guest("clerk"));
    machine.does(&["push", "clerk.wasm"]);
    machine.does(&["activate", "clerk"]);
    let mut command = machine.command(&["logs", "clerk", "--follow", "--outcome", "refused"]);
    let mut following = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();

    for msisdn in ["27820000005", "27820000006"] {
        let phone = patchbay.phone(msisdn);
        phone.write(NUMBER, "say one").await;
        phone.receives("an answer", |message| message["text"] == "one").await;
        phone.write(NUMBER, "total-and-fail").await;
        let call = lines.find(|line| !line.as_ref().unwrap().starts_with(' ')).unwrap().unwrap();
        assert!(call.contains("  refused ") && call.contains("  message  "), "{call}");
    }
    following.kill().unwrap();
    following.wait().unwrap();
}

#[tokio::test]
async fn a_refusal_of_a_server_is_shown_with_its_cure() {
    let (patchbay, _client, mut machine) = office().await;
    machine.write("bot.wasm", b"\0asm\x01\0\0\0");
    let refused = machine.fails(&["push", "bot.wasm"]);
    assert!(refused.contains("the server refused it") && refused.contains("core WebAssembly module"), "{refused}");
    let unknown = machine.fails(&["activate", "nobody"]);
    assert!(unknown.contains("there is no plugin `nobody`") && unknown.contains("patchbay plugin list"), "{unknown}");
    assert!(machine.fails(&["logs", "a b"]).contains("cannot be the name of a plugin"));

    machine.write("clerk.wasm", guest("clerk"));
    machine.does(&["push", "clerk.wasm"]);
    let version = machine.fails(&["activate", "clerk", "--version", "9"]);
    assert!(version.contains("  - --version: "), "{version}");
    let config = machine.fails(&["activate", "clerk", "--config", "[1]"]);
    assert!(config.contains("neither a JSON object nor a file"), "{config}");
    let host = machine.fails(&["activate", "clerk", "--allow-host", "https://x.example/"]);
    assert!(host.contains("  - --allow-host: ") && host.lines().count() == 2, "{host}");
    let share = machine.fails(&["activate", "clerk", "--percent", "20"]);
    assert!(share.contains("  - --percent: ") && share.contains("add `--mode canary`"), "{share}");

    machine.environment.retain(|(name, _)| *name != "PATCHBAY_API_KEY");
    assert!(machine.fails(&["logs", "clerk"]).contains("PATCHBAY_API_KEY is not set"));
    machine.environment.push(("PATCHBAY_API_KEY", "wrong".to_owned()));
    assert!(machine.fails(&["logs", "clerk"]).contains("does not know this API key"));
    machine.environment.retain(|(name, _)| *name != "PATCHBAY_URL");
    machine.environment.push(("PATCHBAY_URL", "http://127.0.0.1:9".to_owned()));
    assert!(machine.fails(&["logs", "clerk"]).contains("no server answers at http://127.0.0.1:9"));
    machine.environment.retain(|(name, _)| *name != "PATCHBAY_URL");
    machine.environment.push(("PATCHBAY_URL", "patchbay".to_owned()));
    assert!(machine.fails(&["logs", "clerk"]).contains("write it like https://"));
    drop(patchbay);
}

#[test]
fn tests_and_the_chat_work_without_a_server() {
    let machine = Machine::new();
    machine.write("clerk.wasm", guest("clerk"));
    machine.write("good.yaml", "steps: [{customer: say x}, {bot: x}]");
    machine.write("bad.yaml", "steps: [{customer: say x}, {bot: y}]");
    let passed = machine.does(&["test", "good.yaml", "--component", "clerk.wasm"]);
    let (case, summary) = passed.trim_end().split_once('\n').unwrap();
    assert!(case.starts_with("ok    good (2 steps, ") && case.contains(" ms of processor time, "), "{passed}");
    assert!(summary.starts_with("1 passed, 0 failed (component of "), "{passed}");
    assert!(summary.contains("\n  steps that no test has: `customer: {image: ..}`, "), "{passed}");
    let filtered = machine.does(&["test", "good.yaml", "--component", "clerk.wasm", "--filter", "good"]);
    assert!(!filtered.contains("no test"), "{filtered}");
    let failed = machine.types(&["test", "good.yaml", "bad.yaml", "--component", "clerk.wasm"]);
    assert_eq!(failed.status, 1);
    assert!(failed.out.contains("FAIL  bad\n      bad.yaml:1: bot: y\n        expected: [-y-]"), "{}", failed.out);
    assert!(failed.out.contains("\n1 passed, 1 failed (") && failed.err.contains("1 test failed"), "{}", failed.out);
    let chat = machine.types_with(&["run", "clerk.wasm"], "say hello\nbuttons\n1\nremind tea 60\n/clock 1m\n");
    assert_eq!(chat.status, 0, "{}", chat.err);
    for line in ["bot: hello\n", "bot: got choice yes-id\n", "bot: time for tea\n"] {
        assert!(chat.out.contains(line), "{line}\n{}", chat.out);
    }
}

#[test]
fn a_test_and_a_chat_do_not_begin_with_a_configuration_that_would_be_refused() {
    let machine = Machine::new();
    machine.write("keeper.wasm", guest("keeper"));
    machine.write("short.json", r#"{"apiKey": "short"}"#);
    machine.write("t.yaml", "config file: short.json\nsteps: [{customer: length}, {bot: anything}]");
    let fault = " would be refused at an activation:\n  - config/apiKey: the secret is shorter than 8 characters";
    let tested = machine.types(&["test", "t.yaml", "--component", "keeper.wasm"]);
    assert_eq!((tested.status, tested.out.as_str()), (1, ""), "{}", tested.err);
    let place = format!("the configuration in short.json (named in t.yaml, line 1){fault}");
    assert!(tested.err.contains(&place), "{}", tested.err);
    let typed = machine.fails(&["run", "keeper.wasm", "--config", r#"{"apiKey": "short"}"#]);
    assert!(typed.contains(&format!("the configuration of --config{fault}")), "{typed}");
    let file = machine.fails(&["run", "keeper.wasm", "--config", "short.json"]);
    assert!(file.contains(&format!("the configuration in short.json{fault}")), "{file}");
    assert_eq!(file.matches("would be refused").count(), 1, "{file}");
    let absent = machine.fails(&["run", "keeper.wasm"]);
    assert!(absent.contains("`{}` (there is no --config)") && absent.contains("is a required property"), "{absent}");
}

#[test]
fn an_option_without_an_effect_is_refused() {
    let machine = Machine::new();
    for command in [&["test"][..], &["check", "bot.wasm"], &["build"], &["list"], &["trust", "show"]] {
        let refused = machine.fails(&[command, &["--config", "patchbay.toml"]].concat());
        assert!(refused.contains("names the settings of a server") && refused.contains("`config file:`"), "{refused}");
    }
    for command in [
        &["test", "--component", "bot.wasm", "--no-build"][..],
        &["record", "bot", "--stop", "--json"],
        &["record", "bot", "--stop", "--mode", "shadow"],
    ] {
        assert!(machine.fails(command).contains("cannot be used with"), "{command:?}");
    }
    assert!(machine.fails(&["run", "bot.wasm", "--no-build"]).contains("--no-build is for a project"));
    assert!(machine.fails(&["push", "bot.wasm", "--no-build"]).contains("--no-build is for a project"));
    let two = machine.fails(&["test", "a", "b", "--from-recording", "0199"]);
    assert!(two.contains("name one project or folder"), "{two}");
}

#[test]
fn mistakes_on_the_command_line_show_the_right_command() {
    let machine = Machine::new();
    assert!(machine.fails(&["build"]).contains("patchbay plugin new"));
    assert!(machine.fails(&["test"]).contains("patchbay plugin new"));
    assert!(machine.fails(&["new", "--lang", "cobol", "x"]).contains("rust, ts, js, python, go, c"));
    assert!(machine.fails(&["new", "--lang", "c", "--world", "bot", "x"]).contains("sms-fallback"));
    machine.does(&["new", "--lang", "c", "x"]);
    assert!(machine.fails(&["new", "--lang", "c", "x"]).contains("not empty"));
    assert!(machine.fails(&["check", "x"]).contains("patchbay plugin build x"));
    let unbuilt = machine.fails(&["test", "x", "--no-build"]);
    assert!(unbuilt.contains("cannot be read"), "{unbuilt}");
    assert_eq!(unbuilt.matches("No such file").count(), 1, "the cause stands there once: {unbuilt}");
    assert!(Path::new(&machine.path("x/plugin.toml")).is_file());
}
