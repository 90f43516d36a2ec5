//! The context of administration, with a scratch database and a clock that the test moves.

use std::{sync::Arc, time::Duration};

use base::{audit::Administration, secrets::Sealer};
use domain::{clock::IdSource, session::SessionTimes};
use props::HandClock;
use storage::Db;
use tenancy::accounts::{Authenticator, NewClient, NewUser, Role};

pub struct Office {
    pub db: Db,
    pub clock: Arc<HandClock>,
    pub ids: IdSource,
    pub sealer: Sealer,
}

impl Office {
    pub async fn open() -> Self {
        let scratch = scratch::database().await;
        Self {
            db: scratch.pool(10).await,
            clock: Arc::new(HandClock::at(1_760_000_000)),
            ids: IdSource::new([3; 32]),
            sealer: Sealer::new([7; 32]),
        }
    }

    pub fn authenticator(&self) -> Authenticator {
        Authenticator::new(self.db.clone(), Arc::<HandClock>::clone(&self.clock), self.session_times())
    }

    /// An hour without use, ten hours with it.
    pub fn session_times(&self) -> SessionTimes {
        SessionTimes::new(Duration::from_secs(3_600), Duration::from_secs(36_000))
    }

    pub fn administration(&self) -> Administration<'_> {
        Administration { db: &self.db, clock: self.clock.as_ref(), ids: &self.ids, sealer: &self.sealer }
    }
}

/// A client whose first user is Ada.
pub fn acme() -> NewClient {
    NewClient {
        client_ref: "acme".to_owned(),
        name: "Acme".to_owned(),
        email: "ada@acme.example".to_owned(),
        password: "correct horse".to_owned(),
        parent: None,
        allow_private_targets: false,
    }
}

pub fn grace() -> NewUser {
    NewUser {
        email: "grace@acme.example".to_owned(),
        password: "battery staple".to_owned(),
        name: "Grace".to_owned(),
        role: Role::Agent,
        team: None,
    }
}
