//! Counts wrong passwords, and blocks an account for a while after too many.
//!
//! An account is blocked for strangers as a group, and for each familiar place separately. A familiar place is a source
//! address with a login to this account within [`FAMILIAR_FOR`]. So ten wrong passwords of strangers block all
//! strangers, but the user can still log in from the usual places.

use std::{net::IpAddr, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use domain::source::CountedSource;
use sha2::{Digest, Sha256};
use storage::{PgConnection, tenancy::login_failures};
use uuid::Uuid;

use super::LoginError;
use base::audit::Administration;

/// Wrong passwords within [`FAILURE_WINDOW`]. Further attempts are refused without a check (DESIGN 7).
const FAILURES_ALLOWED: usize = 10;
const FAILURE_WINDOW: TimeDelta = TimeDelta::minutes(15);
const FAMILIAR_FOR: TimeDelta = TimeDelta::days(90);

pub(super) struct FailureCounter {
    account: Vec<u8>,
    place: Option<Vec<u8>>,
    /// For strangers the account, for a familiar place the account and the place.
    key: Vec<u8>,
}

impl FailureCounter {
    pub(super) async fn find(
        db: &mut PgConnection,
        account: Vec<u8>,
        from: Option<IpAddr>,
    ) -> Result<Self, storage::Error> {
        let place = from.map(|address| Sha256::digest(CountedSource::of(address).to_string()).to_vec());
        let key = match &place {
            Some(place) if login_failures::is_known_place(db, &account, place).await? => {
                Sha256::new().chain_update(&account).chain_update(place).finalize().to_vec()
            }
            _ => account.clone(),
        };
        Ok(Self { account, place, key })
    }

    /// Serialises logins with the same counter until the transaction ends.
    pub(super) async fn lock(&self, db: &mut PgConnection) -> Result<(), storage::Error> {
        login_failures::lock_account(db, &self.key).await
    }

    pub(super) async fn refuse_when_limited(
        &self,
        admin: &Administration<'_>,
        db: &mut PgConnection,
    ) -> Result<(), LoginError> {
        let now = admin.now();
        let limit = i64::try_from(FAILURES_ALLOWED).unwrap_or(i64::MAX);
        let failures = login_failures::recent_failures(db, &self.key, now - FAILURE_WINDOW, limit).await?;
        match oldest_that_counts(&failures) {
            Some(oldest) => {
                let retry_after = (oldest + FAILURE_WINDOW - now).to_std().unwrap_or_default();
                Err(LoginError::RateLimited { retry_after: retry_after.max(Duration::from_secs(1)) })
            }
            None => Ok(()),
        }
    }

    pub(super) async fn record(&self, admin: &Administration<'_>, db: &mut PgConnection) -> Result<(), storage::Error> {
        login_failures::record_failure(db, &self.key, admin.mint::<Uuid>(), admin.now()).await
    }

    pub(super) async fn welcome(
        &self,
        admin: &Administration<'_>,
        db: &mut PgConnection,
    ) -> Result<(), storage::Error> {
        match &self.place {
            Some(place) => login_failures::remember_place(db, &self.account, place, admin.now()).await,
            None => Ok(()),
        }
    }
}

/// The failure that must expire before the next attempt, if there are too many.
fn oldest_that_counts(newest_first: &[DateTime<Utc>]) -> Option<DateTime<Utc>> {
    newest_first.get(FAILURES_ALLOWED - 1).copied()
}

pub async fn forget_old_failures(admin: &Administration<'_>) -> base::Result<u64> {
    let mut db = admin.db.acquire().await?;
    let failures = login_failures::forget_failures(&mut db, admin.now() - FAILURE_WINDOW).await?;
    Ok(failures + login_failures::forget_places(&mut db, admin.now() - FAMILIAR_FOR).await?)
}
