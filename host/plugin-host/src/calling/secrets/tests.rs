use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::*;
use crate::{
    CallError, CallLimits, CallTrace, HttpFault, HttpResponse, LogLevel, LogLine, PluginOutcome, Scope, World,
    calling::{
        end::CheckedAnswer,
        output::{Gap, Gaps},
    },
    replaying::{
        recorded_limits::RecordedLimits,
        recording::{HostCall, HttpAnswer, KvAnswer, Recording},
    },
};

/// Treats the sealed text as the JSON text of the secret.
struct Plain;

impl SecretOpener for Plain {
    fn open(&self, _client: ClientId, sealed: &str) -> Result<Value, String> {
        serde_json::from_str(sealed).map_err(|fault| fault.to_string())
    }
}

fn hidden(secret: &Value) -> Value {
    json!({ SEALED: secret.to_string() })
}

fn uncovered(config: &Value) -> OpenedConfig {
    let client = ClientId(uuid::Uuid::from_u128(1));
    OpenedConfig::of(&config.to_string(), client, Some(&Plain)).unwrap().unwrap()
}

fn with_key(secret: &str) -> OpenedConfig {
    uncovered(&json!({ "key": hidden(&json!(secret)), "shop": "books" }))
}

fn trace(stderr: &str) -> Box<CallTrace> {
    Box::new(CallTrace {
        plugin: "keeper".into(),
        version: 1,
        sha256: String::new(),
        duration: Duration::ZERO,
        processor_time: Duration::ZERO,
        peak_memory_bytes: 0,
        logs: vec![LogLine { level: LogLevel::Info, message: stderr.into() }],
        stderr: stderr.into(),
        outcome: PluginOutcome::Trapped,
        http_requests: 0,
        recording: None,
    })
}

fn trapped(secrets: &OpenedConfig, output: &str, gaps: Gaps) -> (String, String) {
    let reason = format!("unreachable{}", crate::calling::conclude::printed_text(output));
    let mut outcome: Result<CheckedAnswer<()>, CallError> = Err(CallError::Trap { reason, trace: trace(output) });
    secrets.leave_out_of_outcome(&mut outcome, gaps);
    let Err(error) = outcome else { panic!("an answer") };
    (error.to_string(), error.trace().unwrap().stderr.clone())
}

