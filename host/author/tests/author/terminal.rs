//! The chat in the terminal, with the lines of a script.

use std::{
    io::{self, Write},
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use author::terminal::Terminal;
use chrono::{DateTime, Utc};
use domain::clock::Clock;
use serde_json::json;
use tokio::sync::mpsc;

use crate::support::guest;

struct Still;

impl Clock for Still {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(1_767_603_600, 0).unwrap()
    }
}

fn terminal(component: &Path) -> Terminal {
    Terminal {
        name: "clerk".to_owned(),
        component: component.to_owned(),
        project: None,
        config: json!({}),
        config_place: "`{}`".to_owned(),
        allowed_hosts: vec![],
        clock: Arc::new(Still),
    }
}

async fn chat(component: &Path, lines: &[&str]) -> String {
    let (tell, typed) = mpsc::unbounded_channel();
    lines.iter().for_each(|line| tell.send((*line).to_owned()).unwrap());
    drop(tell);
    let mut out = vec![];
    terminal(component).talk(typed, "", &mut out).await.unwrap();
    String::from_utf8(out).unwrap()
}

#[tokio::test]
async fn a_script_talks_taps_and_moves_the_clock() {
    let lines = [
        "say hello",
        "buttons",
        "2",
        "remind tea 60",
        "/timers",
        "/clock 30s",
        "/clock 30s",
        "/timers",
        "/state",
        "hm",
        "/nonsense",
    ];
    let said = chat(&guest("clerk"), &lines).await;
    for line in [
        "bot: hello\n",
        "  1. Yes [yes-id]\n",
        "bot: got choice no-id\n",
        "(timer `tea` in 1m)",
        "  timer:  tea in 1m\n",
        "  (no timer runs)\n",
        "(it is 2026-01-05 09:00:30 UTC)",
        "(timer `tea`)\nbot: time for tea\n",
        "  state:  (empty)\n",
        "(the bot says nothing)",
        "`/nonsense` is not a command",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
}

#[tokio::test]
async fn a_conversation_can_be_given_back_restarted_and_left() {
    let lines = ["count", "/kv", "person", "say x", "/release", "say y", "/restart", "count", "/quit", "say z"];
    let said = chat(&guest("clerk"), &lines).await;
    assert!(said.contains("participant  count = 1"), "{said}");
    assert!(said.contains("(handed over to the unassigned queue: wants a person"), "{said}");
    assert!(said.contains("people have the conversation") && !said.contains("bot: x"), "{said}");
    assert!(said.contains("bot: y"), "{said}");
    assert_eq!(said.matches("bot: count 1").count(), 2, "{said}");
    assert!(!said.contains("bot: z"), "{said}");
}

#[tokio::test]
async fn a_file_of_this_machine_is_sent_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("photo.jpg");
    std::fs::write(&file, [0xff, 0xd8, 0xff, 0xe0]).unwrap();
    let said = chat(&guest("clerk"), &[&format!("/file {}", file.display()), "/file nowhere.jpg"]).await;
    assert!(said.contains("bot: got MediaKind::Image jpg"), "{said}");
    assert!(said.contains("(`nowhere.jpg` cannot be read: "), "{said}");
}

/// The output of the terminal, readable during the chat.
#[derive(Clone, Default)]
struct Screen(Arc<Mutex<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Screen {
    async fn shows(&self, text: &str) {
        let began = Instant::now();
        loop {
            let shown = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
            if shown.contains(text) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(30), "waited in vain for {text}\n{shown}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_build_answers_from_the_next_message_on_and_a_broken_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let component = folder.path().join("clerk.wasm");
    std::fs::copy(guest("clerk"), &component).unwrap();
    let (tell, typed) = mpsc::unbounded_channel();
    let screen = Screen::default();
    let talking = tokio::spawn({
        let (terminal, mut screen) = (terminal(&component), screen.clone());
        async move { terminal.talk(typed, "", &mut screen).await.unwrap() }
    });
    tell.send("say before".to_owned()).unwrap();
    screen.shows("bot: before\n").await;

    std::fs::write(&component, b"half a file").unwrap();
    screen.shows("(not reloaded: ").await;
    tell.send("say still here".to_owned()).unwrap();
    screen.shows("bot: still here\n").await;

    let fresh = folder.path().join(".new");
    std::fs::copy(guest("errand-bot"), &fresh).unwrap();
    std::fs::rename(&fresh, &component).unwrap();
    screen.shows("(reloaded, ").await;
    tell.send("trace".to_owned()).unwrap();
    screen.shows("bot: None None\n").await;
    drop(tell);
    talking.await.unwrap();
}

#[tokio::test]
async fn only_chatbots_can_be_talked_to() {
    let (_tell, typed) = mpsc::unbounded_channel();
    let error = terminal(&guest("usher")).talk(typed, "", &mut vec![]).await.unwrap_err().to_string();
    assert!(error.contains("is a router, and only chatbots have conversations"), "{error}");
}

#[tokio::test]
async fn only_a_timer_that_ran_is_shown_as_cancelled() {
    let said = chat(&guest("clerk"), &["forget tea", "remind tea 60", "forget tea"]).await;
    assert_eq!(said.matches("(no timer tea any more)").count(), 1, "{said}");
}
