//! Registers business numbers and pages with the simulator, as Meta would know them, and sites that its pages may show.

use std::net::SocketAddr;

use anyhow::bail;
use channels::http::{GuardedClient, GuardedSettings, WebhookAddress, WebhookPost};
use storage::{
    Db,
    inboxes::{Inbox, InboxSettings},
    web::sites::{self, Site},
};

pub async fn register_all(db: &Db, simulator: SocketAddr, public_url: &str) -> anyhow::Result<()> {
    let mut connection = db.acquire().await?;
    let mut known = storage::inboxes::all_cloud(&mut connection).await?;
    known.extend(storage::inboxes::all_pages(&mut connection).await?);
    let sites = sites::all(&mut connection).await?;
    drop(connection);
    for inbox in known {
        register(&inbox, simulator).await?;
    }
    let own = origins(simulator);
    for site in sites {
        if site.origins.iter().any(|origin| own.iter().any(|own| own == origin.as_str())) {
            register_site(&site, simulator, public_url).await?;
        }
    }
    Ok(())
}

/// The origins of the pages of a simulator, as browsers on this machine name them.
pub fn origins(simulator: SocketAddr) -> Vec<String> {
    ["127.0.0.1", "localhost"].map(|host| format!("http://{host}:{}", simulator.port())).to_vec()
}

/// Registers one number or page. Lite numbers are skipped.
pub async fn register(inbox: &Inbox, simulator: SocketAddr) -> anyhow::Result<()> {
    match &inbox.settings {
        InboxSettings::WhatsappCloud(cloud) => {
            let number = serde_json::json!({
                "phoneNumberId": cloud.phone_number_id,
                "wabaId": cloud.waba_id,
                "number": cloud.msisdn,
            });
            post(simulator, "numbers", &number).await
        }
        InboxSettings::Messenger(page) => {
            post(simulator, "pages", &serde_json::json!({ "pageId": page.page_id })).await
        }
        _ => Ok(()),
    }
}

async fn register_site(site: &Site, simulator: SocketAddr, public_url: &str) -> anyhow::Result<()> {
    let site = serde_json::json!({
        "siteKey": site.key,
        "name": site.name,
        "script": api::site_script_url(public_url, &site.key),
    });
    post(simulator, "sites", &site).await
}

async fn post(simulator: SocketAddr, path: &str, body: &serde_json::Value) -> anyhow::Result<()> {
    let client = GuardedClient::new(GuardedSettings::default())?;
    // The simulator is on this machine.
    let to = WebhookAddress::checked(&format!("http://{simulator}/simulator/{path}"), true)?;
    let answer = client.post(WebhookPost::json(to, body.to_string().into())).await?;
    if !(200..300).contains(&answer.status) {
        bail!("the simulator answered {}: {}", answer.status, answer.body_start);
    }
    Ok(())
}
