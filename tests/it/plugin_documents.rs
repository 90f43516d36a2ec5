//! The commands of the guides in `docs/plugins`, typed into one shell in the order of the guides, at a running server,
//! and those of the README about plugins.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use fenced_blocks::CodeBlock;
use harness::{Patchbay, PatchbaySetup, TestClient, binary, eventually};
use serde_json::Value;
use tempfile::TempDir;

use crate::{plugin_commands::target_folder, plugin_trust::Signer};

/// The guides in the order in which a reader can follow them: the last one refuses unsigned uploads in the end.
const GUIDES: [&str; 7] =
    ["first-bot.md", "order-bot.md", "production.md", "flows.md", "llm.md", "reference.md", "trust.md"];

/// The README by its path from the folder of the guides.
const README: &str = "../../README.md";

/// The number of the demo client, which the guides use.
const NUMBER: &str = "27110000000";

/// Lines that are not typed, each with its guide and the reason.
const LEFT_OUT: [(&str, &str, &str); 9] = [
    ("first-bot.md", "patchbay plugin dev hello --number 27110000000", "runs until Ctrl-C; played in plugin_dev.rs"),
    ("production.md", "patchbay plugin logs hello --follow", "runs until Ctrl-C; played in plugin_commands.rs"),
    ("order-bot.md", "PATCHBAY__TESTING__CLOCK=true make run", "the server of the test has this setting"),
    (
        "reference.md",
        "patchbay plugin wrap module.wasm --world chatbot",
        "needs a module of another compiler; played in plugin_making.rs",
    ),
    ("trust.md", "minisign -G -p minisign.pub -s minisign.key", "the test makes the key"),
    ("trust.md", "minisign -Sm hello/build/hello.wasm -s minisign.key", "the test makes the signature"),
    (README, "PATCHBAY__PLUGINS__DIR=target/my-plugins make run", "the server of the test has this setting"),
    (README, "kill %1", "ends a receiver of webhooks, which is not started"),
    ("trust.md", "patchbay plugin push oci://registry.example/team/hello@sha256:DIGEST", "played in plugin_oci.rs"),
];

/// The comment on a command that ends with a fault on purpose.
const FAULT_ON_PURPOSE: &str = "status 1";

