//! Stores callbacks before the provider gets an answer. Callbacks that arrive together share one lookup of owners and,
//! per client, one transaction.
//!
//! That transaction applies statuses at once, without a row and without waiting for locks. A status with an unknown or
//! locked message is stored together with the items that are not statuses.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use base::{
    Context, Error, Result,
    gather::{Gatherer, GroupLimits, RETURN_WAIT},
};
use domain::{
    ids::{CallbackId, ClientId, InboxId},
    inbound::{CallbackBody, CallbackItem, CallbackTarget, StatusUpdate},
};
use outbound::delivery;
use sha2::{Digest, Sha256};
use storage::{
    PgConnection, Queue,
    inbound::callbacks::{self, NewCallback},
    inboxes::directories,
    outbound::legs::LockPolicy,
};
use uuid::Uuid;

use super::{failed_items, known_numbers::KnownNumbers, owners::Owners, strays};

/// Lookups of owners: one at a time, for all callbacks that arrived since the last one.
const LOOKUP_LIMITS: GroupLimits =
    GroupLimits { groups: 1, further_from: 0, most_items: 1024, most_weight: usize::MAX, coming_back: RETURN_WAIT };
/// Transactions of one client. A weight is a number of items. A small group costs almost as many statements as a large
/// one, so fewer items than `further_from` wait for the next group.
const STORES: GroupLimits = GroupLimits {
    groups: 2,
    further_from: 64,
    most_items: 256,
    most_weight: 512,
    coming_back: Duration::from_millis(5),
};

#[derive(Debug, Clone, thiserror::Error)]
#[error("the callback could not be stored")]
pub struct IntakeRefused(#[source] pub Arc<Error>);

type Taken = std::result::Result<(), IntakeRefused>;
type Looked = std::result::Result<Arc<Owners>, IntakeRefused>;

pub struct Intake {
    ctx: Arc<Context>,
    known: KnownNumbers,
    looks: Arc<Gatherer<(), BTreeSet<CallbackTarget>, Looked>>,
    stores: Arc<Gatherer<ClientId, Vec<NewCallback>, Taken>>,
}

impl Intake {
    pub fn new(ctx: Arc<Context>) -> Arc<Self> {
        let (looking, storing) = (Arc::clone(&ctx), Arc::clone(&ctx));
        let looks = Gatherer::new(
            LOOKUP_LIMITS,
            |_| 1,
            move |(), targets: Vec<BTreeSet<CallbackTarget>>| {
                let ctx = Arc::clone(&looking);
                async move {
                    let looked = look(&ctx, targets.iter().flatten()).await.map(Arc::new).map_err(not_taken);
                    vec![looked; targets.len()]
                }
            },
        );
        let stores = Gatherer::new(STORES, Vec::len, move |client, group: Vec<Vec<NewCallback>>| {
            let ctx = Arc::clone(&storing);
            async move { take_group(&ctx, client, &group).await }
        });
        Arc::new(Self { ctx, known: KnownNumbers::default(), looks, stores })
    }

    /// Takes the items of a callback. `bytes` is the length of its body. When this returns, each item is on disk once,
    /// even if the provider repeats it, and the provider may get its answer. Items for unknown numbers and accounts wait for a
    /// client (`strays`).
    pub async fn take(&self, bytes: usize, items: Vec<CallbackItem>) -> Taken {
        metrics::histogram!("patchbay_callback_bytes").record(f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)));
        let owners = match self.known.owners_of(&items) {
            Some(owners) => Arc::new(owners),
            None => self.look(&items).await?,
        };
        let (by_client, strays) = route(&self.ctx, &owners, items);
        for (client, items) in by_client {
            let taken = self.stores.join(client, items).await;
            taken.unwrap_or_else(|| Err(not_taken(Error::Stopped)))?;
        }
        strays::keep(&self.ctx, strays).await.map_err(not_taken)
    }

    async fn look(&self, items: &[CallbackItem]) -> Looked {
        let targets = items.iter().map(|item| item.target.clone()).collect();
        let owners = self.looks.join((), targets).await.unwrap_or_else(|| Err(not_taken(Error::Stopped)))?;
        self.known.note(&owners.numbers);
        Ok(owners)
    }
}

fn not_taken(error: Error) -> IntakeRefused {
    IntakeRefused(Arc::new(error))
}

pub(super) async fn look(ctx: &Context, targets: impl Iterator<Item = &CallbackTarget>) -> Result<Owners> {
    let (mut numbers, mut accounts, mut pages) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for target in targets {
        match target {
            CallbackTarget::PhoneNumberId(id) => numbers.insert(id.clone()),
            CallbackTarget::Waba(id) => accounts.insert(id.clone()),
            CallbackTarget::Page(id) => pages.insert(id.clone()),
            CallbackTarget::Inbox(_) | CallbackTarget::Unknown => false,
        };
    }
    let mut owners = Owners::default();
    let mut db = ctx.db.acquire().await?;
    if !numbers.is_empty() {
        owners.numbers = directories::of_phone_number_ids(&mut db, &numbers.into_iter().collect::<Vec<_>>()).await?;
    }
    if !pages.is_empty() {
        owners.pages = directories::of_pages(&mut db, &pages.into_iter().collect::<Vec<_>>()).await?;
    }
    if !accounts.is_empty() {
        let accounts: Vec<String> = accounts.into_iter().collect();
        for (account, client) in directories::clients_of_wabas(&mut db, &accounts).await? {
            owners.accounts.entry(account).or_default().push(client);
        }
    }
    Ok(owners)
}

