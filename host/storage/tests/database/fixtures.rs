//! The start of most tests: two clients, of which the first has a number.

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    clock::IdSource,
    ids::{ClientId, CustomerId, InboxId},
    phone::Msisdn,
};
use people::Introduction;
use storage::{
    PgConnection, Result,
    inboxes::{self, Inbox, InboxSettings, WhatsappCloud},
    tenancy::clients::{self, ClientRecord},
};
use uuid::Uuid;

/// The client of most tests.
pub const CLIENT: ClientId = ClientId(Uuid::from_u128(1));
/// Another client, which must not see objects of the first one.
pub const STRANGER: ClientId = ClientId(Uuid::from_u128(2));
/// A Cloud number of the client.
pub const INBOX: InboxId = InboxId(Uuid::from_u128(10));

/// A moment, in seconds after a fixed one.
pub fn moment(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000 + seconds, 0).unwrap()
}

/// Id of the inbox that takes a client's SMS when nothing names a source.
pub fn sms_inbox(client: ClientId) -> InboxId {
    InboxId(Uuid::from_u128(client.0.as_u128() + 5_000))
}

/// A client to be.
pub fn new_client(client: ClientId, client_ref: &str) -> ClientRecord<'_> {
    let allow_private_targets = client == CLIENT;
    ClientRecord { client_ref, display_name: "Name", parent: None, allow_private_targets, sms_inbox: sms_inbox(client) }
}

/// A Cloud number; its phone-number id is `pn-` and the id.
pub fn cloud_number(id: u128, msisdn: &str) -> Inbox {
    let settings = WhatsappCloud {
        msisdn: Msisdn::parse(msisdn).unwrap(),
        link_id: Uuid::from_u128(id + 1_000),
        phone_number_id: format!("pn-{id}"),
        waba_id: "waba".to_owned(),
        access_token_sealed: vec![1],
        app_secret_sealed: None,
        rate_per_second: Some(20),
    };
    Inbox { id: InboxId(Uuid::from_u128(id)), settings: InboxSettings::WhatsappCloud(settings) }
}

/// Stores both clients and the number.
pub async fn prepare(db: &mut PgConnection) {
    for (client, client_ref) in [(CLIENT, "one"), (STRANGER, "other")] {
        clients::insert(db, client, &new_client(client, client_ref), moment(0)).await.unwrap();
    }
    inboxes::insert(db, CLIENT, &cloud_number(10, "27600000001"), moment(0)).await.unwrap();
}

/// A database with both clients and the number.
pub async fn database() -> PgConnection {
    let mut db = scratch::database().await.connection().await;
    prepare(&mut db).await;
    db
}

/// A phone number of a customer.
pub fn phone(digits: &str) -> Address {
    Address::of_kind(AddressKind::Phone, digits).unwrap()
}

/// A BSUID of a customer.
pub fn bsuid(id: &str) -> Address {
    Address::of_kind(AddressKind::Bsuid, id).unwrap()
}

/// The customer of a provider's event.
pub async fn resolve(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    named: Introduction,
    now: DateTime<Utc>,
) -> Result<CustomerId> {
    Ok(people::introduce(db, client, ids, named, now).await?.who.id)
}
