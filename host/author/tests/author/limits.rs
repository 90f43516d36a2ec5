//! Limits of a chat that a local conversation has as a server has them.

use crate::support::passes;

#[tokio::test]
async fn a_tag_beyond_64_is_left_out_with_a_line_in_the_log() {
    let names = |last: u32| (1..=last).map(|number| format!("t{number}")).collect::<Vec<_>>();
    let steps: Vec<String> = names(64).iter().map(|name| format!("  - customer: tag {name}\n")).collect();
    let (steps, kept) = (steps.concat(), names(63).join(", "));
    let yaml = format!(
        "
steps:
{steps}
  - customer: tag beyond
  - log: 'a tag was left out: a chat has at most 64 tags'
  - customer: untag t64
  - customer: tag last
  - tagged: [{kept}, last]
"
    );
    passes("errand-bot", &yaml).await;
}

#[tokio::test]
async fn a_started_request_beyond_16_open_ones_of_the_chat_fails_at_once() {
    let steps = "  - customer: start https://ai.example/chat\n".repeat(16);
    let yaml = format!(
        "
http: [{{request: POST https://ai.example/chat, body: hello, after: 40s, expect: 16}}]
steps:
{steps}
  - bot: nothing
  - customer: start https://ai.example/chat
  - bot: 'http-failed: 16 requests of this chat have not ended'
"
    );
    passes("errand-bot", &yaml).await;
}
