//! Requests that a chatbot starts: stored, sent outside of the turn, and answered by an event.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{chat::ParticipantState, ids::ClientId};
use plugin_host::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp};
use serde_json::json;
use storage::Queue;

use crate::stage::Stage;

const ERRANDS: &str = "errands";
const OPEN: &str = "SELECT count(*) FROM plugin_request";
/// Ends of requests that the chatbot did not get, with the reasons.
const MISSED: &str =
    "SELECT consequence FROM plugin_invocation WHERE event = 'http-finished' AND outcome = 'not-started'";

/// Answers requests in order, and keeps them.
#[derive(Default)]
struct Web {
    answers: Mutex<VecDeque<Result<HttpResponse, HttpFault>>>,
    asked: Mutex<Vec<HttpRequest>>,
}

#[async_trait]
impl OutgoingHttp for Web {
    async fn send(&self, _client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        self.asked.lock().unwrap().push(request);
        let answer = self.answers.lock().unwrap().pop_front();
        match answer {
            Some(answer) => answer,
            None => std::future::pending().await,
        }
    }
}

impl Web {
    fn answers(&self, status: u16, body: &str) {
        let answer = HttpResponse { status, headers: vec![], body: body.as_bytes().to_vec() };
        self.answers.lock().unwrap().push_back(Ok(answer));
    }

    fn keys(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let key = |request: &HttpRequest| {
            request.headers.iter().find(|(name, _)| name == "idempotency-key").map(|(_, key)| key.clone()).unwrap()
        };
        asked.iter().map(key).collect()
    }
}

async fn stage() -> (Stage, Arc<Web>) {
    let web = Arc::new(Web::default());
    let stage = Stage::with_web(Arc::clone(&web) as _).await;
    stage.activate_reaching(ERRANDS, json!({}), &["ai.example"]).await;
    (stage, web)
}

/// Events of one moment are due one after the other, a microsecond apart.
async fn settle_later(stage: &Stage) {
    for _ in 0..3 {
        stage.settle().await;
        stage.advance(TimeDelta::milliseconds(1));
    }
    stage.settle().await;
}

#[tokio::test]
async fn the_answer_to_a_started_request_comes_into_the_chat_after_earlier_events() {
    let (stage, web) = stage().await;
    stage.zo_writes("wamid.A", "start https://ai.example/chat").await;
    stage.settle().await;
    assert_eq!(stage.count(OPEN).await, 1);
    assert_eq!(stage.transcript().await, ["< start https://ai.example/chat"]);
    let sealed = "SELECT count(*) FROM plugin_request WHERE position('Bearer errand'::bytea in request_sealed) = 0";
    assert_eq!(stage.count(sealed).await, 1, "headers have secrets");

    web.answers(200, "hello");
    stage.zo_writes("wamid.B", "channel").await;
    stage.settle_callbacks_only().await;
    stage.send_requests().await;
    assert_eq!(stage.count(OPEN).await, 0);
    settle_later(&stage).await;
    let said = ["< start https://ai.example/chat", "< channel", "> Channel::Whatsapp", "> 200 hello"];
    assert_eq!(stage.transcript().await, said);
    assert_eq!(stage.chat().await.bot_state, format!("finished {}", web.keys()[0]));
    assert_eq!(stage.count("SELECT count(*) FROM participant_event").await, 0);
}

#[tokio::test]
async fn a_request_that_was_cut_off_is_sent_again_with_the_same_key() {
    let (stage, web) = stage().await;
    stage.zo_writes("wamid.A", "start https://ai.example/chat").await;
    stage.settle().await;
    stage.stop_during_a_request(|| !web.asked.lock().unwrap().is_empty()).await;
    assert_eq!(stage.count(OPEN).await, 1, "the process stopped before the answer");
    web.answers(200, "hello");
    stage.send_requests().await;
    stage.settle().await;
    assert_eq!(stage.transcript().await.last().unwrap(), "> 200 hello");
    let keys = web.keys();
    assert_eq!((keys.len(), &keys[0]), (2, &keys[1]));
}

