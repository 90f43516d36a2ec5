//! Heads of requests that are slow, large, or many at once.

use std::time::Duration;

use tokio::io::AsyncWriteExt;

use super::{Attack, crowd};
use crate::{http1, stage::Stage};

/// 40 addresses, 1,000 connections whose head comes at a byte in a second.
pub async fn slow(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(1_000, move |number| {
        let ground = ground.clone();
        async move {
            let source = ground.sources.attacker(number % 40);
            let head = http1::head(&ground, source, "GET", "/healthz", "X-Long: ");
            let Some(mut connection) = http1::sent(&ground, source, head.as_bytes()).await else { return };
            while connection.write_all(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    })
}

/// 4 addresses, 64 connections, each with one head of 90 fields and 60 KB after the other.
pub async fn large(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(64, move |number| {
        let ground = ground.clone();
        async move {
            let source = ground.sources.attacker(number % 4);
            let fields: String = (0..90).map(|field| format!("X-Field-{field}: {}\r\n", "v".repeat(650))).collect();
            let head = format!("{}\r\n", http1::head(&ground, source, "GET", "/openapi.json", &fields));
            let Some(mut connection) = http1::sent(&ground, source, head.as_bytes()).await else { return };
            // A head that is too large ends with its answer. A served one is not read further.
            tokio::time::sleep(Duration::from_millis(200)).await;
            let _ = connection.write_all(head.as_bytes()).await;
            tokio::time::timeout(Duration::from_secs(2), http1::drain(&mut connection)).await.unwrap_or_default();
        }
    })
}

/// 16 addresses, 4,000 connections with 60 KB of a head that does not end.
pub async fn unfinished(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(4_000, move |number| {
        let ground = ground.clone();
        async move {
            let source = ground.sources.attacker(number % 16);
            let head = http1::head(&ground, source, "GET", "/healthz", &format!("X-Long: {}", "v".repeat(60_000)));
            if let Some(mut connection) = http1::sent(&ground, source, head.as_bytes()).await {
                http1::drain(&mut connection).await;
            }
        }
    })
}

/// 16 connections of one address with 2,000 requests in one piece each, whose answers are not read.
pub async fn pipelined(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(16, move |_| {
        let ground = ground.clone();
        async move {
            let source = ground.sources.attacker(0);
            let head = format!("{}\r\n", http1::head(&ground, source, "GET", "/openapi.json", ""));
            let requests = head.repeat(2_000);
            let writing = http1::unread(&ground, source, requests.as_bytes());
            // The program stops reading when its answers are not taken.
            let written = tokio::time::timeout(Duration::from_secs(40), writing).await;
            if let Ok(Some(connection)) = written {
                http1::hold(&connection).await;
            }
        }
    })
}