/// The functions of the shell, before the first command. `curl` notes answers that are faults. `sleep` first waits until the
/// phone has an answer, because a busy machine is slower than the second that a guide waits.
const PRELUDE: &str = r#"exec 2>&1
messages() { command curl -s "$(cat "$NOTES/phone")/inbox" | jq '.messages | length' 2> /dev/null || echo 0; }
curl() {
  for word in "$@"; do
    case $word in */phones/*/messages) echo "${word%/messages}" > "$NOTES/phone" ;; esac
  done
  case " $* " in *" -d "*) if [ -e "$NOTES/phone" ]; then messages > "$NOTES/seen"; fi ;; esac
  command curl --fail-with-body "$@" || echo "refused: curl $*" >> "$NOTES/refused"
}
sleep() {
  tries=0
  while [ -e "$NOTES/seen" ] && [ "$(messages)" = "$(cat "$NOTES/seen")" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 600 ]; then echo "no answer at $(cat "$NOTES/phone")"; exit 1; fi
    command sleep 0.1
  done
  rm -f "$NOTES/seen"
  command sleep "$1"
}
set -ex
"#;

/// Printed by the shell after a block of commands.
const END_OF_BLOCK: &str = "---- the block has ended ----";

/// A block of commands of a guide.
struct Block {
    guide: &'static str,
    /// The line of its fence.
    line: usize,
    text: String,
}

fn guides() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/plugins")
}

/// The blocks of a guide in one language of code.
fn blocks(guide: &'static str, language: &str) -> Vec<Block> {
    let text = fs::read_to_string(guides().join(guide)).unwrap();
    let shown = fenced_blocks::blocks(&text, language).into_iter();
    shown.map(|CodeBlock { line, text }| Block { guide, line, text }).collect()
}

/// A port for the service of a guide. It stays free until then, because the system gives connections higher ports only.
fn free_port() -> u16 {
    let first = 20_000 + u16::try_from(std::process::id() % 10_000).unwrap();
    (first..32_000).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).unwrap()
}

/// The shell of a reader. It ends at the first command that fails.
struct ReaderShell {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The files of its functions.
    notes: TempDir,
}

impl ReaderShell {
    fn open(place: &Path, patchbay: &Patchbay, key: &str) -> Self {
        let notes = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.current_dir(place).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        command.env("CARGO_TARGET_DIR", target_folder());
        command.env("PATCHBAY_URL", patchbay.url()).env("PATCHBAY_API_KEY", key).env("NOTES", notes.path());
        // A group of its own, so that the commands in the background end with it.
        let mut process = command.process_group(0).spawn().unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let mut shell = Self { process, input, output, notes };
        shell.input.write_all(PRELUDE.as_bytes()).unwrap();
        shell
    }

    /// Types commands and returns their output, or the output up to the fault.
    fn types(&mut self, commands: &str) -> Result<String, String> {
        let typed = format!("{{\n{commands}\n}} < /dev/null\necho '{END_OF_BLOCK}'\n");
        let mut printed = String::new();
        if self.input.write_all(typed.as_bytes()).is_err() {
            return Err("the shell has ended".to_owned());
        }
        let mut line = vec![];
        while self.output.read_until(b'\n', &mut line).unwrap() > 0 {
            let text = String::from_utf8_lossy(&line).into_owned();
            if text.trim_end() == END_OF_BLOCK {
                return Ok(printed);
            }
            printed.push_str(&text);
            line.clear();
        }
        Err(printed)
    }
}

impl Drop for ReaderShell {
    fn drop(&mut self) {
        let group = i32::try_from(self.process.id()).ok().and_then(rustix::process::Pid::from_raw);
        let _ = group.map(|group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL));
        let _ = self.process.wait();
    }
}

/// A reader of the guides: a server, a folder and a shell.
struct Reader {
    patchbay: Patchbay,
    client: TestClient,
    place: TempDir,
    shell: ReaderShell,
    /// Texts of the guides, each with the text of this test in its place.
    replacements: Vec<(&'static str, String)>,
    not_typed: BTreeSet<usize>,
}

impl Reader {
    async fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let plugins = place.path().join("my-plugins");
        fs::create_dir(&plugins).unwrap();
        let patchbay = PatchbaySetup::new().set("plugins.dir", plugins.to_str().unwrap()).start().await;
        let client = patchbay.client("acme", NUMBER).await;
        // As the demo client has.
        client.activate("default-chatbot").await;
        let port = free_port();
        let replacements = vec![
            ("$(sh scripts/target-dir.sh)/release", binary().parent().unwrap().display().to_string()),
            ("the-demo-api-key", client.key.clone()),
            ("$(mktemp -d)", place.path().display().to_string()),
            ("http://127.0.0.1:8080", patchbay.url()),
            ("http://127.0.0.1:8090", patchbay.simulator_url()),
            ("127.0.0.1:9100", format!("127.0.0.1:{port}")),
            ("http.server 9100", format!("http.server {port}")),
            ("target/my-plugins", plugins.display().to_string()),
            ("target/hello-bot", target_folder().join("plugins-of-authors").display().to_string()),
            ("examples/llm-bot", place.path().join("llm-bot").display().to_string()),
        ];
        let shell = ReaderShell::open(place.path(), &patchbay, &client.key);
        Self { patchbay, client, place, shell, replacements, not_typed: BTreeSet::new() }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.place.path().join(path)
    }

    /// Does what the text before a block asks for.
    fn prepare(&mut self, block: &Block) {
        if block.text.contains("patchbay plugin test order-bot") {
            for (language, file) in
                [("rust", "src/lib.rs"), ("json", "config.schema.json"), ("yaml", "tests/order-bot.yaml")]
            {
                let shown: Vec<Block> = blocks(block.guide, language);
                assert_eq!(shown.len(), 1, "{} has other blocks of {language} than this test knows", block.guide);
                fs::write(self.path("order-bot").join(file), &shown[0].text).unwrap();
            }
        }
        if block.text.contains("minisign -Sm") {
            let signer = Signer::new();
            let component = fs::read(self.path("hello/build/hello.wasm")).unwrap();
            fs::write(self.path("minisign.pub"), signer.public_key()).unwrap();
            fs::write(self.path("hello/build/hello.wasm.minisig"), signer.sign(&component)).unwrap();
        }
        if block.text.contains("plugin test examples/llm-bot") {
            self.copy_llm_bot();
        }
    }

    /// Copies the example out of the repository, because other tests build it there at the same time.
    fn copy_llm_bot(&mut self) {
        let here = self.path("llm-bot").display().to_string();
        let files = ["src", "tests", "Cargo.toml", "Cargo.lock", "plugin.toml", "config.schema.json"];
        let files = files.map(|file| format!("examples/llm-bot/{file}")).join(" ");
        let sdk = format!("sed -i.bak \"s|../../plugins/sdk|$PWD/plugins/sdk|\" '{here}/Cargo.toml'");
        self.shell.types(&format!("mkdir '{here}'\ncp -R {files} '{here}'\n{sdk}")).unwrap();
    }

    /// A block as it is typed: without the lines that are left out, with the texts of this machine.
    fn typed(&mut self, block: &Block) -> String {
        let mut typed = String::new();
        for line in block.text.lines() {
            let (command, comment) = line.split_once(" #").unwrap_or((line, ""));
            let out = |(guide, left, _): &(&str, &str, &str)| *guide == block.guide && *left == command.trim();
            if let Some(index) = LEFT_OUT.iter().position(out) {
                self.not_typed.insert(index);
            } else if comment.contains(FAULT_ON_PURPOSE) {
                typed.push_str(&format!("if {command}; then echo 'has no fault'; false; fi\n"));
            } else {
                typed.push_str(line);
                typed.push('\n');
            }
        }
        for (text, here) in &self.replacements {
            typed = typed.replace(*text, here);
        }
        typed
    }

    fn enters(&mut self, folder: &Path) {
        self.shell.types(&format!("cd '{}'", folder.display())).unwrap();
    }

    /// Lines of `LEFT_OUT` that were not met in the wanted guides.
    fn stale(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<&'static str> {
        let stale = LEFT_OUT.iter().enumerate().filter(|(index, _)| !self.not_typed.contains(index));
        stale.filter(|(_, (guide, ..))| is_wanted(guide)).map(|(_, (_, line, _))| *line).collect()
    }

    /// Waits until the server has another component of the example than that with this digest, and returns the new one.
    async fn loads_another(&self, digest: &Value) -> Value {
        eventually("the component to be loaded", || async {
            let plugins = self.client.get("/plugin-service/api/v1/plugins?size=50").await.ok();
            let found = plugins["content"].as_array().unwrap().iter().find(|plugin| plugin["name"] == "hello-bot");
            found.map(|plugin| plugin["sha256"].clone()).filter(|found| found != digest)
        })
        .await
    }

    fn plays(&mut self, block: &Block) {
        self.prepare(block);
        let typed = self.typed(block);
        let at = format!("docs/plugins/{}:{}", block.guide, block.line);
        // A block may have no other line than one that is left out.
        let commands = if typed.trim().is_empty() { ":".to_owned() } else { typed };
        let printed =
            self.shell.types(&commands).unwrap_or_else(|printed| panic!("{at}: its last command failed\n{printed}"));
        let refused = fs::read_to_string(self.shell.notes.path().join("refused")).unwrap_or_default();
        assert!(refused.is_empty(), "{at}: {refused}\n{printed}");
        assert!(!printed.lines().any(|line| line == "null"), "{at}: jq found nothing\n{printed}");
    }
}

#[test]
fn every_guide_is_played() {
    let files = fs::read_dir(guides()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(
        files.collect::<BTreeSet<_>>(),
        BTreeSet::from(GUIDES.map(str::to_owned)),
        "add a new guide to `GUIDES`"
    );
}

#[tokio::test]
async fn every_command_of_the_guides_works_in_the_order_of_the_guides() {
    let mut reader = Reader::new().await;
    let mut played = 0;
    for guide in GUIDES {
        let folder = if guide == "llm.md" { guides().join("../..") } else { reader.place.path().to_owned() };
        reader.enters(&folder);
        for block in blocks(guide, "sh") {
            reader.plays(&block);
            played += 1;
        }
    }
    assert!(played > 20, "only {played} blocks were found in the guides");
    assert_eq!(reader.stale(|guide| guide != README), [] as [&str; 0], "no guide has these lines any more");

    let phone = reader.patchbay.phone("27820000003");
    let first = phone.receives("the answer of the first bot", |message| message["text"].is_string()).await;
    assert!(first["text"].as_str().unwrap().contains("You said: hi"), "{first}");
}

#[tokio::test]
async fn the_commands_of_the_readme_replace_a_plugin_while_it_runs() {
    let mut reader = Reader::new().await;
    reader.enters(&guides().join("../.."));
    let is_played =
        |block: &Block| ["make run", "KEY=the-demo", "build()"].iter().any(|part| block.text.contains(part));
    let shown: Vec<Block> = blocks(README, "sh").into_iter().filter(is_played).collect();
    assert_eq!(shown.len(), 3, "the README has other blocks than this test knows");
    let mut digest = Value::Null;
    for Block { guide, line, text } in shown {
        // After a build the server needs an unknown time to load the component.
        for (index, part) in text.split("\nbuild ").enumerate() {
            let lines: Vec<&str> = part.lines().collect();
            let (built, rest) = if index == 0 { ("", lines.as_slice()) } else { (lines[0], &lines[1..]) };
            if index > 0 {
                reader.plays(&Block { guide, line, text: format!("build {built}\n") });
                digest = reader.loads_another(&digest).await;
            }
            reader.plays(&Block { guide, line, text: rest.join("\n") + "\n" });
        }
    }
    assert_eq!(reader.stale(|guide| guide == README), [] as [&str; 0], "the README has these lines no more");
    let phone = reader.patchbay.phone("27820000002");
    let is_welcome = |message: &Value| message["text"].as_str().is_some_and(|text| text.starts_with("Welcome"));
    phone.receives("the answer of the second version", is_welcome).await;
}