#[tokio::test]
async fn a_request_whose_deadline_passed_while_no_process_ran_is_not_sent() {
    let (stage, web) = stage().await;
    stage.zo_writes("wamid.A", "start https://ai.example/chat").await;
    stage.settle().await;
    stage.advance(TimeDelta::seconds(91));
    stage.send_requests().await;
    stage.settle().await;
    assert!(web.keys().is_empty());
    assert_eq!(stage.transcript().await.last().unwrap(), "> http-timed-out: no response in time");
}

#[tokio::test]
async fn the_answer_is_dropped_if_people_have_the_chat() {
    let (stage, web) = stage().await;
    stage.zo_writes("wamid.A", "start https://ai.example/chat").await;
    stage.settle().await;
    web.answers(200, "hello");
    let taken = "UPDATE participant SET state = 'QUEUED', control_version = control_version + 1";
    sqlx::query(taken).execute(&stage.ctx.db).await.unwrap();
    stage.send_requests().await;
    stage.settle().await;
    assert_eq!(stage.transcript().await.len(), 1);
    assert_eq!((stage.chat().await.state, stage.count(OPEN).await), (ParticipantState::Queued, 0));
}

#[tokio::test]
async fn the_answer_is_dropped_if_another_chatbot_has_the_number() {
    let (stage, web) = stage().await;
    stage.zo_writes("wamid.A", "start https://ai.example/chat").await;
    stage.settle().await;
    let calls = stage.outcomes().await.len();
    stage.activate("puppet", json!({})).await;
    web.answers(200, "hello");
    stage.send_requests().await;

    stage.settle().await;

    assert_eq!(stage.texts(MISSED).await.len(), 1);
    assert_eq!(stage.outcomes().await.len(), calls + 1, "the other chatbot is not called");
    assert_eq!(stage.count("SELECT count(*) FROM participant_event").await, 0);
}

#[tokio::test]
async fn requests_beyond_the_limit_of_a_chat_fail_at_once() {
    let (stage, web) = stage().await;
    for number in 0..17 {
        stage.zo_writes(&format!("wamid.{number}"), "start https://ai.example/chat").await;
    }
    settle_later(&stage).await;
    assert_eq!(stage.count(OPEN).await, 16);
    assert_eq!(stage.transcript().await.last().unwrap(), "> http-failed: 16 requests of this chat have not ended");
    assert!(web.keys().is_empty());
}

#[tokio::test]
async fn a_request_is_sent_although_the_same_answer_closes_or_hands_over_the_chat() {
    let ends = [("start-and-close", ParticipantState::Closed), ("start-and-hand-over", ParticipantState::Queued)];
    for (deed, state) in ends {
        let (stage, web) = stage().await;
        stage.zo_writes("wamid.A", &format!("{deed} https://ai.example/chat")).await;
        stage.settle().await;
        assert_eq!((stage.chat().await.state, stage.count(OPEN).await), (state, 1), "{deed}");
        web.answers(200, "hello");
        stage.send_requests().await;
        stage.settle().await;
        assert_eq!((web.keys().len(), stage.count(OPEN).await), (1, 0), "{deed}");
        assert_eq!(stage.transcript().await.len(), 1, "{deed}: the chatbot does not get the response");
        let missed = stage.texts(MISSED).await;
        assert!(matches!(missed.as_slice(), [only] if only.contains("the chat has changed hands since")), "{missed:?}");
    }
}

#[tokio::test]
async fn the_end_of_a_request_does_not_come_into_the_next_conversation() {
    let (stage, web) = stage().await;
    stage.zo_writes("wamid.A", "start-and-close https://ai.example/chat").await;
    stage.zo_writes("wamid.B", "channel").await;
    settle_later(&stage).await;
    assert_eq!((stage.chat().await.state, stage.count(OPEN).await), (ParticipantState::Bot, 1));
    web.answers(200, "hello");
    stage.send_requests().await;
    settle_later(&stage).await;
    assert_eq!(web.keys().len(), 1);
    let said = ["< start-and-close https://ai.example/chat", "< channel", "> Channel::Whatsapp"];
    assert_eq!(stage.transcript().await, said);
    assert_eq!(stage.texts(MISSED).await.len(), 1);
}

