//! The inboxes of a sandbox: copies without tokens and directory entries. A site is an exception: visitors come to the
//! server, so its copy is a real site with a key of its own.

use base::{audit::Administration, secrets::SecretPurpose};
use domain::{
    channel::Channel,
    ids::{ClientId, InboxId},
    page::PageRequest,
    phone::Msisdn,
};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use storage::{
    PgConnection,
    inboxes::{self, Account, Inbox, InboxSettings, MessengerInbox, WebInbox, WhatsappCloud, WhatsappLite},
    tenancy::sandboxes,
    web::sites::{self, Site},
};

/// Sealed in place of tokens and secrets. No provider knows it.
const NO_TOKEN: &[u8] = b"sandbox";
/// Hexadecimal digits of the key of a site.
const KEY_DIGITS: usize = 32;
const COPIED: [Channel; 3] = [Channel::Whatsapp, Channel::Facebook, Channel::Telegram];
const PAGE: PageRequest = PageRequest { page: 0, size: 500 };

/// Copies the inboxes that the client got since the last time, and the present settings of its sites.
pub(crate) async fn copy(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    live: ClientId,
    sandbox: ClientId,
) -> base::Result<()> {
    for channel in COPIED {
        let known = sandboxes::addresses(db, sandbox, channel).await?;
        for inbox in inboxes_of(db, live, channel).await? {
            if inbox.address().is_some_and(|address| !known.iter().any(|known| known == address)) {
                let inbox = Inbox { id: admin.mint(), settings: copy_of(admin, sandbox, inbox.settings)? };
                inboxes::insert_in_sandbox(db, sandbox, &inbox, admin.now()).await?;
            }
        }
    }
    copy_sites(admin, db, live, sandbox).await
}

async fn inboxes_of(db: &mut PgConnection, live: ClientId, channel: Channel) -> base::Result<Vec<Inbox>> {
    let (mut found, mut at) = (Vec::new(), PAGE);
    loop {
        let (page, _) = inboxes::page(db, live, channel, "", at).await?;
        if page.is_empty() {
            return Ok(found);
        }
        found.extend(page);
        at = at.next();
    }
}

/// The same address without anything that a provider knows.
fn copy_of(admin: &Administration<'_>, sandbox: ClientId, live: InboxSettings) -> base::Result<InboxSettings> {
    let sealed = |purpose| admin.sealer.seal(sandbox, purpose, NO_TOKEN);
    Ok(match live {
        InboxSettings::WhatsappCloud(cloud) => number(admin, sandbox, cloud.msisdn, cloud.waba_id)?,
        InboxSettings::WhatsappLite(lite) => {
            InboxSettings::WhatsappLite(WhatsappLite { link_id: admin.mint(), rate_per_second: None, ..lite })
        }
        InboxSettings::Messenger(page) => InboxSettings::Messenger(MessengerInbox {
            page_id: page.page_id,
            access_token_sealed: sealed(SecretPurpose::AccessToken)?,
            app_secret_sealed: None,
        }),
        InboxSettings::Account(account) => InboxSettings::Account(Account {
            access_token_sealed: sealed(SecretPurpose::AccessToken)?,
            app_secret_sealed: sealed(SecretPurpose::AppSecret)?,
            ..account
        }),
        other @ (InboxSettings::Web(_) | InboxSettings::Sms(_)) => other,
    })
}

fn number(
    admin: &Administration<'_>,
    sandbox: ClientId,
    msisdn: Msisdn,
    waba_id: String,
) -> base::Result<InboxSettings> {
    let link_id: uuid::Uuid = admin.mint();
    Ok(InboxSettings::WhatsappCloud(WhatsappCloud {
        msisdn,
        link_id,
        phone_number_id: format!("sandbox_{}", link_id.simple()),
        waba_id,
        access_token_sealed: admin.sealer.seal(sandbox, SecretPurpose::AccessToken, NO_TOKEN)?,
        app_secret_sealed: None,
        rate_per_second: None,
    }))
}

/// Adds a Cloud number of a business account.
pub(crate) async fn add_number(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    sandbox: ClientId,
    msisdn: Msisdn,
    waba_id: String,
) -> base::Result<()> {
    let inbox = Inbox { id: admin.mint(), settings: number(admin, sandbox, msisdn, waba_id)? };
    Ok(inboxes::insert_in_sandbox(db, sandbox, &inbox, admin.now()).await?)
}

/// The copies become as the sites are now. Copies of other sites are deleted.
async fn copy_sites(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    live: ClientId,
    sandbox: ClientId,
) -> base::Result<()> {
    let (lives, _) = sites::page(db, live, PAGE).await?;
    let (mut copies, _) = sites::page(db, sandbox, PAGE).await?;
    for site in lives {
        let key = key_of_copy(admin, &site.key);
        let known = copies.iter().position(|copy| copy.key == key).map(|at| copies.swap_remove(at));
        let id: InboxId = known.as_ref().map_or_else(|| admin.mint(), |copy| copy.id);
        // Teams are those of live agents.
        let copy = Site { client: sandbox, id, key, team: None, ..site };
        if known.is_none() {
            let web = WebInbox { site_key: copy.key.clone(), name: copy.name.clone(), origins: Vec::new() };
            let inbox = Inbox { id, settings: InboxSettings::Web(web) };
            inboxes::insert_in_sandbox(db, sandbox, &inbox, admin.now()).await?;
            copy_secret(admin, db, live, site.id, &copy).await?;
        }
        sites::save(db, &copy).await?;
    }
    for gone in copies {
        sites::delete(db, sandbox, gone.id, admin.now()).await?;
    }
    Ok(())
}

/// The same for each copy of a key. Visitors of the site, who know its key, cannot guess it.
fn key_of_copy(admin: &Administration<'_>, key: &str) -> String {
    // HMAC takes keys of any length, so this cannot fail.
    let mac = Hmac::<Sha256>::new_from_slice(&admin.sealer.derive("sandbox-site"));
    let digest = mac.map(|mut mac| {
        mac.update(key.as_bytes());
        hex::encode(mac.finalize().into_bytes())
    });
    format!("site_{}", digest.unwrap_or_default().get(..KEY_DIGITS).unwrap_or_default())
}

/// The server of a site signs the ids of its users for the copy as for the site.
async fn copy_secret(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    live: ClientId,
    site: InboxId,
    copy: &Site,
) -> base::Result<()> {
    let Some(sealed) = sites::identity_secret(db, live, site).await? else { return Ok(()) };
    let secret = admin.sealer.open_text(live, SecretPurpose::SiteIdentity, &sealed)?;
    let sealed = admin.sealer.seal(copy.client, SecretPurpose::SiteIdentity, secret.as_bytes())?;
    Ok(sites::set_identity_secret(db, copy.client, copy.id, &sealed).await?)
}
