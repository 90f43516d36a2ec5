//! Files of the customer that a chatbot reads in parts, and files that it writes.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use domain::file_type::FileType;
use plugin_host::{
    CallError, CallLimits, ChatbotOutcome, FileAnswer, FilePart, HostCall, KeyValueError, KeyValueSnapshot, KeysWanted,
    NoKeyValues, PluginCall, Scope, World, WorldQuestion, WrittenFile, chatbot::Action, chatbot::Session, sha256,
    unknown_attachment,
};
use serde_json::{Value, json};

use crate::support::{TestHost, call, client, guest, limits, only_text, says, session};

const MOST_OF_A_CALL: usize = 8 << 20;
const MOST_OF_A_PART: u32 = 256 << 10;

/// A conversation with one file, that of the message `photo`. The message `late` has a file that has not arrived yet.
#[derive(Default)]
struct Album {
    photo: Vec<u8>,
    asked: Mutex<Vec<FilePart>>,
    /// The store of the files fails.
    is_broken: bool,
}

impl Album {
    fn of(bytes: usize) -> Arc<Self> {
        let photo = (0..bytes).map(|index| index.to_le_bytes()[0]).collect();
        Arc::new(Self { photo, ..Self::default() })
    }
}

#[async_trait]
impl KeyValueSnapshot for Album {
    async fn get(&self, _: Scope, _: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        Ok(None)
    }

    async fn list(&self, _: Scope, _: &KeysWanted) -> Result<Vec<String>, KeyValueError> {
        Ok(vec![])
    }

    async fn read_file(&self, part: &FilePart) -> Result<FileAnswer, KeyValueError> {
        self.asked.lock().unwrap().push(part.clone());
        Ok(match part.message.as_str() {
            "photo" => {
                let (from, most) = (part.offset as usize, part.most as usize);
                FileAnswer::Bytes(self.photo.iter().skip(from).take(most).copied().collect())
            }
            "late" => FileAnswer::Unavailable,
            _ => FileAnswer::NotFound,
        })
    }

    fn fault(&self) -> Option<KeyValueError> {
        self.is_broken.then(|| KeyValueError("the store of files failed".into()))
    }
}

async fn clerk() -> TestHost {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("clerk.wasm"), guest("clerk")).unwrap();
    TestHost::start(directory, limits(), false).await
}

async fn ask(test: &TestHost, album: &Arc<Album>, text: &str) -> Result<ChatbotOutcome, CallError> {
    let session = Session { state: "photo".to_owned(), ..session() };
    let call = PluginCall { record: true, ..call("clerk") };
    test.host.chatbot(call, &says(text), &session, Arc::<Album>::clone(album) as _).await
}