#[tokio::test]
async fn an_end_that_waits_behind_a_message_that_ends_the_turns_is_dropped_and_the_calls_say_so() {
    let ends = [("start-and-close", ParticipantState::Closed), ("start-and-hand-over", ParticipantState::Queued)];
    for (deed, state) in ends {
        let (stage, web) = stage().await;
        stage.zo_writes("wamid.A", "start https://ai.example/chat").await;
        stage.settle().await;
        web.answers(200, "hello");
        stage.zo_writes("wamid.B", &format!("{deed} https://ai.example/more")).await;
        stage.settle_callbacks_only().await;
        stage.send_requests().await;
        assert_eq!(stage.count("SELECT count(*) FROM participant_event").await, 2, "{deed}");
        settle_later(&stage).await;
        assert_eq!((stage.chat().await.state, stage.count(OPEN).await), (state, 1), "{deed}");
        assert_eq!(stage.count("SELECT count(*) FROM participant_event").await, 0, "{deed}");
        let missed = stage.texts(MISSED).await;
        let reason = format!("the end of the request {} was dropped: the chat has changed hands since", web.keys()[0]);
        assert_eq!(missed, [reason], "{deed}");
    }
}

#[tokio::test]
async fn a_request_beyond_the_limit_of_a_closed_chat_is_not_sent_and_the_calls_say_so() {
    let (stage, web) = stage().await;
    for number in 0..16 {
        stage.zo_writes(&format!("wamid.{number}"), "start https://ai.example/chat").await;
    }
    stage.zo_writes("wamid.last", "start-and-close https://ai.example/chat").await;
    settle_later(&stage).await;
    assert_eq!((stage.chat().await.state, stage.count(OPEN).await), (ParticipantState::Closed, 16));
    let missed = stage.texts(MISSED).await;
    let reason = "was not sent: 16 requests of this chat have not ended";
    assert!(matches!(missed.as_slice(), [only] if only.ends_with(reason)), "{missed:?}");
    assert!(web.keys().is_empty());
}

#[tokio::test]
async fn a_tag_beyond_64_is_left_out_with_a_line_in_the_log() {
    let (stage, _web) = stage().await;
    stage.zo_writes("wamid.A", "tag first").await;
    stage.settle().await;
    let filled = "UPDATE participant SET tags = ARRAY(SELECT 'tag-' || n FROM generate_series(1, 63) AS n)";
    sqlx::query(filled).execute(&stage.ctx.db).await.unwrap();
    for (id, text) in [("B", "tag last"), ("C", "tag beyond"), ("D", "tag last")] {
        stage.zo_writes(&format!("wamid.{id}"), text).await;
        stage.settle().await;
    }
    let tags = stage.chat().await.tags;
    assert_eq!((tags.len(), tags.last().map(String::as_str)), (64, Some("last")));
    let logs = stage.texts("SELECT logs FROM plugin_invocation WHERE logs <> ''").await;
    assert_eq!(logs, ["warn: a tag was left out: a chat has at most 64 tags\n"]);
}

#[tokio::test]
async fn tags_reactions_and_the_history_are_those_of_the_chat() {
    let (stage, _web) = stage().await;
    for (id, text) in [("A", "tag vip"), ("B", "remind tea"), ("C", "recall"), ("D", "untag vip"), ("E", "like")] {
        stage.zo_writes(&format!("wamid.{id}"), text).await;
        stage.settle().await;
    }
    let chat = stage.transcript().await;
    let recalled =
        "> vip | tea | Author::Customer TEXT tag vip; Author::Customer TEXT remind tea; Author::Customer TEXT recall";
    assert_eq!(chat[3], recalled);
    assert!(stage.chat().await.tags.is_empty());
    assert_eq!(chat.last().unwrap(), "> 👍");
    assert_eq!(stage.due(Queue::Outbound).await, [stage.number.0]);
}
