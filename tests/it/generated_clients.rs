//! Clients that third-party generators make of the served document: they send a template, a text and an SMS, and read
//! a page. None of them is patched.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use harness::{SharedPatchbay, eventually, installed_peer, peer_folder};
use serde_json::{Value, json};

fn answer(mut program: Command, given: &Value) -> Value {
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    child.stdin.take().unwrap().write_all(given.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// `program` gets the document and an empty folder as arguments.
async fn sends(program: impl FnOnce() -> Command + Send + 'static) {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    phone.write(&client.number, "hello").await;
    let chats = "/chat-service/api/v2/chats?scope=all";
    eventually("the chat", || async { (client.get(chats).await.ok()["totalElements"] == 1).then_some(()) }).await;
    let document = client.get("/openapi.json").await.text;
    let given = json!({
        "url": patchbay.url(),
        "key": client.key,
        "sends": [
            { "channel": "WHATSAPP", "payload": client.order_ready(&[&phone.msisdn]) },
            { "channel": "WHATSAPP", "payload": client.chat(&phone.msisdn, "good day") },
            { "channel": "SMS", "payload": {
                "messages": [{ "recipients": [{ "to": phone.msisdn }], "messageText": "good evening" }],
            } },
        ],
    });
    let told = tokio::task::spawn_blocking(move || {
        let folder = tempfile::tempdir().unwrap();
        let (file, made): (PathBuf, PathBuf) = (folder.path().join("openapi.json"), folder.path().join("client"));
        std::fs::write(&file, document).unwrap();
        std::fs::create_dir(&made).unwrap();
        let mut program = program();
        program.args([&file as &Path, &made]);
        answer(program, &given)
    });
    let told = told.await.unwrap();
    assert_eq!(told["statuses"], json!(["ACCEPTED", "ACCEPTED", "ACCEPTED"]), "{told}");
    assert_eq!(told["names"].as_array().unwrap().len(), 3, "{told}");
    phone.receives("the text", |message| message.to_string().contains("good day")).await;
    phone.receives("the SMS", |message| message.to_string().contains("good evening")).await;
}

fn python(script: &'static str) -> impl FnOnce() -> Command + Send + 'static {
    move || {
        let mut command = Command::new("python3");
        command.arg(peer_folder("openapi-clients").join(script));
        command.env("PYTHONPATH", installed_peer("openapi-clients").join("python")).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }
}

#[tokio::test]
async fn a_client_of_openapi_python_client_sends_and_reads() {
    sends(python("openapi_python_client_sends.py")).await;
}

#[tokio::test]
async fn a_client_of_openapi_generator_sends_and_reads() {
    sends(python("openapi_generator_sends.py")).await;
}

#[tokio::test]
async fn a_client_with_the_types_of_openapi_typescript_sends_and_reads() {
    sends(|| {
        let mut command = Command::new("sh");
        command.arg(peer_folder("openapi").join("sends.sh")).arg(installed_peer("openapi").join("node_modules"));
        command
    })
    .await;
}
