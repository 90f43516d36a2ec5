//! Tells the simulator which business number stands behind a phone-number id, as Meta would know it.

use std::net::SocketAddr;

use anyhow::bail;
use channels::http::{GuardedClient, GuardedSettings, WebhookPost};
use storage::{PgPool, numbers::Number};

/// Tells it all Cloud numbers.
pub async fn register_all(db: &PgPool, simulator: SocketAddr) -> anyhow::Result<()> {
    let mut connection = db.acquire().await?;
    let numbers = storage::numbers::all_cloud(&mut connection).await?;
    drop(connection);
    for number in numbers {
        register(&number, simulator).await?;
    }
    Ok(())
}

/// Tells it one number. Lite numbers are none of its business.
pub async fn register(number: &Number, simulator: SocketAddr) -> anyhow::Result<()> {
    let (Some(phone_number_id), Some(waba_id)) = (&number.phone_number_id, &number.waba_id) else { return Ok(()) };
    let body = serde_json::json!({ "phoneNumberId": phone_number_id, "wabaId": waba_id, "number": number.msisdn });
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
