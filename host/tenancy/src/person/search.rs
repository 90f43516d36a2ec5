use std::time::Duration;

use base::{Result, audit::Administration};
use domain::{address::Address, ids::ClientId};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use storage::{
    Db,
    personal_data::{self, KnownPerson},
};

/// Longest time for one statement. Some read all rows of a client in a table.
pub(super) const STATEMENT_TIMEOUT: Duration = Duration::from_secs(3600);

pub(super) async fn find(db: &Db, client: ClientId, address: &Address) -> Result<KnownPerson> {
    let mut tx = db.begin().await?;
    personal_data::begin_search(&mut tx).await?;
    let person = personal_data::find(&mut tx, client, address.clone()).await?;
    tx.commit().await?;
    Ok(person)
}

/// Finds a person again, with all ids of an earlier search.
pub(super) async fn find_again(
    db: &Db,
    client: ClientId,
    address: &Address,
    earlier: &KnownPerson,
) -> Result<KnownPerson> {
    let mut tx = db.begin().await?;
    personal_data::begin_search(&mut tx).await?;
    let mut person = personal_data::find(&mut tx, client, address.clone()).await?;
    person.join(earlier);
    personal_data::add_unnamed_files(&mut tx, &mut person).await?;
    tx.commit().await?;
    Ok(person)
}

/// The name of a person in certificates and in the audit trail: a keyed hash of client and address. The same request gives
/// the same name, and without the master key no list of numbers leads back to the person.
pub(super) fn name(admin: &Administration<'_>, client: ClientId, address: &Address) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(&admin.sealer.derive("person-name"));
    let named = mac.map(|mut mac| {
        mac.update(client.0.as_bytes());
        mac.update(address.kind().as_str().as_bytes());
        mac.update(b" ");
        mac.update(address.value().as_bytes());
        hex::encode(mac.finalize().into_bytes())
    });
    named.unwrap_or_default()
}
