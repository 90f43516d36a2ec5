//! The author's tools that show and change plugins of a running server: the real binary, a server, a customer's phone.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use harness::{Patchbay, WebhookSink, altered, guest};
use serde_json::{Value, json};

use crate::plugin_commands::{Machine, NUMBER, office};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|fault| panic!("{fault}: {text}"))
}

/// A server whose client has the chatbot `clerk`, uploaded and live.
async fn with_clerk() -> (Patchbay, harness::TestClient, Machine) {
    let (patchbay, client, machine) = office().await;
    machine.write("clerk.wasm", guest("clerk"));
    machine.does(&["push", "clerk.wasm"]);
    machine.does(&["activate", "clerk", "--config", "{\"shop\": 7}"]);
    (patchbay, client, machine)
}

#[tokio::test]
async fn an_activation_for_a_number_is_shown_with_the_number() {
    let (_patchbay, client, machine) = with_clerk().await;

    let activated = machine.does(&["activate", "clerk", "--number", NUMBER]);

    assert!(activated.contains(&format!("of number {NUMBER}")), "{activated}");
    assert!(machine.does(&["list"]).contains(&format!("live for number {NUMBER}")));
    assert!(machine.does(&["status", "clerk"]).contains(&format!("live for number {NUMBER}")));
    let json = parsed(&machine.does(&["activate", "clerk", "--number", NUMBER, "--json"]));
    assert_eq!(json["whatsAppNumberId"], json!(client.number_id));
    machine.write("clerk.wasm", altered(guest("clerk"), "you said", "you sent"));
    machine.does(&["push", "clerk.wasm"]);
    machine.does(&["activate", "clerk", "--number", NUMBER]);
    let back = machine.does(&["rollback", "clerk", "--number", NUMBER, "--dry-run"]);
    assert!(back.contains(&format!("of number {NUMBER}")), "{back}");
    let events = machine.does(&["events", "clerk"]);
    assert!(events.contains(&format!("live for number {NUMBER}")), "{events}");
    assert!(!events.contains(&client.number_id), "{events}");
    let elsewhere = machine.fails(&["rollback", "clerk"]);
    assert!(!elsewhere.contains(&client.number_id), "{elsewhere}");
}

#[tokio::test]
async fn plugins_are_shown_to_people_and_to_scripts() {
    let (_patchbay, _client, machine) = with_clerk().await;
    let listed = machine.does(&["list"]);
    let own = listed.lines().find(|line| line.starts_with("clerk ")).unwrap();
    assert!(own.contains("chatbot") && own.contains("version 1 live for all numbers"), "{own}");
    assert!(listed.contains("default-chatbot"), "{listed}");
    let listed = parsed(&machine.does(&["list", "--json"]));
    assert!(listed.as_array().unwrap().iter().any(|plugin| plugin["name"] == "clerk"), "{listed}");

    let status = machine.does(&["status", "clerk"]);
    for words in ["clerk: chatbot, uploaded", "active: version 1 live for all numbers", "configuration: {\"shop\":7}"] {
        assert!(status.contains(words), "{words}\n{status}");
    }
    assert_eq!(parsed(&machine.does(&["status", "clerk", "--json"]))["totalVersions"], 1);
    assert!(machine.fails(&["status", "stranger"]).contains("patchbay plugin push"));

    let events = machine.does(&["events", "clerk"]);
    assert!(events.contains("ACTIVATED") && events.contains("UPLOADED"), "{events}");
    let latest = parsed(&machine.does(&["events", "clerk", "--limit", "1", "--json"]));
    assert_eq!((latest.as_array().unwrap().len(), &latest[0]["kind"]), (1, &json!("ACTIVATED")));
    assert!(machine.does(&["differences", "clerk"]).contains("no shadow answered differently"));
}

#[tokio::test]
async fn a_number_is_named_by_its_digits() {
    let (_patchbay, client, machine) = office().await;
    machine.write("clerk.wasm", guest("clerk"));
    machine.does(&["push", "clerk.wasm"]);
    let active = parsed(&machine.does(&["activate", "clerk", "--number", "+27 11 000 0001", "--json"]));
    assert_eq!(client.in_force("clerk").await[0]["whatsAppNumberId"], active["whatsAppNumberId"]);
    assert!(active["whatsAppNumberId"].is_string(), "{active}");
    let unknown = machine.fails(&["activate", "clerk", "--number", "27119999999"]);
    assert!(unknown.contains("is not one of your numbers; there are: 27110000001"), "{unknown}");
    machine.does(&["deactivate", "clerk", "--number", NUMBER]);
    assert!(client.in_force("clerk").await.is_empty());
}

