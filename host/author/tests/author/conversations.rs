//! Conversations that pass: the rules of the server, with a virtual clock.

use crate::support::{fails, passes, play, refused};

#[tokio::test]
async fn messages_buttons_and_lists_come_back_as_choices() {
    passes(
        "clerk",
        "
steps:
  - customer: say hello
  - bot: hello
  - customer: buttons
  - bot: {text: 'Choose:', buttons: [Yes, No], kind: buttons}
  - customer: {tap: Yes}
  - bot: got choice yes-id
  - customer: list
  - bot: {contains: Choose, list: [{id: red-id, title: Red}, Blue]}
  - customer: {tap: blue-id}
  - bot: {matches: '^got choice blue-.+$'}
  - customer: quote
  - bot: {text: quoted, quotes: true}
  - customer: 007
  - bot: nothing
",
    )
    .await;
}

#[tokio::test]
async fn every_kind_of_content_reaches_the_bot() {
    passes(
        "clerk",
        "
steps:
  - customer: {location: {latitude: -33.9, longitude: 18.4}}
  - bot: got location -33.9 18.4
  - customer: {image: 'https://example.org/a.jpg', caption: look}
  - bot: {contains: [Image, jpg]}
  - customer: {reaction: 👍}
  - bot: got reaction 👍
  - customer: {contact: Thandi +27821234567}
  - bot: got contact Thandi +27821234567
  - customer: {button: Stop, payload: stop-id}
  - bot: got button stop-id
  - customer: {button: Start, payload: start-id, source: other}
  - bot: got menu start-id
  - customer: {button: Blue, payload: blue-id, source: carousel}
  - bot: got card blue-id
  - customer: {unsupported: poll}
  - bot: got other poll
",
    )
    .await;
}

#[tokio::test]
async fn the_bot_reads_the_bytes_of_a_file_of_the_customer() {
    passes(
        "clerk",
        "
steps:
  - customer: {document: orders.csv, content: '1;2', caption: read}
  - bot: 'read 3 bytes, sum 158, 1;2'
  - customer: part 1 10
  - bot: 'part of 2 bytes, \";2\"'
  - customer: part 3 10
  - bot: 'part of 0 bytes, \"\"'
  - customer: {image: a.png, content file: t.yaml, caption: read}
  - bot: {contains: ', steps:-'}
  - customer: {image: a.png, caption: read}
  - fails: file-not-found
",
    )
    .await;
}

#[tokio::test]
async fn a_file_that_the_bot_writes_is_checked_by_its_bytes() {
    passes(
        "clerk",
        "
steps:
  - customer: send-file bill.pdf
  - bot: {kind: document, name: bill.pdf, content: '%PDF-1.4 by the clerk'}
  - customer: send-files 2
  - bot: {kind: document, content: '%PDF-1.4 number 1'}
  - bot: {kind: document, content: '%PDF-1.4 number 2'}
  - customer: show attachment:1
  - fails: did not write
",
    )
    .await;
    let other = "steps: [{customer: send-file a.pdf}, {bot: {content: other}}]";
    let said = fails("clerk", other).await;
    assert!(said.contains("at content:") && said.contains("%PDF-1.4 by the clerk"), "{said}");
    let none = "steps: [{customer: say hi}, {bot: {content: other}}]";
    assert!(fails("clerk", none).await.contains("no file that the bot wrote"));
}

#[tokio::test]
async fn content_needs_a_file_and_stands_in_one_place() {
    for (given, said) in [
        ("{text: hi, content: a}", "only a file has `content`"),
        ("{image: a.png, content: a, content file: t.yaml}", "not both"),
        ("{image: a.png, content file: missing.png}", "missing.png"),
    ] {
        let fault = refused("clerk", &format!("\nsteps:\n  - customer: {given}\n")).await;
        assert!(fault.contains(said), "{given}: {fault}");
    }
}

#[tokio::test]
async fn timers_fire_in_order_when_the_clock_moves_past_them() {
    passes(
        "clerk",
        "
now: 2026-03-01T08:00:00Z
steps:
  - customer: remind tea 600
  - bot: reminder tea set
  - customer: remind egg 300
  - bot: reminder egg set
  - timers: {egg: 5m, tea: 10m}
  - clock: +4m
  - bot: nothing
  - timers: {egg: 1m, tea: 6m}
  - customer: remind egg 120
  - bot: reminder egg set
  - clock: 2026-03-01T09:00:00Z
  - bot: time for egg
  - bot: time for tea
  - timers: nothing
",
    )
    .await;
}

