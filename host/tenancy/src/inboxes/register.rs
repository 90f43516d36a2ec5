//! A client registers its own number for WhatsApp Lite (SPEC 4.7).
//!
//! Numbers are unique within a client and not between clients. The owner cannot be verified here: the holder of the
//! phone pairs it, and until then a registration receives and sends nothing. If only the first client could register a
//! number, it could block the real owner, and a refusal would reveal that another client has it.

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
};
use domain::{ids::ClientId, inbox::BillingModel, registration::LiteRegistration};
use storage::{
    inboxes::{self, ADDRESS_UNIQUE, Inbox, InboxSettings, WhatsappLite},
    violates,
};

use super::WhatsAppNumber;

#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// 400 (SPEC 7): the client already has the number, with any provider.
    #[error("is registered to your client already; WhatsAppClientNumbers/getForCurrentLoginUser shows it")]
    NumberTaken,
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<storage::Error> for RegisterError {
    fn from(error: storage::Error) -> Self {
        if violates(&error, ADDRESS_UNIQUE) { Self::NumberTaken } else { Self::Failed(error.into()) }
    }
}

pub async fn register_lite_number(
    admin: &Administration<'_>,
    client: ClientId,
    actor: Actor,
    new: LiteRegistration,
) -> Result<WhatsAppNumber, RegisterError> {
    let (link_id, billing) = (admin.mint(), BillingModel::Message);
    let lite = WhatsappLite { msisdn: new.number, link_id, rate_per_second: None, hosting: new.hosting, billing };
    let number = WhatsAppNumber {
        link_id,
        id: admin.mint(),
        msisdn: lite.msisdn.clone(),
        kind: domain::inbox::InboxKind::WhatsappLite,
        lite: Some((lite.hosting, lite.billing)),
    };
    let inbox = Inbox { id: number.id, settings: InboxSettings::WhatsappLite(lite) };
    let mut tx = admin.db.begin().await?;
    inboxes::insert(&mut tx, client, &inbox, admin.now()).await?;
    audit(admin, &mut tx, client, actor, "register", AuditObject::new("whatsAppNumber", &inbox.id)).await?;
    tx.commit().await?;
    Ok(number)
}
