//! The output for a failing test.

use crate::support::fails;

#[tokio::test]
async fn another_text_is_shown_with_the_words_that_differ_and_the_conversation_so_far() {
    let printed = fails(
        "clerk",
        "name: tea
steps:
  - customer: say one
  - bot: one
  - customer: say your order is delivered
  - bot: your order is on its way
",
    )
    .await;
    assert_eq!(
        printed,
        "FAIL  tea
      t.yaml:6: bot: your order is on its way
        expected: your order is [-on its way-]
        got:      your order is {+delivered+}
      so far:
        customer: say one
        bot: one
        customer: say your order is delivered
        bot: your order is delivered"
    );
}

#[tokio::test]
async fn a_superfluous_message_fails_at_the_step_before_the_next_input() {
    let printed =
        fails("clerk", "steps:\n  - customer: twice x\n  - bot: x 1\n  - customer: say y\n  - bot: y\n").await;
    assert!(printed.contains("t.yaml:3: bot: x 1"), "{printed}");
    assert!(printed.contains("the bot said more than the test names:\n          bot: x 2"), "{printed}");
    let at_the_end = fails("clerk", "steps:\n  - customer: twice x\n  - bot: x 1\n").await;
    assert!(at_the_end.contains("the bot said more"), "{at_the_end}");
}

#[tokio::test]
async fn a_missing_reply_is_explained() {
    let printed = fails("clerk", "steps:\n  - customer: hm\n  - bot: hello\n").await;
    assert!(printed.contains("expected: hello\n        got:      nothing"), "{printed}");
    let handed = "steps:\n  - customer: person\n  - bot: one moment\n  - customer: say x\n  - bot: x\n";
    let printed = fails("clerk", handed).await;
    assert!(printed.contains("got:      nothing; people have the conversation (wants a person)"), "{printed}");
    let wanted_silence = fails("clerk", "steps:\n  - customer: say x\n  - bot: nothing\n").await;
    assert!(wanted_silence.contains("expected: no further message\n        got:      x"), "{wanted_silence}");
}

#[tokio::test]
async fn buttons_are_compared_in_order_with_their_ids_where_they_are_named() {
    let titles = fails("clerk", "steps:\n  - customer: buttons\n  - bot: {buttons: ['No', 'Yes']}\n").await;
    assert!(titles.contains("expected: No | Yes\n          got:      Yes | No (kind `buttons`)"), "{titles}");
    let ids =
        fails("clerk", "steps:\n  - customer: buttons\n  - bot: {buttons: [{id: y, title: 'Yes'}, 'No']}\n").await;
    assert!(ids.contains("expected: Yes [y] | No\n          got:      Yes [yes-id] | No [no-id]"), "{ids}");
    let none = fails("clerk", "steps:\n  - customer: say x\n  - bot: {buttons: ['Yes']}\n").await;
    assert!(none.contains("got:      none; the message is of kind `text`"), "{none}");
}

#[tokio::test]
async fn a_tap_on_a_missing_button_lists_the_existing_ones() {
    let printed =
        fails("clerk", "steps:\n  - customer: buttons\n  - bot: anything\n  - customer: {tap: Perhaps}\n").await;
    assert!(printed.contains("there is no `Perhaps` to tap; there is: Yes | No"), "{printed}");
    let nothing = fails("clerk", "steps:\n  - customer: {tap: 'Yes'}\n").await;
    assert!(nothing.contains("there is nothing to tap"), "{nothing}");
}

#[tokio::test]
async fn a_difference_in_state_values_timers_or_tags_shows_the_actual_ones() {
    for (steps, shown) in [
        ("{customer: remember a b}, {bot: noted}, {state: a c}", "expected: a [-c-]\n        got:      a {+b+}"),
        ("{customer: remember x}, {bot: noted}, {state: {step: 1}}", "got:      x (which is not JSON)"),
        (
            "{customer: 'remember {\"step\": 1}'}, {bot: noted}, {state: {step: 2}}",
            "at step:\n          expected: 2\n          got:      1",
        ),
        ("{customer: count}, {bot: count 1}, {kv: {participant: {count: 2}}}", "at kv.participant.count:"),
        ("{customer: count}, {bot: count 1}, {kv: {client: {count: 1}}}", "expected 1, but nothing is stored"),
        ("{customer: count}, {bot: count 1}, {kv: {participant: {count: null}}}", "expected nothing, got 1"),
        (
            "{customer: remind tea 60}, {bot: anything}, {timers: {tea: 2m}}",
            "expected: tea in 2m\n        got:      tea in 1m",
        ),
        ("{customer: say x}, {bot: x}, {tagged: vip}", "expected: vip\n        got:      no tags"),
        ("{customer: say x}, {bot: x}, {closed: true}", "got:      the bot has the conversation"),
        ("{customer: say x}, {bot: x}, {handed over: true}", "expected: the bot hands over"),
        ("{customer: person}, {bot: anything}, {handed over: Sales}", "{+no team or agent+}"),
        ("{customer: say x}, {bot: x}, {rating asked: true}", "expected: the bot asks for a rating"),
        ("{customer: person}, {bot: anything}, {handed over: false}", "expected: the bot does not hand over"),
        ("{customer: bye}, {bot: anything}, {closed: false}", "expected: not that the bot closes the conversation"),
        ("{customer: rate}, {rating asked: false}", "got:      the bot asks for a rating"),
        ("{customer: vip}, {bot: tagged}, {tagged: nothing}", "expected: no tags\n        got:      vip"),
        ("{customer: say x}, {bot: x}, {fails: bad-config}", "got:                no call failed"),
        ("{customer: say x}, {bot: x}, {log: hello}", "expected a log line with: hello"),
        ("{customer: say x}, {bot: {contains: y}}", "expected a text with: y\n        got:                  x"),
        ("{customer: say x}, {bot: {kind: image}}", "at kind:\n          expected: [-image-]"),
        ("{customer: say x}, {clock: '2020-01-01T00:00:00Z'}", "the bot said more"),
        ("{clock: '2020-01-01T00:00:00Z'}", "and cannot go back"),
    ] {
        let printed = fails("clerk", &format!("steps: [{steps}]")).await;
        assert!(printed.contains(shown), "{steps}\n{printed}");
    }
}

#[tokio::test]
async fn a_failed_call_fails_the_test_and_names_the_reaction_of_the_host() {
    let refused = fails("clerk", "steps:\n  - customer: total-and-fail\n  - bot: nothing\n").await;
    assert!(refused.contains("t.yaml:2: customer: total-and-fail"), "{refused}");
    assert!(refused.contains("`on-purpose`: nothing of this may last\n        (people take over)"), "{refused}");
    let retried = fails("clerk", "steps: [{customer: flaky}, {bot: recovered}]").await;
    assert!(retried.contains("(the host asks again in 1s)"), "{retried}");
}

#[tokio::test]
async fn the_panic_of_a_crashed_plugin_is_shown_once() {
    let printed = fails("errand-bot", "steps: [{customer: state-and-trap}]").await;
    assert!(printed.contains("the plugin crashed"), "{printed}");
    assert_eq!(printed.matches("the bot gives up on purpose").count(), 1, "{printed}");
    assert!(!printed.contains("stderr:"), "{printed}");
}
