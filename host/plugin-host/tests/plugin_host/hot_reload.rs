//! Files of the watched directory appear, change, break and disappear.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use plugin_host::{CallLimits, HostConfig, HostError, NoKeyValues, PluginHost, ProgramSource, ProgramState, World};

use crate::support::{TestHost, call, eventually, guest, hostile_version, limits, only_text, says, session};

async fn version(test: &TestHost) -> String {
    test.answer("version").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_file_is_live_and_a_changed_one_too() {
    let test = TestHost::start(tempfile::tempdir().unwrap(), limits(), false).await;
    assert!(test.host.find("hostile").is_none());
    test.replace("hostile", &hostile_version(1));
    eventually("the file is live", async || test.host.find("hostile").is_some()).await;
    assert_eq!(version(&test).await, "version-0001");
    test.replace("hostile", &hostile_version(2));
    eventually("the change is live", async || version(&test).await == "version-0002").await;

    let info = test.host.find("hostile").unwrap();
    assert_eq!((info.world, info.version, info.state), (Some(World::Chatbot), 2, ProgramState::Ready));
    assert_eq!(info.source, ProgramSource::Directory(test.file("hostile")));
    assert_eq!(info.size, hostile_version(2).len() as u64);
    assert!(info.imports.iter().any(|import| import == "patchbay:plugin/kv@0.3.0"), "{:?}", info.imports);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_written_in_place_and_in_pieces_is_taken_when_it_is_whole() {
    use std::io::Write;
    let test = TestHost::with_hostile_guests(limits()).await;
    let bytes = hostile_version(3);
    let mut file = std::fs::File::create(test.file("hostile")).unwrap();
    for piece in bytes.chunks(bytes.len() / 5) {
        file.write_all(piece).unwrap();
        file.flush().unwrap();
        tokio::time::sleep(Duration::from_millis(60)).await;
        assert!(version(&test).await.starts_with("version-000"), "the running version continues");
    }
    drop(file);
    eventually("the whole file is live", async || version(&test).await == "version-0003").await;
    assert_eq!(test.host.find("hostile").unwrap().last_error, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_file_leaves_the_running_version_in_place() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let error = async || test.host.find("hostile").unwrap().last_error;
    let half = &guest("hostile_bot")[..5_000];
    for (bytes, words) in [(b"not wasm at all".as_slice(), "not a WebAssembly file"), (half, "damaged")] {
        test.replace("hostile", bytes);
        eventually("the fault is reported", async || error().await.is_some_and(|error| error.contains(words))).await;
        assert_eq!(version(&test).await, "version-0000");
        assert_eq!(test.host.find("hostile").unwrap().state, ProgramState::Ready);
    }
    test.replace("hostile", &hostile_version(4));
    eventually("the repaired file is live", async || version(&test).await == "version-0004").await;
    assert_eq!(error().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn putting_back_the_file_that_runs_clears_the_fault() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let error = async || test.host.find("hostile").unwrap().last_error;
    test.replace("hostile", b"broken");
    eventually("the fault is reported", async || error().await.is_some()).await;
    test.replace("hostile", &guest("hostile_bot"));
    eventually("the fault is cleared", async || error().await.is_none()).await;
    assert_eq!(test.host.find("hostile").unwrap().version, 1, "nothing was swapped");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_file_without_a_running_version_is_listed_as_broken() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("mine.wasm"), b"\0asm\x01\0\0\0").unwrap();
    let test = TestHost::start(directory, limits(), false).await;
    let info = test.host.find("mine").unwrap();
    assert_eq!((info.state, info.world, info.version), (ProgramState::Broken, None, 0));
    assert!(info.last_error.unwrap().contains("core WebAssembly module"));
    assert!(test.host.ready(), "a broken file does not keep the host from being ready");
    std::fs::remove_file(test.file("mine")).unwrap();
    eventually("the file is forgotten", async || test.host.find("mine").is_none()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_shadows_a_built_in_until_it_is_removed() {
    let test = TestHost::with_built_ins().await;
    let source = async || test.host.find("default-chatbot").unwrap().source;
    assert_eq!(source().await, ProgramSource::BuiltIn);
    test.replace("default-chatbot", &hostile_version(5));
    eventually("the file shadows", async || source().await != ProgramSource::BuiltIn).await;
    let answer = async || {
        let call = call("default-chatbot");
        let outcome = test.host.chatbot(call, &says("version"), &session(), Arc::new(NoKeyValues)).await.unwrap();
        outcome.actions
    };
    assert_eq!(only_text(&answer().await), "version-0005");
    std::fs::remove_file(test.file("default-chatbot")).unwrap();
    eventually("the built-in is back", async || source().await == ProgramSource::BuiltIn).await;
    assert!(answer().await.len() > 1, "the menu");
    assert_eq!(test.host.find("default-chatbot").unwrap().version, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_another_world_does_not_take_the_name_of_a_built_in() {
    let test = TestHost::with_built_ins().await;
    test.replace("webhook-v2", &guest("hostile_bot"));
    let error = async || test.host.find("webhook-v2").unwrap().last_error;
    eventually("the fault is reported", async || error().await.is_some()).await;
    assert!(error().await.unwrap().contains("must be a webhook-shaper"));
    assert_eq!(test.host.find("webhook-v2").unwrap().source, ProgramSource::BuiltIn);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_flight_finishes_on_the_version_it_began_with() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let slow = async { test.answer("version 1500").await };
    let swap = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        test.replace("hostile", &hostile_version(6));
        eventually("the change is live", async || version(&test).await == "version-0006").await;
    };
    let (slow, ()) = tokio::join!(slow, swap);
    assert_eq!(slow, "version-0000");
}

#[tokio::test(flavor = "multi_thread")]
async fn swaps_under_load_fail_no_call() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let mut load = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let (host, stop, answered) = (test.host.clone(), stop.clone(), answered.clone());
        load.spawn(async move {
            let mut latest = 0;
            while !stop.load(Ordering::Relaxed) {
                let (event, session) = (says("version"), session());
                let outcome = host.chatbot(call("hostile"), &event, &session, Arc::new(NoKeyValues)).await.unwrap();
                assert!(outcome.trace.version >= latest, "a swap is never undone");
                latest = outcome.trace.version;
                answered.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
        });
    }
    for number in 10..18 {
        test.replace("hostile", &hostile_version(number));
        let wanted = format!("version-{number:04}");
        eventually("the change is live", async || version(&test).await == wanted).await;
    }
    stop.store(true, Ordering::Relaxed);
    load.join_all().await;
    assert!(answered.load(Ordering::Relaxed) > 50);
    assert_eq!(test.host.find("hostile").unwrap().version, 9);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_names_and_other_files_are_skipped() {
    let directory = tempfile::tempdir().unwrap();
    for name in [".hidden.wasm", "with space.wasm", "notes.txt", "bot.wasm.tmp"] {
        std::fs::write(directory.path().join(name), guest("hostile_bot")).unwrap();
    }
    std::fs::create_dir(directory.path().join("folder.wasm")).unwrap();
    let test = TestHost::start(directory, limits(), false).await;
    assert_eq!(test.host.plugins(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_above_the_size_limit_is_refused() {
    let bytes = hostile_version(1);
    let exact = CallLimits { component_bytes: bytes.len(), ..limits() };
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("hostile.wasm"), &bytes).unwrap();
    assert_eq!(version(&TestHost::start(directory, exact, false).await).await, "version-0001");
    let tight = CallLimits { component_bytes: bytes.len() - 1, ..limits() };
    let test = TestHost::with_hostile_guests(tight).await;
    assert!(test.host.find("hostile").unwrap().last_error.unwrap().contains("are allowed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_directory_is_reported_at_the_start() {
    let cache = tempfile::tempdir().unwrap();
    let config = HostConfig {
        plugins_dir: Some(cache.path().join("nowhere")),
        limits: limits(),
        built_ins: false,
        ..HostConfig::new(cache.path())
    };
    let error = PluginHost::start(config).await.err().unwrap();
    assert!(matches!(error, HostError::PluginsDirectory { .. }));
    assert!(error.to_string().contains("create the directory or clear the setting"), "{error}");
}
