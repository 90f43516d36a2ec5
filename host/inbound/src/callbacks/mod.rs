//! Provider callbacks: stored before they are answered, worked off in order per business number.

mod account;
mod authenticity;
mod template_news;
mod work;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{
    ids::{CallbackId, ClientId},
    inbound::{CallbackItem, CallbackTarget},
};
use sha2::{Digest, Sha256};
use storage::{
    Queue,
    inbound::callbacks::{self, NewCallback},
    inboxes::directories,
};
use uuid::Uuid;

use base::{Context, Result};

pub use authenticity::{CallbackRefused, Handshake, Handshaken, handshake, is_signature, open_callback};
pub use work::work;

/// Stores the items of a callback whose signature has been verified; `raw` is its body. When this returns they are on
/// disk, once each, however often the provider repeats them, and the provider may be answered. Items for numbers and
/// accounts that nobody here has are dropped with a warning.
pub async fn store(ctx: &Context, raw: &[u8], items: Vec<CallbackItem>) -> Result<()> {
    metrics::histogram!("patchbay_callback_bytes").record(f64::from(u32::try_from(raw.len()).unwrap_or(u32::MAX)));
    let by_client = route(ctx, items).await?;
    let now = ctx.now();
    for (client, items) in by_client {
        let mut tx = ctx.db.begin().await?;
        let lanes = callbacks::insert_new(&mut tx, client, &items, now).await?;
        tx.commit().await?;
        metrics::counter!("patchbay_callback_items_total", "taken" => "new").increment(lanes.len() as u64);
        metrics::counter!("patchbay_callback_items_total", "taken" => "repeated")
            .increment(items.len().saturating_sub(lanes.len()) as u64);
        let lanes: BTreeSet<Uuid> = lanes.into_iter().collect();
        ctx.wake.wake_all(client, lanes.into_iter().map(|lane| (Queue::Callback, lane)));
    }
    Ok(())
}

/// Finds whom each item is for. An account event goes to every client of the account.
async fn route(ctx: &Context, items: Vec<CallbackItem>) -> Result<BTreeMap<ClientId, Vec<NewCallback>>> {
    let (mut numbers, mut wabas) = (BTreeSet::new(), BTreeSet::new());
    for item in &items {
        match &item.target {
            CallbackTarget::PhoneNumberId(id) => numbers.insert(id.clone()),
            CallbackTarget::Waba(id) => wabas.insert(id.clone()),
        };
    }
    let mut db = ctx.db.acquire().await?;
    let numbers = directories::of_phone_number_ids(&mut db, &numbers.into_iter().collect::<Vec<_>>()).await?;
    let wabas = directories::clients_of_wabas(&mut db, &wabas.into_iter().collect::<Vec<_>>()).await?;
    drop(db);
    let mut clients: HashMap<String, Vec<ClientId>> = HashMap::new();
    for (waba, client) in wabas {
        clients.entry(waba).or_default().push(client);
    }

    let mut by_client: BTreeMap<ClientId, Vec<NewCallback>> = BTreeMap::new();
    let mut strays = BTreeSet::new();
    for item in items {
        let owners: Vec<(ClientId, Uuid)> = match &item.target {
            CallbackTarget::PhoneNumberId(id) => {
                numbers.get(id).map(|(client, number)| (*client, number.0)).into_iter().collect()
            }
            CallbackTarget::Waba(id) => {
                clients.get(id).into_iter().flatten().map(|client| (*client, client.0)).collect()
            }
        };
        if owners.is_empty() {
            strays.insert(target_id(&item.target).to_owned());
        }
        let dedupe_hash: [u8; 32] = Sha256::digest(item.dedupe_key.as_bytes()).into();
        for (client, lane) in owners {
            let callback = NewCallback { id: ctx.mint::<CallbackId>(), lane, dedupe_hash, item: item.clone() };
            by_client.entry(client).or_default().push(callback);
        }
    }
    for target in strays {
        tracing::warn!(target_id = target, "dropped a callback for a number or account that nobody has");
    }
    Ok(by_client)
}

fn target_id(target: &CallbackTarget) -> &str {
    match target {
        CallbackTarget::PhoneNumberId(id) | CallbackTarget::Waba(id) => id,
    }
}
