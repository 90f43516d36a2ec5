//! Large pages that one client asks for and does not read.

use serde_json::json;

use super::{Attack, crowd};
use crate::{
    http1, seeds,
    stage::{Ground, Stage},
};

/// Bytes of a text, and texts of a page.
const TEXT: usize = 16_000;
const PAGE: i32 = 500;
/// Key-values of a page, with almost 8 MiB.
const VALUES: i32 = 120;

/// 400 unread pages of 8 MB from 4 addresses.
pub async fn messages(stage: &Stage) -> Attack {
    let participant = seeds::chat(stage, PAGE, TEXT).await;
    let path = format!("/chat-service/api/v2/messages?participantId={participant}&size={PAGE}");
    unread(stage.ground(), 400, path)
}

/// 160 unread pages of 8 MB.
pub async fn key_values(stage: &Stage) -> Attack {
    const PLUGIN: &str = "default-chatbot";
    stage.attacker.put_in_force(PLUGIN, json!({ "mode": "live" })).await;
    seeds::key_values(stage, PLUGIN, VALUES).await;
    unread(stage.ground(), 160, format!("/plugin-service/api/v1/plugins/{PLUGIN}/key-values?size={VALUES}"))
}

fn unread(ground: Ground, count: u32, path: String) -> Attack {
    crowd(count, move |number| {
        let (ground, path) = (ground.clone(), path.clone());
        async move {
            let source = ground.sources.attacker(number % 4);
            let key = format!("Authorization: {}\r\n", ground.key);
            let head = format!("{}\r\n", http1::head(&ground, source, "GET", &path, &key));
            if let Some(connection) = http1::unread(&ground, source, head.as_bytes()).await {
                http1::hold(&connection).await;
            }
        }
    })
}
