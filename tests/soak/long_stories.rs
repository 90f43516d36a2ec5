//! Stories in a browser that add depth to those of `make test`, and the stories of which `make test` plays a short form.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use harness::{greeter, guest};

use crate::{
    console_stories::{play, play_with},
    phone_stories, web_chat_browser,
};

/// Files of `tests/peers`. `scripts/soak.sh` has them played in full.
const STORIES: [&str; 13] = [
    "console/alerts.mjs",
    "console/author-picture.mjs",
    "console/author-trial.mjs",
    "console/dialogs.mjs",
    "console/finding.mjs",
    "console/flows.mjs",
    "console/looks.mjs",
    "console/webhook-secret.mjs",
    "console/zones.mjs",
    "browser/access.mjs",
    "browser/cards.mjs",
    "browser/kinds.mjs",
    "browser/phones.mjs",
];

/// Plays one story after the other, also if one fails. Answers how many there are.
///
/// # Panics
///
/// With the names of the stories that failed.
pub async fn played() -> String {
    let mut failed = vec![];
    for story in STORIES {
        eprintln!("soak: {story}");
        // The message of the panic is on standard error.
        if AssertUnwindSafe(played_one(story)).catch_unwind().await.is_err() {
            failed.push(story);
        }
    }
    assert!(failed.is_empty(), "failed: {}", failed.join(", "));
    format!("{} stories", STORIES.len())
}

async fn played_one(story: &'static str) {
    match story {
        "console/author-picture.mjs" => play_with("author-picture.mjs", &[guest("clerk")]).await,
        "console/author-trial.mjs" => {
            play_with("author-trial.mjs", &[greeter("Hello"), guest("hostile-bot")]).await;
        }
        "console/dialogs.mjs" => play_with("dialogs.mjs", &[greeter("Hello"), greeter("Welcome")]).await,
        "console/finding.mjs" => play_with("finding.mjs", &[guest("picky-fallback")]).await,
        "browser/access.mjs" | "browser/cards.mjs" => web_chat_browser::play(file_of(story)).await,
        "browser/kinds.mjs" => phone_stories::play_kinds().await,
        "browser/phones.mjs" => phone_stories::play_phones().await,
        _ => play(file_of(story)).await,
    }
}

fn file_of(story: &'static str) -> &'static str {
    story.rsplit('/').next().unwrap_or(story)
}