#[tokio::test]
async fn state_and_values_last_within_a_conversation_and_tests_are_isolated() {
    passes(
        "clerk",
        "
kv: {participant: {count: 4}}
conversations:
  - name: first
    steps:
      - customer: count
      - bot: count 5
      - customer: total
      - bot: total 1
      - kv: {participant: {count: 5}, client: {count: '1', other: null}}
      - customer: 'remember {\"step\": 2, \"more\": true}'
      - bot: noted
      - state: {step: 2}
  - name: second
    kv: {}
    session: {state: from before}
    steps:
      - customer: count
      - bot: count 1
      - customer: recall
      - bot: 'you said: from before'
      - state: from before
",
    )
    .await;
}

#[tokio::test]
async fn writes_of_a_call_that_fails_are_not_kept() {
    passes(
        "clerk",
        "
steps:
  - customer: total
  - bot: total 1
  - customer: total-and-fail
  - fails: on-purpose
  - kv: {client: {count: 1}}
",
    )
    .await;
}

#[tokio::test]
async fn a_failed_turn_is_made_again_after_one_five_and_twenty_five_seconds() {
    passes(
        "clerk",
        "
steps:
  - customer: flaky
  - fails: not yet
  - clock: +1s
  - fails: on-purpose
  - clock: +4s
  - bot: nothing
  - clock: +1s
  - fails: on-purpose
  - clock: +24s
  - bot: nothing
  - clock: +1s
  - fails: on-purpose
",
    )
    .await;
}

#[tokio::test]
async fn agents_take_over_from_a_bot_that_gives_up_and_return_the_chat() {
    passes(
        "clerk",
        "
steps:
  - customer: remind tea 60
  - bot: reminder tea set
  - customer: person
  - bot: one moment
  - handed over: {note: wants a person}
  - handed over: {team: null}
  - timers: nothing
  - customer: say are you there
  - bot: nothing
  - clock: +1h
  - bot: nothing
  - agent: releases
  - bot: back with the clerk
  - customer: say hello again
  - bot: hello again
",
    )
    .await;
}

#[tokio::test]
async fn a_closed_conversation_starts_again_with_the_next_message() {
    passes(
        "clerk",
        "
steps:
  - customer: remember something
  - bot: noted
  - customer: bye
  - bot: goodbye
  - closed: true
  - state: something
  - customer: recall
  - bot: 'you said: '
  - agent: closes
  - customer: say back
  - bot: back
",
    )
    .await;
}

#[tokio::test]
async fn the_same_file_gives_the_same_result_twice() {
    let file = "steps: [{customer: count}, {bot: count 1}]";
    let (first, _) = play("clerk", file).await.unwrap();
    let (second, _) = play("clerk", file).await.unwrap();
    // The processor time differs.
    let (first, second) = (first.join("\n"), second.join("\n"));
    assert!(first.starts_with("ok    t (2 steps, ") && second.starts_with("ok    t (2 steps, "), "{first}\n{second}");
}

#[tokio::test]
async fn files_that_are_not_written_as_they_should_are_refused_with_the_line() {
    for (file, fault) in [
        (
            "steps:\n  - costumer: hi\n",
            "line 2, column 15: `a step` has no field `costumer` (did you mean `customer`?)",
        ),
        (
            "steps:\n  - customer: hi\n    bot: hi\n",
            "a step does one thing; put `customer` and `bot` in steps of their own",
        ),
        ("steps:\n  - clock: soon\n", "line 2, column 12: `soon` does not move the clock"),
        ("now: yesterday\nsteps: []\n", "line 1, column 6: `yesterday` is not a moment"),
        ("time zone: Mars/One\nsteps: []\n", "`Mars/One` is not a time zone"),
        ("session: {customer: {nam: x}}\nsteps: []\n", "line 1, column 10: in `session`, `session.customer"),
        ("http: [{request: fetch it}]\nsteps: []\n", "`fetch it` is not a request"),
        ("http: [{request: GET https://a.example, status: 700}]\nsteps: []\n", "a number from 100 to 599"),
        ("steps:\n  - bot: {matches: '('}\n", "is not a regular expression"),
        ("steps:\n  - rating: superb\n", "a rating is poor, average or excellent"),
        ("steps:\n  - handed over: [Orders]\n", "`handed over` takes true, false"),
        ("name: x\n", "this file tests nothing"),
        ("steps: [1\n", "line "),
    ] {
        let said = refused("clerk", file).await;
        assert!(said.contains(fault), "{file}\n{said}");
    }
}