async fn refusal(test: &TestHost, album: &Arc<Album>, text: &str) -> (String, bool) {
    match ask(test, album, text).await {
        Err(CallError::Refused { error, .. }) => (error.code, error.retry),
        other => panic!("{text}: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_read_in_parts_to_its_end_and_a_replay_gives_the_same_bytes() {
    let (test, album) = (clerk().await, Album::of(600_000));
    let sum: u64 = album.photo.iter().map(|byte| u64::from(*byte)).sum();

    let outcome = ask(&test, &album, "file photo").await.unwrap();

    assert!(only_text(&outcome.actions).starts_with(&format!("read 600000 bytes, sum {sum}, ")));
    let parts: Vec<(u64, u32)> = album.asked.lock().unwrap().iter().map(|part| (part.offset, part.most)).collect();
    let wanted = [0, 262_144, 524_288, 600_000].map(|offset| (offset, MOST_OF_A_PART));
    assert_eq!(parts, wanted);
    let recording = outcome.trace.recording.unwrap();
    let read = recording.host_calls.iter().filter(|call| matches!(call, HostCall::File { .. }));
    assert_eq!(read.count(), 4);
    let again = test.host.replay(client(1), call("clerk").plugin, &recording).await.unwrap();
    assert!(again.identical, "{:?}", again.first_difference);
    let written: plugin_host::Recording = serde_json::from_str(&serde_json::to_string(&*recording).unwrap()).unwrap();
    assert_eq!(written, *recording);
    let shown = recording.to_json();
    assert_eq!(shown["hostCalls"][0]["type"], "file");
    assert_eq!(shown["hostCalls"][0]["part"]["message"], "photo");
    assert_eq!(shown["hostCalls"][3]["answer"]["bytes"], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_has_no_more_bytes_than_asked_for_and_none_behind_the_end() {
    let (test, album) = (clerk().await, Album::of(100));
    for (asked, said) in [
        ("part 97 2", "part of 2 bytes, \"ab\""),
        ("part 99 9", "part of 1 bytes, \"c\""),
        ("part 100 9", "part of 0 bytes, \"\""),
        ("part 97 0", "part of 0 bytes, \"\""),
    ] {
        assert_eq!(only_text(&ask(&test, &album, asked).await.unwrap().actions), said, "{asked}");
    }
    for (wanted, asked) in [(MOST_OF_A_PART, MOST_OF_A_PART), (MOST_OF_A_PART + 1, MOST_OF_A_PART)] {
        album.asked.lock().unwrap().clear();
        ask(&test, &album, &format!("part 0 {wanted}")).await.unwrap();
        assert_eq!(album.asked.lock().unwrap()[0].most, asked);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_there_differs_from_one_that_may_come() {
    let (test, album) = (clerk().await, Album::of(1));
    assert_eq!(refusal(&test, &album, "file other").await, ("file-not-found".to_owned(), false));
    assert_eq!(refusal(&test, &album, "file late").await, ("file-unavailable".to_owned(), true));
    album.asked.lock().unwrap().clear();
    let long = "x".repeat(129);
    assert_eq!(refusal(&test, &album, &format!("file {long}")).await.0, "file-not-found");
    assert!(album.asked.lock().unwrap().is_empty(), "no message has such an id");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_reads_a_limited_number_of_bytes() {
    let test = clerk().await;
    let whole = ask(&test, &Album::of(MOST_OF_A_CALL), "file photo").await.unwrap();
    assert!(only_text(&whole.actions).starts_with("read 8388608 bytes"));
    let above = refusal(&test, &Album::of(MOST_OF_A_CALL + 1), "file photo").await;
    assert_eq!(above, ("file-too-much".to_owned(), false));
}

/// The addresses in the replies of an answer.
fn addresses(actions: &[Action]) -> Vec<String> {
    let address = |action: &Action| match action {
        Action::ReplyMedia(reply) => reply.url.clone(),
        other => panic!("no file: {other:?}"),
    };
    actions.iter().map(address).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_written_file_is_part_of_the_outcome_and_a_replay_compares_it() {
    let (test, album) = (clerk().await, Album::of(0));
    let bytes = b"%PDF-1.4 by the clerk";

    let outcome = ask(&test, &album, "send-file bill.pdf").await.unwrap();

    assert_eq!(addresses(&outcome.actions), ["attachment:1"]);
    let written = WrittenFile { name: "bill.pdf".into(), file_type: FileType::Pdf, bytes: bytes.to_vec().into() };
    assert_eq!(outcome.files, [written]);
    let recording = outcome.trace.recording.unwrap();
    assert!(recording.result.contains(&sha256(bytes)), "{}", recording.result);
    let again = test.host.replay(client(1), call("clerk").plugin, &recording).await.unwrap();
    assert!(again.identical, "{:?}", again.first_difference);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_writes_a_limited_number_of_files_of_types_that_chats_carry() {
    let (test, album) = (clerk().await, Album::of(0));
    let most = ask(&test, &album, "send-files 4").await.unwrap();
    assert_eq!(addresses(&most.actions), ["attachment:1", "attachment:2", "attachment:3", "attachment:4"]);
    assert_eq!(most.files.len(), 4);
    for refused in ["send-files 5", "send-text-file a.txt"] {
        assert_eq!(refusal(&test, &album, refused).await, ("file-refused".to_owned(), false), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_names_a_file_of_no_call_is_found() {
    let (test, album) = (clerk().await, Album::of(0));
    let unknown = ask(&test, &album, "show attachment:1").await.unwrap();
    let reason = unknown_attachment(&unknown.actions, unknown.files.len()).unwrap();
    assert!(reason.contains("`attachment:1`, which this call did not write"), "{reason}");
    let known = ask(&test, &album, "send-file a.pdf").await.unwrap();
    assert_eq!(unknown_attachment(&known.actions, known.files.len()), None);
    let never = ask(&test, &album, "show attachment:5").await.unwrap_err();
    assert!(matches!(never, CallError::BadAnswer { .. }), "{never}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_call_shows_the_files_that_it_would_send() {
    let test = clerk().await;
    let event = json!({ "type": "message", "text": "send-file bill.pdf" });
    let question = WorldQuestion::from_json(World::Chatbot, &event, &Value::Null).unwrap();
    let answer = test.host.dry_run(call("clerk"), &question, Arc::new(NoKeyValues)).await.unwrap().to_json();
    assert_eq!((&answer["files"][0]["name"], &answer["files"][0]["bytes"]), (&json!("bill.pdf"), &json!(21)));
}

#[tokio::test(flavor = "multi_thread")]
async fn written_files_count_for_their_client_until_they_are_dropped() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("clerk.wasm"), guest("clerk")).unwrap();
    let limits = CallLimits { calls_per_client: 1, queue_wait: Duration::from_millis(50), ..limits() };
    let (test, album) = (TestHost::start(directory, limits, false).await, Album::of(0));

    let wrote = ask(&test, &album, "send-file bill.pdf").await.unwrap();

    let busy = ask(&test, &album, "say again").await.unwrap_err();
    assert!(matches!(busy, CallError::TooBusy { .. }), "{busy}");
    drop(wrote);
    ask(&test, &album, "say again").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_fails_after_a_fault_of_the_host_is_no_failure_of_the_plugin() {
    let test = clerk().await;
    let broken = Arc::new(Album { is_broken: true, ..Album::default() });
    let failed = ask(&test, &broken, "file late").await.unwrap_err();
    assert!(matches!(failed, CallError::KeyValues { .. }) && failed.is_retryable(), "{failed}");
    let coped = ask(&test, &broken, "say hello").await.unwrap();
    assert_eq!(only_text(&coped.actions), "hello", "an answer is an answer");
}
