//! Finds the caller of a request by its API key or session key. Keys are not cached, so a replaced key fails at once on
//! all nodes. Instead, requests that arrive together share a statement, which starts after the last of them.

use std::{collections::HashMap, mem, sync::Arc, time::Duration};

use base::api_key::key_hash;
use chrono::{DateTime, Utc};
use domain::{
    clock::Clock,
    ids::{ClientId, SessionId, UserId},
    privacy::CustomerVisibility,
    sandbox::KeyMode,
    session::{SessionPurpose, SessionTimes},
};
use parking_lot::{Mutex, MutexGuard};
use storage::{
    Db, PgConnection,
    silence::{self, within},
    tenancy::{api_keys::KeyOwner, disablement::DisabledOwner, session_keys},
};
use tokio::sync::oneshot;

use super::Role;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub client: ClientId,
    pub user: UserId,
    pub role: Role,
    pub client_ref: String,
    pub sight: CustomerVisibility,
    pub mode: KeyMode,
    /// The client whose share of the limits its requests use: of a test key, the client of its sandbox.
    pub live_client: ClientId,
    /// SHA-256 of the key. An open connection is closed when the key changes.
    pub key_hash: Vec<u8>,
    /// Then its requests are refused.
    pub disabled: Option<DisabledOwner>,
    /// The session of a session key.
    pub session: Option<SessionId>,
    /// Bounds the permissions of its role.
    pub purpose: SessionPurpose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("API keys cannot be looked up now; try again in a few seconds")]
pub struct LookupUnavailable;

/// Most statements in flight at the same time. Further requests wait for the next one.
const STATEMENTS: usize = 4;
/// Waiting requests from which a second statement is worth its cost.
const ANOTHER: usize = 16;

const MAX_CHECK_TIME: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub struct Authenticator {
    shared: Arc<Shared>,
}

struct Shared {
    db: Db,
    clock: Arc<dyn Clock>,
    sessions: SessionTimes,
    gathering: Mutex<Gathering>,
}

#[derive(Default)]
struct Gathering {
    waiting: Vec<Waiting>,
    running: usize,
}

struct Waiting {
    key_hash: Vec<u8>,
    answer: oneshot::Sender<Result<Option<Caller>, LookupUnavailable>>,
}

impl Authenticator {
    pub fn new(db: Db, clock: Arc<dyn Clock>, sessions: SessionTimes) -> Self {
        Self { shared: Arc::new(Shared { db, clock, sessions, gathering: Mutex::default() }) }
    }

    /// Finds the caller of a key, which is compared byte for byte with the header. `None` if there is no such key.
    ///
    /// The lookup joins those that wait. A statement starts at once if none runs. If some run, another one starts only
    /// when enough lookups wait; otherwise the end of a running one starts the next.
    pub async fn authenticate(&self, key: &[u8]) -> Result<Option<Caller>, LookupUnavailable> {
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
            // A separate task, because it serves other requests too and must outlive this one.
            tokio::spawn(answer_all(Arc::clone(&self.shared)));
        }
        answered.await.unwrap_or(Err(LookupUnavailable))
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Gathering> {
        self.gathering.lock()
    }

    /// All waiting requests. `None` if there are none, and then the caller has ended.
    fn next_group(&self) -> Option<Vec<Waiting>> {
        let mut gathering = self.lock();
        let too_few = gathering.running > 1 && gathering.waiting.len() < ANOTHER;
        if gathering.waiting.is_empty() || too_few {
            gathering.running -= 1;
            return None;
        }
        Some(mem::take(&mut gathering.waiting))
    }

    /// Records the use of session keys whose last record is old. A failure is no failure of the requests.
    async fn record_use(&self, db: &mut PgConnection, owners: &[KeyOwner], now: DateTime<Utc>) {
        let recorded_before = self.sessions.recorded_before(now);
        let due = owners.iter().filter(|owner| owner.session.is_some_and(|session| session.used_at < recorded_before));
        let due: Vec<Vec<u8>> = due.map(|owner| owner.key_hash.clone()).collect();
        if due.is_empty() {
            return;
        }
        let recording = session_keys::record_use(db, &due, now, self.sessions.expiry(now), recorded_before);
        let recorded = within(MAX_CHECK_TIME, recording).await.unwrap_or_else(|| Err(silence::silent()));
        if let Err(error) = recorded {
            tracing::warn!(error = &error as &dyn std::error::Error, "the use of session keys could not be recorded");
        }
    }
}

async fn answer_all(shared: Arc<Shared>) {
    loop {
        // While this waits for a connection, more requests arrive.
        let connection = shared.db.acquire().await;
        let Some(group) = shared.next_group() else { return };
        let owners = match connection {
            Ok(mut db) => {
                let hashes: Vec<Vec<u8>> = group.iter().map(|waiting| waiting.key_hash.clone()).collect();
                // Later requests wait for this lookup too, so a dead connection must not block them.
                let now = shared.clock.now();
                let looking = storage::tenancy::api_keys::owners(&mut db, &hashes, now);
                let owners = within(MAX_CHECK_TIME, looking).await.unwrap_or_else(|| Err(silence::silent()));
                if let Ok(owners) = &owners {
                    shared.record_use(&mut db, owners, now).await;
                }
                owners
            }
            Err(error) => Err(error),
        };
        match owners {
            Ok(owners) => give_out(group, owners),
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "API keys cannot be looked up");
                for waiting in group {
                    // The request may have been cancelled.
                    drop(waiting.answer.send(Err(LookupUnavailable)));
                }
            }
        }
    }
}

fn give_out(group: Vec<Waiting>, owners: Vec<KeyOwner>) {
    let callers: HashMap<Vec<u8>, Caller> = owners
        .into_iter()
        .map(|owner| {
            let (sight, mode) = (owner.role.sight(owner.popia_compliant), owner.mode());
            let caller = Caller {
                client: owner.client,
                user: owner.user,
                role: owner.role,
                client_ref: owner.client_ref,
                sight,
                mode,
                live_client: owner.live_client,
                key_hash: owner.key_hash.clone(),
                disabled: owner.disabled,
                session: owner.session.map(|session| session.id),
                purpose: owner.session.map_or(SessionPurpose::Login, |session| session.purpose),
            };
            (owner.key_hash, caller)
        })
        .collect();
    for waiting in group {
        let caller = callers.get(&waiting.key_hash).cloned();
        drop(waiting.answer.send(Ok(caller)));
    }
}
