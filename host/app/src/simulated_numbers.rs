//! Registers business numbers and pages with the simulator, as Meta would know them.

use std::net::SocketAddr;

use anyhow::bail;
use channels::http::{GuardedClient, GuardedSettings, WebhookAddress, WebhookPost};
use storage::{
    Db,
    inboxes::{Inbox, InboxSettings},
};

pub async fn register_all(db: &Db, simulator: SocketAddr) -> anyhow::Result<()> {
    let mut connection = db.acquire().await?;
    let mut known = storage::inboxes::all_cloud(&mut connection).await?;
    known.extend(storage::inboxes::all_pages(&mut connection).await?);
    drop(connection);
    for inbox in known {
        register(&inbox, simulator).await?;
    }
    Ok(())
}

/// Registers one number or page. Lite numbers are skipped.
pub async fn register(inbox: &Inbox, simulator: SocketAddr) -> anyhow::Result<()> {
    let (path, body) = match &inbox.settings {
        InboxSettings::WhatsappCloud(cloud) => {
            let number = serde_json::json!({
                "phoneNumberId": cloud.phone_number_id,
                "wabaId": cloud.waba_id,
                "number": cloud.msisdn,
            });
            ("numbers", number)
        }
        InboxSettings::Messenger(page) => ("pages", serde_json::json!({ "pageId": page.page_id })),
        _ => return Ok(()),
    };
    let client = GuardedClient::new(GuardedSettings::default())?;
    // The simulator is on this machine.
    let to = WebhookAddress::checked(&format!("http://{simulator}/simulator/{path}"), true)?;
    let answer = client.post(WebhookPost::json(to, body.to_string().into())).await?;
    if !(200..300).contains(&answer.status) {
        bail!("the simulator answered {}: {}", answer.status, answer.body_start);
    }
    Ok(())
}
