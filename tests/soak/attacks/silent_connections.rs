//! Connections on which nothing is said.

use super::{Attack, crowd};
use crate::{http1, stage::Stage};

/// 100 addresses, 6,000 connections that say nothing.
pub async fn connections(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(6_000, move |number| {
        let ground = ground.clone();
        async move {
            if let Some(mut connection) = http1::sent(&ground, ground.sources.attacker(number % 100), b"").await {
                http1::drain(&mut connection).await;
            }
        }
    })
}