#[tokio::test]
async fn a_new_version_is_offered_for_the_places_where_the_plugin_is_live() {
    let (_patchbay, _client, machine) = office().await;
    machine.write("clerk.wasm", guest("clerk"));
    let first = machine.does(&["push", "clerk.wasm"]);
    assert!(first.contains("patchbay plugin activate clerk --version 1 --number NUMBER\n"), "{first}");
    machine.does(&["activate", "clerk", "--number", NUMBER]);
    machine.write("clerk.wasm", altered(guest("clerk"), "you said", "you sent"));

    let second = machine.does(&["push", "clerk.wasm"]);

    let command = format!("Activate it: patchbay plugin activate clerk --version 2 --number {NUMBER}\n");
    assert!(second.ends_with(&command), "{second}");
}

#[tokio::test]
async fn a_deactivation_for_a_number_names_the_plugin_that_is_live_there_then() {
    let (_patchbay, _client, machine) = with_clerk().await;
    machine.write("other.wasm", altered(guest("clerk"), "you said: ", "you wrote:"));
    machine.does(&["push", "other.wasm"]);
    machine.does(&["activate", "other", "--number", NUMBER]);

    let ended = machine.does(&["deactivate", "other", "--number", NUMBER]);

    assert_eq!(ended, format!("other is no longer active for number {NUMBER}; clerk is live there now\n"));
    assert_eq!(machine.does(&["deactivate", "clerk"]), "clerk is no longer active for all numbers\n");
}

#[tokio::test]
async fn an_activation_over_another_bot_names_it() {
    let (_patchbay, _client, machine) = with_clerk().await;
    machine.write("other.wasm", altered(guest("clerk"), "you said: ", "you wrote:"));
    machine.does(&["push", "other.wasm"]);
    let active = machine.does(&["activate", "other"]);
    assert!(active.contains("other version 1 is live") && active.contains("in place of clerk version 1"), "{active}");
    let again = machine.does(&["activate", "other"]);
    assert!(!again.contains("in place of"), "{again}");
}

#[tokio::test]
async fn an_activation_names_its_hosts_and_a_dry_run_changes_nothing() {
    let (_patchbay, client, machine) = with_clerk().await;
    let before = client.in_force("clerk").await;
    let shown = machine.does(&["activate", "clerk", "--allow-host", "api.example.org", "--dry-run"]);
    assert!(shown.starts_with("This would be the result:\nclerk version 1 is live"), "{shown}");
    assert!(shown.contains("hosts that it may call by HTTP: api.example.org"), "{shown}");
    assert_eq!(client.in_force("clerk").await, before);
    let active = machine.does(&["activate", "clerk"]);
    assert!(active.contains("hosts that it may call by HTTP: none"), "{active}");
}

#[tokio::test]
async fn an_activation_warns_of_an_address_that_the_plugin_may_not_call() {
    let (_patchbay, _client, machine) = with_clerk().await;
    let config = "{\"orders\": \"http://127.0.0.1:18310/v1\"}";

    let shown = machine.does(&["activate", "clerk", "--config", config, "--dry-run"]);
    assert!(shown.contains("\nWarning: the configuration names 127.0.0.1:18310, "), "{shown}");
    let allowed = ["activate", "clerk", "--config", config, "--allow-host", "127.0.0.1:18310"];
    let active = machine.does(&allowed);
    assert!(!active.contains("Warning"), "{active}");
}

