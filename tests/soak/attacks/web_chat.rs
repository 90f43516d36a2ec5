//! Frames of widgets.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Attack, crowd};
use crate::{
    neighbour::unique,
    seeds,
    sockets::{Socket, visit},
    stage::{Ground, Stage},
};

/// Sockets of one visitor at most.
const SOCKETS: u32 = 10;
/// Between the frames of a socket: it may send 50 in a second.
const PACE: Duration = Duration::from_millis(22);

/// 25 addresses, 100 sockets that ask for older messages: pages of 160 KB, which are read.
pub async fn history(stage: &Stage) -> Attack {
    let (ground, tokens) = (stage.ground(), visitors(stage, 10, 25).await);
    flood(ground, tokens, 100, 25, json!({ "type": "history", "before": 100_000 }))
}

/// One address, 100 sockets that tell how far they have read, always the same.
pub async fn progress(stage: &Stage) -> Attack {
    let (ground, tokens) = (stage.ground(), visitors(stage, 10, 25).await);
    flood(ground, tokens, 100, 1, json!({ "type": "progress", "delivered": 1, "read": 1 }))
}

/// 25 addresses, 500 sockets that ask for older messages and do not read.
pub async fn unread(stage: &Stage) -> Attack {
    let (ground, tokens) = (stage.ground(), visitors(stage, 50, 25).await);
    crowd(500, move |number| {
        let (ground, tokens) = (ground.clone(), tokens.clone());
        async move {
            let source = ground.sources.attacker(number % 25);
            let Some(token) = token(&tokens, number) else { return };
            let Ok(stream) = source.connect_narrow(ground.http).await else { return };
            let opened = Socket::widget_on(stream, source, ground.http, &ground.site, &token).await;
            let Ok(mut socket) = opened else { return };
            let frame = json!({ "type": "history", "before": 100_000 });
            while socket.say(&frame).await.is_ok() {
                tokio::time::sleep(PACE).await;
            }
        }
    })
}

/// One address, 4 sockets that send frames in fragments without content.
pub async fn fragments(stage: &Stage) -> Attack {
    let (ground, tokens) = (stage.ground(), visitors(stage, 1, 1).await);
    crowd(4, move |number| {
        let (ground, tokens) = (ground.clone(), tokens.clone());
        async move {
            let source = ground.sources.attacker(0);
            let Some(token) = token(&tokens, number) else { return };
            if let Ok(socket) = Socket::widget(source, ground.http, &ground.site, &token).await {
                socket.send_fragments().await;
            }
        }
    })
}

fn flood(ground: Ground, tokens: Vec<String>, sockets: u32, addresses: u32, frame: Value) -> Attack {
    crowd(sockets, move |number| {
        let (ground, tokens, frame) = (ground.clone(), tokens.clone(), frame.clone());
        async move {
            let source = ground.sources.attacker(number % addresses);
            let Some(token) = token(&tokens, number) else { return };
            let opened = Socket::widget(source, ground.http, &ground.site, &token).await;
            let Ok(socket) = opened else { return };
            socket.flood(&frame, PACE).await;
        }
    })
}

fn token(tokens: &[String], socket: u32) -> Option<String> {
    tokens.get(usize::try_from(socket / SOCKETS).ok()?).cloned()
}

/// So many visitors of the attacker's site, each with a chat of 60 messages of 3 KB; answers their tokens.
async fn visitors(stage: &Stage, count: u32, addresses: u32) -> Vec<String> {
    let ground = stage.ground();
    let mut tokens = Vec::new();
    for number in 0..count {
        let source = stage.sources.attacker(1_000 + number % addresses);
        let http = source.http(Duration::from_secs(20));
        let token = visit(&http, &stage.base(), &stage.attackers_site).await.unwrap();
        let mut socket = Socket::widget(source, ground.http, &stage.attackers_site, &token).await.unwrap();
        let key = unique();
        socket.say(&json!({ "type": "text", "key": key, "text": seeds::mark() })).await.unwrap();
        socket.hear(|frame| frame["type"] == "taken" && frame["key"] == *key).await.unwrap();
        tokens.push(token);
    }
    seeds::lengthen(stage, 60, 3_000).await;
    tokens
}
