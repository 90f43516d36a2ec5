//! Live connections that one client opens at once.

use std::time::Duration;

use futures::future::join_all;

use super::Attack;
use crate::{
    sockets::Socket,
    stage::{Ground, Stage},
};

/// How many, in turns.
const TURNS: [u32; 3] = [400, 30, 200];

/// 30 to 400 at once, by a client that has no live connection at that moment; again and again.
pub async fn at_once(stage: &Stage) -> Attack {
    let ground = stage.ground();
    Box::pin(async move {
        for count in TURNS.into_iter().cycle() {
            join_all((0..count).map(|number| open(&ground, number))).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    })
}

async fn open(ground: &Ground, number: u32) {
    let headers = [("authorization", ground.key.as_str())];
    let source = ground.sources.attacker(number % 4);
    let opened = Socket::open(source, ground.http, "/chat-service/api/v2/events", &headers).await;
    if let Ok(mut socket) = opened {
        // An end within these three seconds is as good as one after them.
        let _ = tokio::time::timeout(Duration::from_secs(3), socket.drain()).await;
    }
}