#[tokio::test]
async fn the_values_of_a_plugin_are_listed_by_customer() {
    let (patchbay, client, machine) = with_clerk().await;
    let phone = patchbay.phone("27820000041");
    phone.write(NUMBER, "count").await;
    phone.receives("the count", |message| message["text"] == "count 1").await;
    let call = client.keeps("clerk", "invocations", |call| call["event"] == "message").await;
    let participant = call["subjectId"].as_str().unwrap();

    assert_eq!(machine.does(&["kv", "clerk", "--participant", participant]), "count = 1\n");
    let listed = parsed(&machine.does(&["kv", "clerk", "--participant", participant, "--json"]));
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["value"]), (1, &json!("1")));
    assert!(machine.does(&["kv", "clerk"]).contains("with --participant ID"));
    assert!(machine.fails(&["kv", "clerk", "--participant", "27820000041"]).contains("is not the id of a participant"));
}

#[tokio::test]
async fn an_activation_warns_of_a_trial_that_goes_on_and_of_one_that_tries_nothing() {
    let (_patchbay, _client, machine) = with_clerk().await;
    let useless = machine.does(&["activate", "clerk", "--version", "1", "--mode", "shadow"]);
    assert!(useless.contains("Warning: version 1 is live there already: name the version"), "{useless}");
    machine.does(&["rollback", "clerk"]);
    for (said, name) in [("you wrote:", "second.wasm"), ("you noted:", "third.wasm")] {
        machine.write(name, altered(guest("clerk"), "you said: ", said));
        machine.does(&["push", name, "--name", "clerk"]);
    }
    let tried = machine.does(&["activate", "clerk", "--version", "2", "--mode", "shadow"]);
    assert!(!tried.contains("Warning"), "{tried}");

    let live = machine.does(&["activate", "clerk", "--version", "3"]);

    assert!(live.contains("Warning: version 2 stays a shadow there; `patchbay plugin rollback clerk`"), "{live}");
    let promoted = machine.does(&["activate", "clerk", "--version", "2"]);
    assert!(!promoted.contains("Warning"), "{promoted}");
}

#[tokio::test]
async fn a_list_ends_silently_if_its_reader_has_gone() {
    let (_patchbay, _client, machine) = with_clerk().await;
    let mut command = machine.command(&["list"]);
    let mut listing = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(listing.stdout.take());

    let ended = listing.wait_with_output().unwrap();

    assert_eq!((ended.status.code(), String::from_utf8(ended.stderr).unwrap().as_str()), (Some(0), ""));
}

#[tokio::test]
async fn a_rollback_names_version_configuration_and_hosts_before_and_after() {
    let (_patchbay, client, machine) = with_clerk().await;
    machine.write("other.wasm", altered(guest("clerk"), "you said: ", "you wrote:"));
    machine.does(&["push", "other.wasm", "--name", "clerk"]);
    machine.does(&["activate", "clerk", "--config", "{\"shop\": 8}", "--allow-host", "api.example.org"]);

    let preview = machine.does(&["rollback", "clerk", "--dry-run"]);
    assert!(preview.starts_with("This would be the change:\nbefore: clerk version 2 is live"), "{preview}");
    assert_eq!(client.in_force("clerk").await[0]["version"], 2, "a preview changes nothing");
    let back = machine.does(&["rollback", "clerk"]);
    for words in [
        "before: clerk version 2 is live as chatbot of all numbers",
        "after:  clerk version 1 is live as chatbot of all numbers",
        "version:        2 -> 1",
        "configuration:  {\"shop\":8} -> {\"shop\":7}",
        "hosts:          api.example.org -> none",
    ] {
        assert!(back.contains(words), "{words}\n{back}");
    }

    let to = parsed(&machine.does(&["rollback", "clerk", "--to", "2", "--json"]));
    assert_eq!((&to["version"], &to["config"]["shop"], &to["before"]["version"]), (&json!(2), &json!(8), &json!(1)));
    assert!(machine.fails(&["rollback", "clerk", "--to", "2"]).contains("is live there already"));
    let unknown = machine.fails(&["rollback", "clerk", "--to", "9"]);
    assert!(unknown.contains("  - --to: ") && unknown.contains("`clerk` has versions 1 to 2"), "{unknown}");
}

#[tokio::test]
async fn a_rollback_of_a_trial_says_that_the_live_version_stays() {
    let (_patchbay, client, machine) = with_clerk().await;
    machine.write("other.wasm", altered(guest("clerk"), "you said: ", "you wrote:"));
    machine.does(&["push", "other.wasm", "--name", "clerk"]);
    machine.does(&["activate", "clerk", "--mode", "shadow"]);

    let preview = machine.does(&["rollback", "clerk", "--dry-run"]);
    assert_eq!(preview, "This would be the change:\nends the shadow of version 2; version 1 stays live\n");
    let ended = machine.does(&["rollback", "clerk"]);
    assert_eq!(ended, "ends the shadow of version 2; version 1 stays live\n");
    assert_eq!(client.in_force("clerk").await.len(), 1);
}

