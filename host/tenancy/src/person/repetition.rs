//! Repeats erasures on a restored database, whose backup is older than they are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base::{
    Result,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::Sealer,
};
use channels::media_store::MediaStore;
use domain::{address::Address, ids::ClientId};
use storage::personal_data::erasures::{self, FinishedErasure};
use uuid::Uuid;

use super::{
    erasure::{EraseError, RunningCalls, WantedErasure, erase_all},
    search,
};

/// The name of an installation in copies of its erasures. It stays the same after a change of the master key and in a restored
/// database. Only a sealer that has checked its database knows it.
pub fn installation(sealer: &Sealer) -> String {
    hex::encode(sealer.derive("erasure-ledger"))
}

/// Repeats the erasures that the database does not have, and returns how many of them found their person. No process may serve the
/// database. It can be repeated: each finished erasure is stored.
pub async fn repeat(
    admin: &Administration<'_>,
    media: &dyn MediaStore,
    ledger: &[FinishedErasure],
) -> Result<u64, EraseError> {
    let missing = erasures::find_missing(&mut *admin.db.acquire().await?, ledger).await?;
    let missing: BTreeSet<Uuid> = missing.into_iter().collect();
    let mut by_client: BTreeMap<ClientId, Vec<&FinishedErasure>> = BTreeMap::new();
    for erasure in ledger.iter().filter(|erasure| missing.contains(&erasure.id)) {
        by_client.entry(erasure.client).or_default().push(erasure);
    }
    let mut found = 0;
    for (client, erasures) in by_client {
        let mut addresses = find_named(admin, client, &erasures).await?;
        for erasure in erasures {
            let addresses = addresses.remove(&erasure.id).unwrap_or_default();
            found += u64::from(!addresses.is_empty());
            repeat_one(admin, media, erasure, &addresses).await?;
        }
    }
    Ok(found)
}

/// The addresses in rows of the client whose names these erasures have, by the id of the erasure.
async fn find_named(
    admin: &Administration<'_>,
    client: ClientId,
    erasures: &[&FinishedErasure],
) -> Result<BTreeMap<Uuid, BTreeSet<Address>>> {
    let mut ids: HashMap<&str, Vec<Uuid>> = HashMap::new();
    for erasure in erasures {
        for name in &erasure.person_names {
            ids.entry(name).or_default().push(erasure.id);
        }
    }
    let mut named: BTreeMap<Uuid, BTreeSet<Address>> = BTreeMap::new();
    let mut db = admin.db.with_patience(search::STATEMENT_TIMEOUT).acquire().await?;
    let keep = |address: Address| {
        for id in ids.get(search::name(admin, client, &address).as_str()).into_iter().flatten() {
            named.entry(*id).or_default().insert(address.clone());
        }
    };
    erasures::each_address(&mut db, client, keep).await?;
    Ok(named)
}

async fn repeat_one(
    admin: &Administration<'_>,
    media: &dyn MediaStore,
    erasure: &FinishedErasure,
    addresses: &BTreeSet<Address>,
) -> Result<(), EraseError> {
    for address in addresses {
        // The processes that made calls have ended.
        let wanted = WantedErasure { address, stops: erasure.stops };
        let erased = erase_all(admin, media, erasure.client, wanted, RunningCalls::Ended).await?;
        if !erased.is_complete {
            return Err(EraseError::Incomplete);
        }
    }
    let mut tx = admin.db.begin().await?;
    if let Some(address) = addresses.first() {
        let name = search::name(admin, erasure.client, address);
        audit(admin, &mut tx, erasure.client, Actor::Platform, "erase", AuditObject::new("person", &name)).await?;
    }
    erasures::insert_repeated(&mut tx, erasure).await?;
    tx.commit().await?;
    Ok(())
}
