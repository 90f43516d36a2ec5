//! Plugins built against older versions of the interfaces go on running.

use std::sync::Arc;

use plugin_host::{Call, NoKeyValues, World, check};

use crate::support::{TestHost, call, guest, limits, only_text, says, session};

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_built_against_the_first_release_is_loaded_and_answers() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("older.wasm"), guest("older_bot")).unwrap();
    let test = TestHost::start(directory, limits(), false).await;
    let call = Call { config: r#"{"a":1}"#, ..call("older") };
    let outcome = test.host.chatbot(call, &says("hello"), &session(), Arc::new(NoKeyValues)).await.unwrap();
    assert_eq!(only_text(&outcome.actions), r#"hello {"a":1} 0 false 27110000000"#);
    assert_eq!(outcome.writes.len(), 1);
    assert_eq!(outcome.trace.logs[0].message, "an older bot was asked");
}

#[test]
fn the_check_says_which_release_a_bot_was_built_against() {
    let report = check(&guest("older_bot"));
    assert_eq!(report.problems, [""; 0]);
    assert_eq!((report.world, report.api_version.as_deref()), (Some(World::Chatbot), Some("0.1.0")));
    assert!(report.imports.iter().any(|import| import == "patchbay:plugin/http@0.1.0"), "{:?}", report.imports);
}