#[tokio::test]
async fn a_rollback_to_a_version_that_was_not_live_names_the_cure() {
    let (_patchbay, _client, machine) = with_clerk().await;
    machine.write("other.wasm", altered(guest("clerk"), "you said: ", "you wrote:"));
    machine.does(&["push", "other.wasm", "--name", "clerk"]);
    let unknown = machine.fails(&["rollback", "clerk", "--to", "2"]);
    assert!(unknown.contains("version 2 of `clerk` was not live there lately: activate it"), "{unknown}");
}

#[tokio::test]
async fn logs_are_filtered_and_show_the_result_for_the_chat() {
    let (patchbay, client, machine) = with_clerk().await;
    let (one, other) = (patchbay.phone("27820000011"), patchbay.phone("27820000012"));
    one.write(NUMBER, "say one").await;
    one.receives("an answer", |message| message["text"] == "one").await;
    other.write(NUMBER, "total-and-fail").await;
    let failed = client.keeps("clerk", "invocations", |call| call["outcome"] == "refused").await;
    assert_eq!(failed["event"], "message");
    assert!(failed["consequence"].as_str().unwrap().starts_with("handed to people because the chatbot failed"));

    let logs = machine.does(&["logs", "clerk", "--outcome", "refused"]);
    assert!(logs.contains("-> handed to people because the chatbot failed") && logs.contains(" ms  "), "{logs}");
    let started = machine.does(&["logs", "clerk", "--event", "conversation-started"]);
    assert_eq!(started.lines().count(), 2, "{started}");
    assert!(started.lines().all(|line| line.contains("  conversation-started  ")), "{started}");
    let participant = failed["subjectId"].as_str().unwrap();
    let of_other = machine.does(&["logs", "clerk", "--participant", participant, "--json"]);
    let calls: Vec<Value> = of_other.lines().map(parsed_line).collect();
    assert_eq!(calls.len(), 2, "{of_other}");
    assert!(calls.iter().all(|call| call["subjectId"] == participant && call["peakMemoryBytes"].as_u64() > Some(0)));
    assert!(machine.fails(&["logs", "clerk", "--event", "sneeze"]).contains("event: must be one of message"));
}

/// One line of JSON Lines, which `logs --json` prints.
fn parsed_line(line: &str) -> Value {
    parsed(line)
}

#[tokio::test]
async fn a_trial_call_shows_its_answer_and_its_cost() {
    let (_patchbay, _client, machine) = with_clerk().await;
    let answer = machine.does(&["invoke", "clerk", "say hello"]);
    assert!(answer.contains("\"hello\"") && answer.contains("of processor time"), "{answer}");
    let event = json!({"type": "timer", "name": "tea"}).to_string();
    let answer = parsed(&machine.does(&["invoke", "clerk", "--event", &event, "--json"]));
    assert_eq!(answer["actions"][0]["text"], "time for tea");
    assert!(answer["processorMicros"].as_u64() > Some(0), "{answer}");
    let failed = machine.types(&["invoke", "clerk", "total-and-fail"]);
    assert_eq!(failed.status, 1, "{}", failed.out);
    assert!(failed.out.contains("refused: ") && failed.err.contains("the call failed"), "{}", failed.out);
}

#[tokio::test]
async fn a_recording_is_begun_and_ended_and_a_plugin_is_deleted() {
    let (_patchbay, client, machine) = with_clerk().await;
    let begun = machine.does(&["record", "clerk", "--max-calls", "5", "--for", "1h"]);
    assert!(begun.starts_with("clerk is recorded: 100 % of the calls, up to 5 and until "), "{begun}");
    assert!(machine.does(&["status", "clerk"]).contains("recording: 100 % of the calls"));
    machine.does(&["record", "clerk", "--stop"]);
    assert!(client.in_force("clerk").await[0]["recording"].is_null());
    assert!(machine.fails(&["record", "clerk", "--for", "soon"]).contains("`soon` is not a duration"));

    assert!(machine.fails(&["delete", "clerk"]).contains("deactivate it first"));
    machine.does(&["deactivate", "clerk"]);
    assert_eq!(machine.does(&["delete", "clerk"]), "clerk is deleted with all its versions\n");
    assert!(machine.fails(&["delete", "clerk"]).contains("there is no plugin `clerk`"));
}

