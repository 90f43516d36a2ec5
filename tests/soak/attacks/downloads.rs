//! Files that are asked for and not read.

use std::time::Duration;

use super::{Attack, crowd};
use crate::{
    http2::{Http2, frame},
    seeds,
    stage::{Ground, Stage},
};

/// 5,120 unread downloads: 64 connections from 8 addresses, 80 streams with a window of 0 on each.
pub async fn unread(stage: &Stage) -> Attack {
    let (ground, path) = (stage.ground(), seeds::file(stage).await);
    crowd(64, move |number| downloads(ground.clone(), number, path.clone()))
}

async fn downloads(ground: Ground, number: u32, path: String) {
    let Some(connection) = Http2::open(&ground, ground.sources.attacker(number % 8), 0).await else { return };
    for stream in 0..80 {
        if !connection.get(stream, &path, &[]).await {
            return;
        }
    }
    while !connection.has_ended() {
        tokio::time::sleep(Duration::from_secs(10)).await;
        if !connection.send(frame::PING, 0, 0, &[7; 8]).await {
            return;
        }
    }
}
