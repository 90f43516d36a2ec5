//! A client with a business number.

use base::{Context, secrets::SecretPurpose};
use domain::ids::{ClientId, InboxId};
use storage::{
    inboxes::{self, Inbox, InboxSettings, WhatsappCloud},
    tenancy::clients::{self, ClientRecord},
};

/// The client `demo`, whose webhooks may be on this machine, with `number` on the Cloud API: phone-number id `PN`, account `WABA`.
///
/// # Panics
///
/// When the database does not take them.
pub async fn one_number(ctx: &Context, number: &str) -> (ClientId, InboxId) {
    let (client, inbox) = (ctx.mint(), ctx.mint());
    let mut db = ctx.db.acquire().await.unwrap();
    let new = ClientRecord {
        client_ref: "demo",
        display_name: "Demo",
        parent: None,
        allow_private_targets: true,
        sms_inbox: ctx.mint(),
    };
    clients::insert(&mut db, client, &new, ctx.now()).await.unwrap();
    let settings = InboxSettings::WhatsappCloud(WhatsappCloud {
        msisdn: number.parse().unwrap(),
        link_id: ctx.mint(),
        phone_number_id: "PN".to_owned(),
        waba_id: "WABA".to_owned(),
        access_token_sealed: ctx.sealer.seal(client, SecretPurpose::AccessToken, b"token").unwrap(),
        app_secret_sealed: None,
        rate_per_second: None,
    });
    inboxes::insert(&mut db, client, &Inbox { id: inbox, settings }, ctx.now()).await.unwrap();
    (client, inbox)
}
