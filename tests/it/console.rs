//! The console in a real browser (`docs/console.md`), and the types of its modules. `tests/peers/console` has the stories.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use harness::{SharedPatchbay, greeter};
use serde_json::json;

fn peers(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("peers").join(name)
}

/// Installs the programs of a folder of `tests/peers`, and returns where they are.
fn installed(name: &str) -> PathBuf {
    let install = Command::new("sh").arg(peers(name).join("install.sh")).output().unwrap();
    assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stderr));
    PathBuf::from(String::from_utf8(install.stdout).unwrap().trim())
}

fn run(command: &mut Command, what: &Path) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}: {said}\n{wrong}", what.display());
    said.into_owned()
}

async fn play(story: &'static str) {
    play_with(story, &[]).await;
}

/// Plays a story that uploads components.
async fn play_with(story: &'static str, components: &[Vec<u8>]) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let agent = format!("agent@{}.example", client.client_ref);
    patchbay.new_user(&client.client_ref, &agent, "AGENT");
    let versions: Vec<PathBuf> = (0..components.len())
        .map(|index| std::env::temp_dir().join(format!("{}-{index}.wasm", client.client_ref)))
        .collect();
    for (path, bytes) in versions.iter().zip(components) {
        std::fs::write(path, bytes).unwrap();
    }
    let given = json!({
        "versions": &versions,
        "base": patchbay.url(),
        "phones": patchbay.simulator_url(),
        "clientRef": client.client_ref,
        "number": client.number,
        "phone": patchbay.new_phone().msisdn,
        "agent": { "email": agent, "password": "long enough" },
        "admin": { "email": format!("{}@example.com", client.client_ref), "password": "correct horse" },
    });
    let played = tokio::task::spawn_blocking(move || {
        let script = peers("console").join(story);
        run(Command::new("node").arg(&script).arg(installed("browser")).arg(given.to_string()), &script)
    });
    let said = played.await.unwrap();
    for path in versions {
        std::fs::remove_file(path).unwrap();
    }
    assert_eq!(said.trim(), "ok", "{story}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_logs_in_takes_a_chat_and_sees_the_answer_arrive_over_a_lost_connection() {
    play("agent.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_agents_on_one_queue_see_who_takes_a_chat_and_to_whom_it_goes() {
    play("colleagues.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_developer_finds_a_failed_webhook_mends_its_receiver_and_sends_it_again() {
    play("webhooks.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_developer_sends_to_the_recipients_of_a_csv_file_and_follows_a_message() {
    play("sends.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_developers_work_by_keyboard_and_on_small_screens_without_findings_of_axe() {
    play("developers.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_console_works_by_keyboard_and_on_small_screens_without_findings_of_axe() {
    play("access.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_is_rolled_out_by_canary_and_rolled_back() {
    play_with("plugins.mjs", &[greeter("Hello"), greeter("Welcome")]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_supervisor_gives_chats_away_and_keeps_teams_and_canned_replies() {
    play("supervision.mjs").await;
}

#[test]
fn the_types_of_the_modules_are_right() {
    let settings = peers("..").join("../console/tsconfig.json");
    run(
        Command::new("node")
            .arg(installed("console").join("node/node_modules/typescript/bin/tsc"))
            .arg("-p")
            .arg(&settings),
        &settings,
    );
}

#[test]
fn each_language_has_the_texts_of_english() {
    let script = peers("console").join("texts.mjs");
    run(Command::new("node").arg(&script), &script);
}
