//! Who a request comes from. Keys are not cached, so a regenerated key fails at once on every node; instead, requests of
//! one moment share a statement, which starts after the last of them arrived.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{
    ids::{ClientId, UserId},
    privacy::Sight,
};
use storage::{
    PgPool,
    silence::{self, within},
    tenancy::api_keys::KeyOwner,
};
use tokio::sync::oneshot;

use super::{Role, keys::key_hash};

/// Whom an API key stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The client: first argument of everything that follows.
    pub client: ClientId,
    /// The user.
    pub user: UserId,
    /// What the user may do.
    pub role: Role,
    /// The client's name.
    pub client_ref: String,
    /// How much the user sees of who the client's customers are.
    pub sight: Sight,
    /// SHA-256 of the key: what it opens is open for as long as it is the user's.
    pub key_hash: Vec<u8>,
}

/// The database could not say whose key it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("API keys cannot be looked up right now")]
pub struct Unavailable;

/// Statements in flight at once: while they are on their way the next ones gather.
const STATEMENTS: usize = 4;
/// Requests that are worth a statement beside one that is in flight.
const ANOTHER: usize = 16;

/// How long one statement may take.
const LONGEST_LOOK: Duration = Duration::from_secs(10);

/// Finds the callers of API keys. Cheap to clone.
#[derive(Clone)]
pub struct Authenticator {
    shared: Arc<Shared>,
}

struct Shared {
    db: PgPool,
    gathering: Mutex<Gathering>,
}

#[derive(Default)]
struct Gathering {
    waiting: Vec<Waiting>,
    running: usize,
}

struct Waiting {
    key_hash: Vec<u8>,
    answer: oneshot::Sender<Result<Option<Caller>, Unavailable>>,
}

impl Authenticator {
    /// Looks keys up in `db`.
    pub fn new(db: PgPool) -> Self {
        Self { shared: Arc::new(Shared { db, gathering: Mutex::default() }) }
    }

    /// The caller of a key, exactly as the header carries it; `None` when there is no such key.
    pub async fn authenticate(&self, key: &[u8]) -> Result<Option<Caller>, Unavailable> {
        let (answer, answered) = oneshot::channel();
        let start = {
            let mut gathering = self.shared.lock();
            gathering.waiting.push(Waiting { key_hash: key_hash(key), answer });
            let start = match gathering.running {
                0 => true,
                running => running < STATEMENTS && gathering.waiting.len() >= ANOTHER,
            };
            if start {
                gathering.running += 1;
            }
            start
        };
        if start {
            // A task of its own: it serves others too, and must not end with the request that began it.
            tokio::spawn(answer_all(Arc::clone(&self.shared)));
        }
        answered.await.unwrap_or(Err(Unavailable))
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Gathering> {
        self.gathering.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everybody who waits; `None` once nobody does, and then the caller has ended.
    fn next_group(&self) -> Option<Vec<Waiting>> {
        let mut gathering = self.lock();
        let too_few = gathering.running > 1 && gathering.waiting.len() < ANOTHER;
        if gathering.waiting.is_empty() || too_few {
            gathering.running -= 1;
            return None;
        }
        Some(mem::take(&mut gathering.waiting))
    }
}

async fn answer_all(shared: Arc<Shared>) {
    loop {
        // Waiting for a connection may take a while, and more requests gather meanwhile.
        let connection = shared.db.acquire().await;
        let Some(group) = shared.next_group() else { return };
        let owners = match connection {
            Ok(mut db) => {
                let hashes: Vec<Vec<u8>> = group.iter().map(|waiting| waiting.key_hash.clone()).collect();
                // Later requests wait for this look, too: a connection over which nothing comes any more must not hold them all up.
                let looking = storage::tenancy::api_keys::owners(&mut db, &hashes);
                within(LONGEST_LOOK, looking).await.unwrap_or_else(|| Err(silence::silent()))
            }
            Err(error) => Err(error.into()),
        };
        match owners {
            Ok(owners) => give_out(group, owners),
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "API keys cannot be looked up");
                for waiting in group {
                    // A request that went away needs no answer.
                    drop(waiting.answer.send(Err(Unavailable)));
                }
            }
        }
    }
}

fn give_out(group: Vec<Waiting>, owners: Vec<KeyOwner>) {
    let callers: HashMap<Vec<u8>, Caller> = owners
        .into_iter()
        .map(|owner| {
            let sight = owner.role.sight(owner.popia_compliant);
            let caller = Caller {
                client: owner.client,
                user: owner.user,
                role: owner.role,
                client_ref: owner.client_ref,
                sight,
                key_hash: owner.key_hash.clone(),
            };
            (owner.key_hash, caller)
        })
        .collect();
    for waiting in group {
        let caller = callers.get(&waiting.key_hash).cloned();
        drop(waiting.answer.send(Ok(caller)));
    }
}