/// The items of each client, and the items of no client.
fn route(
    ctx: &Context,
    owners: &Owners,
    mut items: Vec<CallbackItem>,
) -> (BTreeMap<ClientId, Vec<NewCallback>>, Vec<CallbackItem>) {
    // A change may come before its message in the same callback.
    items.sort_by_key(|item| item.body.follows_messages());
    let (mut by_client, mut strays) = (BTreeMap::<ClientId, Vec<NewCallback>>::new(), Vec::new());
    for item in items {
        failed_items::count(&item.body);
        if matches!(item.body, CallbackBody::Ignored(_)) {
            continue;
        }
        let mut owners = owners.of(&item.target);
        let Some((last, lane)) = owners.pop() else {
            strays.push(item);
            continue;
        };
        let dedupe_hash: [u8; 32] = Sha256::digest(item.dedupe_key.as_bytes()).into();
        let mut give = |client: ClientId, lane: Uuid, item: CallbackItem| {
            let callback = NewCallback { id: ctx.mint::<CallbackId>(), lane, dedupe_hash, item };
            by_client.entry(client).or_default().push(callback);
        };
        for (client, lane) in owners {
            give(client, lane, item.clone());
        }
        give(last, lane, item);
    }
    (by_client, strays)
}

/// Stores a group of callbacks of one client. If that fails, each is stored alone and without applying statuses, so
/// that one bad callback does not block the others.
async fn take_group(ctx: &Context, client: ClientId, group: &[Vec<NewCallback>]) -> Vec<Taken> {
    let all: Vec<&NewCallback> = group.iter().flatten().collect();
    let Err(error) = take(ctx, client, &all, true).await else { return vec![Ok(()); group.len()] };
    if error.is_outage() {
        return vec![Err(not_taken(error)); group.len()];
    }
    tracing::warn!(client.id = %client, error = &error as &dyn std::error::Error, "a group of callbacks is stored one by one");
    let mut taken = Vec::with_capacity(group.len());
    for callback in group {
        let items: Vec<&NewCallback> = callback.iter().collect();
        taken.push(take(ctx, client, &items, false).await.map_err(not_taken));
    }
    taken
}

/// One transaction: applies statuses (if `apply`), stores unreadable items apart, and stores the rest. If all items are
/// of the last kind, one statement without a transaction is enough.
async fn take(ctx: &Context, client: ClientId, items: &[&NewCallback], apply: bool) -> Result<()> {
    let is_alone =
        |callback: &&NewCallback| !matches!(callback.item.body, CallbackBody::Status(_) | CallbackBody::Unreadable(_));
    let wakes = if !items.iter().all(is_alone) {
        let mut tx = ctx.db.begin().await?;
        let wakes = take_in(ctx, &mut tx, client, items, apply).await?;
        tx.commit().await?;
        wakes
    } else {
        take_in(ctx, &mut *ctx.db.acquire().await?, client, items, false).await?
    };
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

/// Stores items of one inbox with a known owner inside the caller's transaction. Returns the lanes to wake after the
/// commit.
pub(crate) async fn take_of_inbox(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    items: Vec<CallbackItem>,
) -> Result<BTreeSet<(Queue, Uuid)>> {
    let new = |item: CallbackItem| NewCallback {
        id: ctx.mint::<CallbackId>(),
        lane: inbox.0,
        dedupe_hash: Sha256::digest(item.dedupe_key.as_bytes()).into(),
        item,
    };
    items.iter().for_each(|item| failed_items::count(&item.body));
    let mut items = items;
    items.sort_by_key(|item| item.body.follows_messages());
    let items = items.into_iter().filter(|item| !matches!(item.body, CallbackBody::Ignored(_)));
    let items: Vec<NewCallback> = items.map(new).collect();
    let items: Vec<&NewCallback> = items.iter().collect();
    take_in(ctx, db, client, &items, true).await
}

pub(super) async fn take_in(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    items: &[&NewCallback],
    apply: bool,
) -> Result<BTreeSet<(Queue, Uuid)>> {
    let items = failed_items::keep(ctx, db, client, items).await?;
    let (mut rest, mut wakes) = (items.clone(), BTreeSet::new());
    if apply {
        rest = apply_statuses(ctx, db, client, &items, &mut wakes).await?;
    }
    let stored = if rest.is_empty() { Vec::new() } else { callbacks::insert_new(db, client, &rest, ctx.now()).await? };
    count("applied", items.len() - rest.len());
    count("new", stored.len());
    count("repeated", rest.len().saturating_sub(stored.len()));
    wakes.extend(stored.into_iter().map(|lane| (Queue::Callback, lane)));
    Ok(wakes)
}

/// Applies statuses of messages that are known and not locked. Returns the other items.
async fn apply_statuses<'a>(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    items: &[&'a NewCallback],
    wakes: &mut BTreeSet<(Queue, Uuid)>,
) -> Result<Vec<&'a NewCallback>> {
    let (statuses, mut rest): (Vec<&NewCallback>, Vec<&NewCallback>) =
        items.iter().partition(|callback| matches!(callback.item.body, CallbackBody::Status(_)));
    let updates: Vec<&StatusUpdate> = statuses.iter().filter_map(|callback| callback.item.body.status()).collect();
    if updates.is_empty() {
        return Ok(rest);
    }
    let outcome = delivery::apply_statuses(ctx, db, client, &updates, LockPolicy::Skip).await?;
    rest.extend(outcome.unknown.iter().filter_map(|position| statuses.get(*position).copied()));
    wakes.extend(outcome.wakes);
    Ok(rest)
}

fn count(taken: &'static str, items: usize) {
    if items > 0 {
        metrics::counter!("patchbay_callback_items_total", "taken" => taken).increment(items as u64);
    }
}