#[tokio::test]
async fn a_folder_without_tests_is_reported_and_does_not_pass() {
    let folder = tempfile::tempdir().unwrap();
    let component = crate::support::guest("clerk");
    let files = [folder.path().to_owned()];
    let error = author::conversation::run("clerk", &component, &files, None, &mut |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("there are no tests"), "{error}");
    std::fs::write(folder.path().join("a.yaml"), "steps: [{customer: say x}, {bot: x}]").unwrap();
    let none = author::conversation::run("clerk", &component, &files, Some("menu"), &mut |_| {}).await.unwrap_err();
    assert!(none.to_string().contains("whose name holds `menu`"), "{none}");
}

#[tokio::test]
async fn a_file_that_is_not_a_component_is_refused_with_the_fault() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bot.wasm");
    std::fs::write(&file, b"\0asm\x01\0\0\0").unwrap();
    let error = author::conversation::run("bot", &file, &[], None, &mut |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("core WebAssembly module"), "{error}");
}

#[tokio::test]
async fn timers_are_taken_back_and_values_end_on_the_clock_of_the_conversation() {
    passes(
        "clerk",
        "
steps:
  - customer: remind tea 60
  - bot: reminder tea set
  - customer: forget tea
  - bot: no reminder tea
  - customer: keep brief 60
  - bot: brief is kept
  - customer: keep lasting 600
  - bot: lasting is kept
  - customer: keys
  - bot: 'keys [\"brief\", \"lasting\"]'
  - clock: +61s
  - customer: keys
  - bot: 'keys [\"lasting\"]'
  - customer: vip
  - bot: tagged
  - tagged: vip
",
    )
    .await;
}

#[tokio::test]
async fn a_test_checks_that_the_bot_does_not_hand_over_close_tag_rate_or_type() {
    passes(
        "clerk",
        "
steps:
  - customer: say x
  - bot: x
  - handed over: false
  - closed: false
  - rating asked: false
  - typing: false
  - tagged: nothing
  - tagged: []
  - customer: vip
  - bot: tagged
  - tagged: vip
  - customer: person
  - bot: one moment
  - handed over: true
  - customer: anybody?
  - handed over: false
",
    )
    .await;
    let fault = refused("clerk", "steps: [{customer: say x}, {bot: x}, {closed: sometimes}]").await;
    assert!(fault.contains("`closed` takes true or false"), "{fault}");
}

#[tokio::test]
async fn the_gaps_are_the_buttons_timers_and_steps_that_no_conversation_of_the_run_reaches() {
    let yaml = "
conversations:
  - name: one
    steps:
      - customer: buttons
      - bot: anything
      - customer: {tap: Yes}
      - bot: anything
      - customer: remind tea 600
      - bot: anything
      - customer: remind walk 600000
      - bot: anything
      - clock: +10m
      - bot: anything
  - name: two
    steps:
      - customer: list
      - bot: anything
      - customer: {tap: red-id}
      - bot: anything
      - customer: {location: {latitude: -33.9, longitude: 18.4}}
      - bot: anything
";
    let (printed, summary) = play("clerk", yaml).await.unwrap();
    assert_eq!(summary.passed, 2, "{printed:?}");

    assert_eq!(
        summary.coverage.gaps(),
        [
            "buttons and list entries that no test taps: Blue [blue-id], No [no-id]",
            "timers that fire in no test: walk",
            "steps that no test has: `customer: {image: ..}`, `customer: {reaction: ..}`, `customer: {contact: ..}`, \
             `customer: {unsupported: ..}`, `rating: ..`, `agent: releases`, `event: ..`",
        ]
    );
}

#[tokio::test]
async fn a_run_of_cases_has_no_gaps() {
    let yaml = "cases: [{given: {}, expect: []}]";
    let (_, summary) = play("clerk", yaml).await.unwrap();
    assert_eq!(summary.coverage.gaps(), Vec::<String>::new());
}
