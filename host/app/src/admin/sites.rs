use base::audit::{Actor, Administration};
use domain::web_chat::SiteForm;
use serde_json::{Value, json};
use settings::Settings;

use crate::cli::SiteAdd;

pub(super) async fn add(config: &Settings, admin: &Administration<'_>, add: SiteAdd) -> anyhow::Result<Value> {
    let asked = SiteForm { name: Some(add.name), origins: Some(add.origin), ..SiteForm::default() };
    let site = tenancy::sites::add_of_ref(admin, &add.client, &asked, Actor::Operator).await?;
    let script = api::site_script(&config.public_url(config.server.listen), &site.key);
    Ok(json!({ "id": site.id, "siteKey": site.key, "script": script }))
}