#[tokio::test]
async fn a_stored_version_is_compared_with_its_upload() {
    let (patchbay, _client, machine) = with_clerk().await;
    let verified = machine.does(&["verify", "clerk", "--file", "clerk.wasm"]);
    assert!(verified.contains("is the one that was uploaded") && verified.contains("has the same bytes"), "{verified}");
    machine.write("other.wasm", altered(guest("clerk"), "you said: ", "you wrote:"));
    let other = machine.types(&["verify", "clerk", "--version", "1", "--file", "other.wasm"]);
    assert!(other.status == 1 && other.err.contains("so it is not version 1"), "{}", other.err);
    assert!(machine.fails(&["verify", "default-chatbot"]).contains("was not uploaded by you"));

    let changed = "UPDATE plugin_component SET bytes = set_byte(bytes, 20, get_byte(bytes, 20) # 1)";
    sqlx::query(changed).execute(&mut patchbay.database().await).await.unwrap();
    let changed = machine.types(&["verify", "clerk", "--json"]);
    let found = parsed(&changed.out);
    assert_eq!((changed.status, &found["intact"]), (1, &json!(false)), "{found}");
    assert_ne!(found["sha256"], found["storedSha256"]);
    assert!(found["problems"][0].as_str().unwrap().contains("the stored component has SHA-256"), "{found}");
}

#[tokio::test]
async fn a_saved_component_answers_on_the_development_number_and_the_chat_is_shown() {
    let (patchbay, _client, machine) = office().await;
    machine.write("clerk.wasm", guest("clerk"));
    let mut command = machine.command(&["dev", "clerk.wasm", "--number", NUMBER]);
    let mut session = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(session.stdout.take().unwrap()).lines();
    let mut until = |words: &str| {
        lines.by_ref().map(|line| line.unwrap()).find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}"))
    };
    until("clerk version 1 is live as chatbot of number ");
    let phone = patchbay.phone("27820000021");
    phone.write(NUMBER, "say hello there").await;
    until("customer: say hello there");
    until("bot: hello there");
    until("[v1 answered, ");

    machine.write(".next", altered(guest("clerk"), "time for ", "now it's "));
    std::fs::rename(machine.path(".next"), machine.path("clerk.wasm")).unwrap();
    until("clerk version 2 is live as chatbot of number ");
    until(" s after the change");
    phone.write(NUMBER, "say again").await;
    until("bot: again");
    until("[v2 answered, ");

    let id = rustix::process::Pid::from_raw(i32::try_from(session.id()).unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    until("the last version stays active");
    assert!(session.wait().unwrap().success());
}

#[tokio::test]
async fn a_recorded_chat_becomes_a_test_without_personal_data() {
    let (patchbay, client, machine) = with_clerk().await;
    machine.does(&["record", "clerk"]);
    let phone = patchbay.phone("27820000031");
    phone.set(json!({ "name": "Wilhelmina Duck" })).await;
    for (text, answer) in [
        ("say my number is 27820000031", "my number is 27820000031"),
        ("remember tea", "noted"),
        ("count", "count 1"),
        ("say Wilhelmina, hello@duck.example", "Wilhelmina, hello@duck.example"),
        ("person", "one moment"),
    ] {
        phone.write(NUMBER, text).await;
        phone.receives(text, |message| message["text"] == answer).await;
    }
    let call = client.keeps("clerk", "invocations", |call| call["event"] == "message").await;

    let made = machine.does(&["test", "--name", "clerk", "--from-recording", call["id"].as_str().unwrap()]);
    assert!(made.contains("with a conversation of 6 recorded calls"), "{made}");
    let file = made.strip_prefix("made ").unwrap().split(" with ").next().unwrap().to_owned();
    let text = std::fs::read_to_string(machine.path(&file)).unwrap();
    for personal in ["27820000031", "Wilhelmina", "Duck", "duck.example"] {
        assert!(!text.contains(personal), "{personal}\n{text}");
    }
    assert!(text.contains("handed over") && text.contains("state: \"tea\""), "{text}");
    let tested = machine.does(&["test", &file, "--component", "clerk.wasm"]);
    assert!(tested.contains("1 passed, 0 failed"), "{tested}\n{text}");
    let again = machine.fails(&["test", "--name", "clerk", "--from-recording", call["id"].as_str().unwrap()]);
    assert!(again.contains("exists; move it away"), "{again}");
    let unknown = machine.fails(&["test", "--name", "clerk", "--from-recording", "0199"]);
    assert!(unknown.contains("`patchbay plugin record`"), "{unknown}");
}

