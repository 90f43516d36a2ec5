//! `patchbay plugin dev` with a project: builds that fail, folders that are made during the session, sources that are
//! saved during a build.

use std::{
    io::{BufRead, BufReader, Lines},
    path::Path,
    process::{Child, ChildStdout, Stdio},
};

use harness::{altered, eventually, guest};

use crate::plugin_commands::{Machine, NUMBER, office};

/// The build waits while there is a file `build/hold`. Files in `build` are not sources.
const PROJECT: &str = r#"
name = "clerk"
world = "chatbot"
build = "cp parts/clerk.wasm made.wasm && touch build/begun && while test -e build/hold; do sleep 0.05; done"
output = "made.wasm"
"#;

const FIRST_IS_LIVE: &str = "clerk version 1 is live as chatbot of number ";

/// A running `patchbay plugin dev`.
struct DevTerminal {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl DevTerminal {
    fn open(machine: &Machine) -> Self {
        let mut command = machine.command(&["dev", "clerk", "--number", NUMBER]);
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, lines }
    }

    /// Reads until a line contains `words`.
    fn until(&mut self, words: &str) {
        let found = self.lines.by_ref().any(|line| line.unwrap().contains(words));
        assert!(found, "the session ended before it said: {words}");
    }

    fn end(mut self) {
        let id = rustix::process::Pid::from_raw(i32::try_from(self.process.id()).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        self.until("the last version stays active");
        assert!(self.process.wait().unwrap().success());
    }
}

impl Drop for DevTerminal {
    fn drop(&mut self) {
        // After a failed test it still runs.
        let _ = self.process.kill();
    }
}

fn make_project(machine: &Machine) {
    std::fs::create_dir(machine.path("clerk")).unwrap();
    machine.write("clerk/plugin.toml", PROJECT);
}

/// Saves the source of the project in one step, as editors do.
fn save(machine: &Machine, source: Vec<u8>) {
    machine.write("clerk/parts/.next", source);
    std::fs::rename(machine.path("clerk/parts/.next"), machine.path("clerk/parts/clerk.wasm")).unwrap();
}

#[tokio::test]
async fn a_failed_build_is_shown_and_a_source_in_a_new_folder_is_built() {
    let (_patchbay, _client, machine) = office().await;
    make_project(&machine);
    let mut dev = DevTerminal::open(&machine);
    dev.until("the build failed, and the version before stays active:");
    dev.until("the command of plugin.toml failed:");

    std::fs::create_dir(machine.path("clerk/parts")).unwrap();
    dev.until("a source has changed: building");
    dev.until("the build failed, and the version before stays active:");
    save(&machine, guest("clerk"));

    dev.until("a source has changed: building");
    dev.until(FIRST_IS_LIVE);
    dev.end();
}

#[tokio::test]
async fn a_source_that_is_saved_during_a_build_is_built_after_it() {
    let (patchbay, _client, machine) = office().await;
    make_project(&machine);
    std::fs::create_dir(machine.path("clerk/parts")).unwrap();
    save(&machine, guest("clerk"));
    let mut dev = DevTerminal::open(&machine);
    dev.until(FIRST_IS_LIVE);
    let begun = machine.path("clerk/build/begun");
    std::fs::remove_file(&begun).unwrap();
    machine.write("clerk/build/hold", "");
    save(&machine, altered(guest("clerk"), "time for ", "now it's "));
    eventually("the build to begin", || async { Path::new(&begun).exists().then_some(()) }).await;

    save(&machine, altered(guest("clerk"), "you said: ", "you wrote:"));

    // The session shows calls at each of its beats, so it has heard of the change when it shows the second one.
    let phone = patchbay.phone("27820000041");
    for text in ["one", "two"] {
        phone.write(NUMBER, &format!("say {text}")).await;
        dev.until(&format!("bot: {text}"));
    }
    std::fs::remove_file(machine.path("clerk/build/hold")).unwrap();
    dev.until("clerk version 2 is live as chatbot of number ");
    dev.until("clerk version 3 is live as chatbot of number ");
    dev.end();
}