#[test]
fn a_call_gets_its_secrets_and_a_recording_gets_their_places() {
    let config = json!({ "a": [{ "b~c/d": hidden(&json!("open-sesame")) }], "e": hidden(&json!(null)), "f": 1 });
    let open = uncovered(&config);
    assert_eq!(open.config, json!({ "a": [{ "b~c/d": "open-sesame" }], "e": null, "f": 1 }).to_string());
    let expected = json!({ "a": [{ "b~c/d": "(secret:/a/0/b_0c_1d)" }], "e": "(secret:/e)", "f": 1 });
    assert_eq!(cover(&config.to_string()), expected.to_string());
    assert!(OpenedConfig::of(r#"{"f":1}"#, ClientId(uuid::Uuid::from_u128(1)), None).unwrap().is_none());
    assert!(OpenedConfig::of(&config.to_string(), ClientId(uuid::Uuid::from_u128(1)), None).is_err(), "without a key");
}

#[test]
fn a_placeholder_is_as_short_as_possible() {
    let shown = |length: usize| placeholder(&format!("/{}", "n".repeat(length - 1)));
    assert_eq!(shown(PLACE_LENGTH), format!("(secret:/{})", "n".repeat(PLACE_LENGTH - 1)));
    assert_eq!(shown(PLACE_LENGTH + 1), format!("(secret:/{}...)", "n".repeat(PLACE_LENGTH - 1)));
}

#[test]
fn a_secret_that_occurs_in_its_own_path_does_not_grow_the_text() {
    let name = "abcd".repeat(7_000);
    let (said, output) = trapped(&uncovered(&json!({ name: hidden(&json!("abcd")) })), "abcd abcd", Gaps::default());
    assert!(said.len() < 250 && output.len() < 160, "{said}");
}

#[test]
fn the_reason_of_a_trap_does_not_repeat_a_secret_of_several_lines() {
    let secrets = with_key("-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----");
    let output = "panicked with\n-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----\nat once";
    let (said, output) = trapped(&secrets, output, Gaps::default());
    assert_eq!(said, "the plugin crashed: unreachable; it printed: panicked with (secret:/key)");
    assert_eq!(output, "panicked with\n(secret:/key)\nat once");
}

#[test]
fn output_that_was_cut_within_a_secret_holds_nothing_of_it() {
    let secrets = with_key("open-sesame");
    let cut = |first: &str, last: &str, within_line: bool| {
        let gap = Gap { first_ends: first.len(), last_begins: first.len() + 5, within_line };
        trapped(&secrets, &format!("{first}\n[1]\n{last}"), Gaps { output: Some(gap), last_log: None }).1
    };
    assert_eq!(cut("it is open-ses\u{fffd}", "sesame\nopen-sesame", false), "it is \n[1]\n\n(secret:/key)");
    assert_eq!(cut("plain", "en%2Dsesame", true), "plain\n[1]\n", "no telling how a secret is written there");
    assert_eq!(trapped(&secrets, "it is open-ses", Gaps::default()).1, "it is open-ses", "all that it printed");
}

#[test]
fn a_logged_line_that_was_cut_within_a_secret_holds_nothing_of_it() {
    let secrets = with_key("open-sesame");
    let mut trace = trace("");
    let line = |message: &str| LogLine { level: LogLevel::Error, message: message.into() };
    trace.logs = vec![line("open-ses"), line("it is open-ses\n[1]\nsesame it is\n")];
    let gap = Gap { first_ends: 14, last_begins: 19, within_line: false };
    let mut outcome: Result<CheckedAnswer<()>, CallError> = Err(CallError::Trap { reason: String::new(), trace });
    secrets.leave_out_of_outcome(&mut outcome, Gaps { output: None, last_log: Some(gap) });
    let Err(error) = outcome else { panic!("an answer") };
    let messages: Vec<&str> = error.trace().unwrap().logs.iter().map(|line| line.message.as_str()).collect();
    assert_eq!(messages, ["open-ses", "it is \n[1]\n it is\n"]);
}

#[test]
fn an_unusable_answer_or_error_is_described_without_the_secret() {
    let secrets = with_key("open-sesame");
    let errors = [
        CallError::BadAnswer { reason: "two buttons have the same id `open-sesame`".into(), trace: trace("") },
        CallError::Refused {
            error: crate::chatbot::Error {
                code: "open-sesame".into(),
                message: "of open%2Dsesame".into(),
                retry: false,
            },
            trace: trace("open-sesame"),
        },
    ];
    for error in errors {
        let mut outcome: Result<CheckedAnswer<()>, CallError> = Err(error);
        secrets.leave_out_of_outcome(&mut outcome, Gaps::default());
        let Err(error) = outcome else { panic!("an answer") };
        let all = format!("{error} {:?}", error.trace());
        assert!(!all.contains("sesame") && error.to_string().contains("(secret:/key)"), "{all}");
    }
}

#[test]
fn a_recording_holds_no_secret_in_any_field() {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let basic = |scheme: &str| ("authorization".to_owned(), format!("{scheme} {}", STANDARD.encode("me:open-sesame")));
    let write = |value: &str| json!({ "scope": "Client", "key": "k", "value": STANDARD.encode(value) });
    let response = HttpResponse { status: 200, headers: vec![basic("Basic")], body: b"\xff open-sesame".to_vec() };
    let http = |answer| HostCall::Http {
        method: "POST".into(),
        url: "https://example.org/?k=open-sesame".into(),
        headers: vec![("x-open-sesame".into(), "open-sesame".into()), basic("basic")],
        body: Some(b"open-sesame".to_vec()),
        answer,
    };
    let mut recording = Recording {
        world: World::Chatbot,
        plugin: "keeper".into(),
        version: Some(1),
        sha256: String::new(),
        now: DateTime::<Utc>::UNIX_EPOCH,
        seed: 1,
        seed_key: None,
        config: r#"{"key":"open-sesame"}"#.into(),
        turn: "turn".into(),
        allowed_hosts: vec![],
        limits: RecordedLimits::of(&CallLimits::default()),
        question: r#"{"text":"is it open-sesame?"}"#.into(),
        host_calls: vec![
            HostCall::KvGet {
                scope: Scope::Client,
                key: "open-sesame".into(),
                answer: KvAnswer::Value(b"open-sesame".to_vec()),
            },
            http(HttpAnswer::Response(response)),
            http(HttpAnswer::Fault(HttpFault::Failed("no open-sesame.example.org".into()))),
        ],
        result: json!({ "answer": STANDARD.encode("plain"), "writes": [write("plain"), write("a open-sesame")] })
            .to_string(),
        stopped_after: None,
    };
    let secrets = with_key("open-sesame");
    secrets.leave_out_of_recording(&mut recording);
    let text = format!("{recording:?}");
    assert!(!text.contains("sesame") && !text.contains(&STANDARD.encode("me:open-sesame")), "{text}");
    assert_eq!(recording.config, r#"{"key":"(secret:/key)","shop":"books"}"#);
    let result: Value = serde_json::from_str(&recording.result).unwrap();
    let expected = json!([write("plain"), write("a (secret:/key)")]);
    assert_eq!((&result["writes"], &result["answer"]), (&expected, &json!(STANDARD.encode("plain"))));
    let HostCall::Http { headers, answer: HttpAnswer::Response(response), .. } = &recording.host_calls[1] else {
        panic!()
    };
    let left = STANDARD.encode("me:(secret:/key)");
    assert_eq!(
        (headers[1].1.clone(), response.headers[0].1.clone()),
        (format!("basic {left}"), format!("Basic {left}"))
    );
    assert_eq!(response.body, b"\xff (secret:/key)");
}
