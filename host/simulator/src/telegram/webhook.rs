//! Posts updates to the webhook of a bot, one at a time and in order, until each is taken.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value};

use crate::world::SimulatedWorld;

/// Pause before an update that was not taken is posted again.
const PAUSE: Duration = Duration::from_millis(300);
const ANSWER: Duration = Duration::from_secs(10);

/// Tells that a bot has updates: wakes those who ask for them, or posts them.
pub(super) fn announce(world: &Arc<SimulatedWorld>, bot: i64) {
    world.telegram_news.notify_waiters();
    {
        let mut state = world.state();
        let Some(bot) = state.telegram.bots.get_mut(&bot) else { return };
        if bot.webhook.is_none() || bot.posting || bot.updates.is_empty() {
            return;
        }
        bot.posting = true;
    }
    world.tasks.spawn(post_all(Arc::clone(world), bot));
}

#[expect(clippy::disallowed_methods, reason = "the simulated world has its own HTTP client")]
async fn post_all(world: Arc<SimulatedWorld>, bot: i64) {
    let Ok(client) = reqwest::Client::builder().no_proxy().timeout(ANSWER).build() else { return };
    while !world.shutdown.is_cancelled() {
        let next = {
            let mut state = world.state();
            let Some(bot) = state.telegram.bots.get_mut(&bot) else { return };
            let next = bot.webhook.clone().zip(bot.updates.front().cloned());
            bot.posting = next.is_some();
            next
        };
        let Some((webhook, (id, update))) = next else { return };
        let mut post = client.post(&webhook.url).json(&update);
        if let Some(secret) = &webhook.secret {
            post = post.header("X-Telegram-Bot-Api-Secret-Token", secret);
        }
        match post.send().await {
            Ok(answer) if answer.status().is_success() => {
                let command = answer.json::<Value>().await.ok();
                {
                    let mut state = world.state();
                    let Some(bot) = state.telegram.bots.get_mut(&bot) else { return };
                    bot.updates.retain(|(waiting, _)| *waiting != id);
                }
                if let Some(Value::Object(command)) = command {
                    execute_command(&world, bot, command);
                }
            }
            _ => world.pause(PAUSE).await,
        }
    }
}

fn execute_command(world: &Arc<SimulatedWorld>, bot: i64, command: Map<String, Value>) {
    if command.get("method").and_then(Value::as_str) == Some("answerCallbackQuery") {
        let tap = command.get("callback_query_id").and_then(Value::as_str).unwrap_or_default();
        world.state().telegram.answer_tap(bot, tap);
    }
}
