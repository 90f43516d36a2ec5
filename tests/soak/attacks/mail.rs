//! Mail sessions in which no mail comes.

use std::time::Duration;

use tokio::io::AsyncWriteExt;

use super::{Attack, crowd};
use crate::{http1, stage::Stage};

/// 20 addresses with 16 connections each, more than the listener takes. Half say nothing, and half say NOOP every 20 s.
pub async fn silent(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(320, move |number| {
        let ground = ground.clone();
        async move {
            let source = ground.sources.attacker(number % 20);
            let Ok(mut connection) = source.connect(ground.mail).await else { return };
            if number / 20 % 2 == 0 {
                return http1::drain(&mut connection).await;
            }
            while connection.write_all(b"NOOP\r\n").await.is_ok() {
                tokio::time::sleep(Duration::from_secs(20)).await;
            }
        }
    })
}

/// 20 addresses with 16 connections each, which begin the text of a mail and say nothing more.
pub async fn silent_texts(stage: &Stage) -> Attack {
    const OPENING: &[u8] = b"EHLO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<27831234567@sms.example.com>\r\nDATA\r\n";
    let ground = stage.ground();
    crowd(320, move |number| {
        let ground = ground.clone();
        async move {
            let Ok(mut connection) = ground.sources.attacker(number % 20).connect(ground.mail).await else { return };
            if connection.write_all(OPENING).await.is_ok() {
                http1::drain(&mut connection).await;
            }
        }
    })
}
