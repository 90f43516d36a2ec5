//! Tests with one question each, for the other worlds.

use crate::support::{fails, passes, refused};

#[tokio::test]
async fn a_fallback_plugin_is_asked_and_its_decision_compared() {
    passes(
        "picky-fallback",
        "
cases:
  - name: sends
    given: {requested: {sendFallback: true, text: hello}, errorCode: '131026', sender: '27110000000'}
    expect: {type: send, text: 'hello (from 27110000000, code 131026)', sender: SHOP}
  - name: skips
    given: {requested: {text: keep quiet}}
    expect: {type: skip}
  - name: remembers
    given: {requested: {text: only once}, recipient: '27820000001'}
    expect: {type: send}
    stores: {participant: {sent: '27820000001'}}
  - name: reminds itself
    kv: {participant: {sent: '27820000001'}}
    given: {requested: {text: only once}}
    expect: {type: skip, reason: this customer has had one}
  - name: fails
    given: {requested: {text: trap}}
    fails: crashed
",
    )
    .await;
}

#[tokio::test]
async fn a_shaper_is_asked_for_bodies() {
    passes(
        "stamping-shaper",
        "
cases:
  - {name: words, given: {type: incoming, text: hi}, expect: {stampedBy: stamping-shaper, words: hi}}
  - {name: none, given: {type: incoming, text: nothing}, expect: nothing}
  - {name: state, given: {type: status, status: DELIVERED}, expect: {state: DELIVERED}}
  - {name: channel, given: {type: incoming, text: hi, channel: messenger}, expect: {channel: MESSENGER}}
  - {name: later, given: {type: other, name: call-ended, payload: {a: 1}}, expect: {words: call-ended, details: {a: 1}}}
  - {name: unchanged, given: {type: incoming, text: unchanged}, expect: unchanged}
  - {name: custom, given: {type: incoming, text: custom}, expect: {type: custom}}
",
    )
    .await;
}

#[tokio::test]
async fn a_router_is_asked_on_the_clock_of_the_test_and_its_values_are_kept() {
    passes(
        "usher",
        "
now: 2026-01-10T23:30:00Z
time zone: +02:00
cases:
  - name: team
    given: {message: {content: {type: text, text: team Sales}}}
    expect: {target: {type: team, name: Sales}, note: is in a hurry}
  - name: sunday
    given: {message: {content: {type: text, text: facts}}, tags: [gold]}
    expect: {target: {type: queue}, reason: 'bot None, reopened false, team None, weekday 7, tags gold'}
  - name: counts
    kv: {participant: {count: 2}}
    given: {message: {content: {type: text, text: count}}}
    expect: {reason: conversation 3}
    stores: {participant: {count: 3}}
  - name: refuses
    given: {message: {content: {type: text, text: refuse}}}
    fails: no-luck
",
    )
    .await;
}

#[tokio::test]
async fn a_chatbot_can_be_asked_one_question() {
    passes(
        "clerk",
        "
cases:
  - name: recalls
    session: {state: tea}
    given: {type: message, text: recall}
    expect: [{type: reply-text, text: 'you said: tea'}]
",
    )
    .await;
}

#[tokio::test]
async fn another_answer_is_shown_by_its_place() {
    let file = "
cases:
  - name: team
    given: {message: {content: {type: text, text: team Sales}}}
    expect: {target: {type: team, name: Support}}
";
    let printed = fails("usher", file).await;
    assert!(printed.starts_with("FAIL  t: team\n      t.yaml:5: expect: {"), "{printed}");
    assert!(
        printed.contains("at target.name:\n          expected: [-Support-]\n          got:      {+Sales+}"),
        "{printed}"
    );
    let body = "cases: [{given: {type: incoming, text: hi}, expect: nothing}]";
    assert!(fails("stamping-shaper", body).await.contains("expected: nothing\n        got:      {\"stampedBy\""));
    let failing = "cases: [{given: {requested: {text: trap}}, expect: {type: skip}}]";
    assert!(fails("picky-fallback", failing).await.contains("the call failed: the plugin crashed"));
}

#[tokio::test]
async fn a_question_that_cannot_be_asked_is_refused_with_its_line() {
    let wrong_field = "cases:\n  - given: {messag: 1}\n    expect: nothing\n";
    let printed = fails("usher", wrong_field).await;
    assert!(printed.contains("t.yaml:2: given") && printed.contains("messag"), "{printed}");
    let steps = refused("usher", "steps: [{customer: hi}]").await;
    assert!(steps.contains("`steps` are for chatbots; this plugin is a router: give it `cases`"), "{steps}");
    assert!(refused("usher", "cases: [{given: {}}]").await.contains("a case needs `expect` or `fails`"));
}
