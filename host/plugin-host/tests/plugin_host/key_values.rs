//! The key-value store of a call.

use std::sync::Arc;

use plugin_host::{CallError, CallLimits, ChatbotOutcome, ExceededLimit, KeyValueWrite, Scope};

use crate::support::{TestHost, Values, call, limits, only_text, says, session};

async fn command(test: &TestHost, text: &str, values: &Arc<Values>) -> Result<ChatbotOutcome, CallError> {
    test.host.chatbot(call("hostile"), &says(text), &session(), values.clone()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_reads_its_own_writes_and_hands_them_over() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let values =
        Arc::new(Values { values: [((false, "count".to_owned()), b"41".to_vec())].into(), ..Values::default() });
    let outcome = command(&test, "count", &values).await.unwrap();
    assert_eq!(only_text(&outcome.actions), "41 then 42");
    let write = KeyValueWrite {
        scope: Scope::Participant,
        key: "count".into(),
        value: Some(b"42".to_vec()),
        after_seconds: None,
    };
    assert_eq!(outcome.writes, [write]);
    assert_eq!(*values.asked.lock().unwrap(), ["count"], "the own write is not asked for");

    let outcome = command(&test, "delete", &values).await.unwrap();
    assert_eq!(only_text(&outcome.actions), "None");
    assert_eq!(
        outcome.writes,
        [KeyValueWrite { scope: Scope::Participant, key: "count".into(), value: None, after_seconds: None }]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_and_values_up_to_the_limit_are_accepted_and_larger_ones_are_refused_with_a_reason() {
    let test = TestHost::with_hostile_guests(CallLimits { written_keys: 4, value_bytes: 100, ..limits() }).await;
    let values = Arc::new(Values::default());
    let written = command(&test, "keys 4", &values).await.unwrap().writes;
    assert_eq!(
        written.iter().map(|write| write.key.as_str()).collect::<Vec<_>>(),
        ["key-0", "key-1", "key-2", "key-3"]
    );
    let error = command(&test, "keys 5", &values).await.unwrap_err().to_string();
    assert!(error.contains("at most 4 keys"), "{error}");
    assert_eq!(command(&test, "value 100", &values).await.unwrap().writes.len(), 1);
    let error = command(&test, "value 101", &values).await.unwrap_err().to_string();
    assert!(error.contains("at most 100 bytes"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_cannot_be_read_ends_the_call_and_is_worth_a_retry() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let values = Arc::new(Values { broken: true, ..Values::default() });
    let error = command(&test, "count", &values).await.unwrap_err();
    assert!(matches!(error, CallError::KeyValues { .. }), "{error:?}");
    assert!(error.is_retryable());
}

#[tokio::test(flavor = "multi_thread")]
async fn key_values_that_a_call_holds_are_memory_of_it() {
    let test = TestHost::with_hostile_guests(CallLimits { memory_bytes: 32 << 20, ..limits() }).await;
    // Both the guest and the host hold the value.
    let of = |bytes: usize| {
        let value = ((false, "count".to_owned()), vec![b'x'; bytes]);
        Arc::new(Values { values: [value].into(), ..Values::default() })
    };
    assert_eq!(only_text(&command(&test, "count", &of(10 << 20)).await.unwrap().actions), "0 then 1");
    let error = command(&test, "count", &of(20 << 20)).await.unwrap_err();
    assert!(matches!(error, CallError::LimitExceeded { which: ExceededLimit::Memory, .. }), "{error:?}");
}
