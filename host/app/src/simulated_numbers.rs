//! Tells the simulator which business number stands behind a phone-number id, as Meta would know it.

use std::net::SocketAddr;

use anyhow::bail;
use channels::http::{GuardedClient, GuardedSettings, WebhookPost};
use storage::{PgPool, inboxes::Inbox};

/// Tells it all Cloud numbers.
pub async fn register_all(db: &PgPool, simulator: SocketAddr) -> anyhow::Result<()> {
    let mut connection = db.acquire().await?;
    let numbers = storage::inboxes::all_cloud(&mut connection).await?;
    drop(connection);
    for number in numbers {
        register(&number, simulator).await?;
    }
    Ok(())
}

/// Tells it one number. Lite numbers are none of its business.
pub async fn register(inbox: &Inbox, simulator: SocketAddr) -> anyhow::Result<()> {
    let Some(cloud) = inbox.cloud() else { return Ok(()) };
    let body = serde_json::json!({
        "phoneNumberId": cloud.phone_number_id,
        "wabaId": cloud.waba_id,
        "number": cloud.msisdn,
    });
    let client = GuardedClient::new(GuardedSettings::default())?;
    let post = WebhookPost {
        url: format!("http://{simulator}/simulator/numbers"),
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: body.to_string().into(),
        // The simulator is on this machine.
        allow_private: true,
    };
    let answer = client.post(post).await?;
    if !(200..300).contains(&answer.status) {
        bail!("the simulator answered {}: {}", answer.status, answer.body_start);
    }
    Ok(())
}