#[tokio::test]
async fn recorded_calls_with_a_failure_become_cases() {
    let (patchbay, client, machine) = with_clerk().await;
    machine.does(&["record", "clerk"]);
    let phone = patchbay.phone("27820000032");
    phone.write(NUMBER, "say hello").await;
    phone.receives("the answer", |message| message["text"] == "hello").await;
    phone.write(NUMBER, "total-and-fail").await;
    let call = client.keeps("clerk", "invocations", |call| call["outcome"] == "refused").await;
    let made = machine.does(&["test", "--name", "clerk", "--from-recording", call["subjectId"].as_str().unwrap()]);
    assert!(made.contains("with cases of 3 recorded calls"), "{made}");
    let file = made.strip_prefix("made ").unwrap().split(" with ").next().unwrap().to_owned();
    let tested = machine.does(&["test", &file, "--component", "clerk.wasm"]);
    assert!(tested.contains("3 passed, 0 failed"), "{tested}");

    let text = std::fs::read_to_string(machine.path(&file)).unwrap();
    let window = text.split("\"windowEndsMs\":").nth(1).unwrap().split([',', '}']).next().unwrap();
    assert!(window.parse::<i64>().unwrap() < 2_000_000_000_000, "moments are no phone numbers: {window}");
}

/// Records a chat whose bot starts a request, from its start or from the request on. Returns the output for the test
/// that is made of it, its text, and the output of that test.
async fn record_a_started_request(from_its_start: bool) -> [String; 3] {
    let (patchbay, client, machine) = office().await;
    let sink = WebhookSink::start().await;
    let url = sink.url("orders");
    let host = url.trim_start_matches("http://").split('/').next().unwrap();
    machine.write("errands.wasm", guest("errand-bot"));
    machine.does(&["push", "errands.wasm"]);
    machine.does(&["activate", "errands", "--allow-host", host]);
    let phone = patchbay.phone("27820000033");
    if !from_its_start {
        phone.write(NUMBER, "trace").await;
        phone.receives("no values", |message| message["text"] == "None None").await;
    }
    machine.does(&["record", "errands"]);
    phone.write(NUMBER, &format!("start {url}")).await;
    phone.receives("the answer", |message| message["text"].as_str().is_some_and(|text| text.starts_with("200"))).await;
    let call = client.keeps("errands", "invocations", |call| call["event"] == "http-finished").await;

    let made = machine.does(&["test", "--name", "errands", "--from-recording", call["id"].as_str().unwrap()]);
    let file = made.strip_prefix("made ").unwrap().split(" with ").next().unwrap().to_owned();
    let text = std::fs::read_to_string(machine.path(&file)).unwrap();
    let tested = machine.does(&["test", &file, "--component", "errands.wasm"]);
    [made, text, tested]
}

#[tokio::test]
async fn a_recorded_chat_with_a_started_request_becomes_a_conversation() {
    let [made, text, tested] = record_a_started_request(true).await;
    assert!(made.contains("with a conversation of 3 recorded calls"), "{made}");
    assert!(text.contains("\"after\":") && !text.contains("state:"), "{text}");
    assert!(tested.contains("1 passed, 0 failed"), "{tested}\n{text}");
}

#[tokio::test]
async fn cases_of_started_requests_keep_the_ids_of_their_jobs() {
    let [made, text, tested] = record_a_started_request(false).await;
    assert!(made.contains("with cases of 2 recorded calls"), "{made}");
    assert!(tested.contains("2 passed, 0 failed"), "{tested}\n{text}");
}
