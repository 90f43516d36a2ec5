//! The sandbox of a client (ADR 0058): a client of its own that only test keys lead to, with copies of the inboxes and
//! templates of its client, a number of its own, and credits that cost nothing.

use base::audit::Administration;
use domain::{
    ids::ClientId,
    phone::Msisdn,
    sandbox::{OWN_NUMBER, REF_SUFFIX},
    template::TemplateRecord,
};
use serde_json::json;
use storage::{
    PgConnection,
    inboxes::templates,
    tenancy::{clients, credits, sandboxes},
};

use crate::sandbox_inboxes;

/// The business account of the number that a sandbox has of its own.
const OWN_ACCOUNT: &str = "sandbox";
const CREDITS: i64 = 1_000_000;

/// Finds the sandbox of a client, or makes it, inside the caller's transaction. `None` if there is no such client.
pub(crate) async fn open(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    live: ClientId,
) -> base::Result<Option<ClientId>> {
    // Locked, so that two first test keys get one sandbox.
    let Some(client) = clients::lock(db, live).await? else { return Ok(None) };
    if let Some(sandbox) = sandboxes::of(db, live).await? {
        copy(admin, db, live, sandbox).await?;
        return Ok(Some(sandbox));
    }
    let sandbox: ClientId = admin.mint();
    let new = clients::ClientRecord {
        client_ref: &format!("{}{REF_SUFFIX}", client.client_ref),
        display_name: &client.display_name,
        parent: None,
        allow_private_targets: client.allow_private_targets,
        sms_inbox: admin.mint(),
    };
    clients::insert(db, sandbox, &new, admin.now()).await?;
    sandboxes::attach(db, live, sandbox).await?;
    credits::top_up(db, sandbox, admin.ids.mint(admin.now()), CREDITS, admin.now()).await?;
    add_own_number(admin, db, sandbox).await?;
    copy(admin, db, live, sandbox).await?;
    Ok(Some(sandbox))
}

/// Copies inboxes and templates that the client got since the last time. Returns the number of templates.
pub(crate) async fn refresh(admin: &Administration<'_>, live: ClientId, sandbox: ClientId) -> base::Result<usize> {
    let mut tx = admin.db.begin().await?;
    let copied = copy(admin, &mut tx, live, sandbox).await?;
    tx.commit().await?;
    Ok(copied)
}

async fn copy(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    live: ClientId,
    sandbox: ClientId,
) -> base::Result<usize> {
    sandbox_inboxes::copy(admin, db, live, sandbox).await?;
    let copied = sandboxes::copy_templates(db, live, sandbox, OWN_ACCOUNT).await?;
    Ok(usize::try_from(copied).unwrap_or(usize::MAX))
}

async fn add_own_number(admin: &Administration<'_>, db: &mut PgConnection, sandbox: ClientId) -> base::Result<()> {
    // The constant is a number in international format.
    let Ok(msisdn) = Msisdn::parse(OWN_NUMBER) else { return Ok(()) };
    sandbox_inboxes::add_number(admin, db, sandbox, msisdn, OWN_ACCOUNT.to_owned()).await?;
    let now = admin.now();
    Ok(templates::replace_all(db, sandbox, OWN_ACCOUNT, &[sample_template()], now, now).await?)
}

/// The template of each sandbox: two placeholders and two quick replies.
fn sample_template() -> TemplateRecord {
    TemplateRecord {
        id: "sandbox_order_ready".to_owned(),
        waba_id: OWN_ACCOUNT.to_owned(),
        name: "sandbox_order_ready".to_owned(),
        language: "en".to_owned(),
        status: "APPROVED".to_owned(),
        category: "UTILITY".to_owned(),
        parameter_format: "POSITIONAL".to_owned(),
        components: json!([
            { "type": "BODY", "text": "Hello {{1}}, your order {{2}} is ready." },
            { "type": "BUTTONS", "buttons": [
                { "type": "QUICK_REPLY", "text": "Thanks" },
                { "type": "QUICK_REPLY", "text": "Call me" },
            ] },
        ])
        .into(),
    }
}
