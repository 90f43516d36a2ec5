//! Wrong passwords: what they are counted by, and when they close an account for a while.
//!
//! An account is closed for strangers and for each familiar place apart. A familiar place is a source address from which the account was
//! logged in to within [`FAMILIAR_FOR`]. So ten wrong passwords of a stranger close the account for all strangers together,
//! and its user still logs in from the usual places.

use std::{net::IpAddr, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use domain::source::source_of;
use sha2::{Digest, Sha256};
use storage::{PgConnection, tenancy::login_failures};
use uuid::Uuid;

use super::LoginError;
use base::audit::Administration;

/// Wrong passwords within [`FAILURE_WINDOW`]; one more is not even judged (DESIGN 7).
const FAILURES_ALLOWED: usize = 10;
const FAILURE_WINDOW: TimeDelta = TimeDelta::minutes(15);
/// How long a place stays familiar after the last login from there.
const FAMILIAR_FOR: TimeDelta = TimeDelta::days(90);

/// What the wrong passwords of a login are counted by.
pub(super) struct Counted {
    account: Vec<u8>,
    place: Option<Vec<u8>>,
    /// The account for strangers; the account and the place for a familiar place.
    key: Vec<u8>,
}

impl Counted {
    /// Looks up whether `from` is a familiar place of the account.
    pub(super) async fn find(
        db: &mut PgConnection,
        account: Vec<u8>,
        from: Option<IpAddr>,
    ) -> Result<Self, storage::Error> {
        let place = from.map(|address| Sha256::digest(source_of(address).to_string()).to_vec());
        let key = match &place {
            Some(place) if login_failures::is_known_place(db, &account, place).await? => {
                Sha256::new().chain_update(&account).chain_update(place).finalize().to_vec()
            }
            _ => account.clone(),
        };
        Ok(Self { account, place, key })
    }

    /// Makes logins that are counted alike wait for each other until the transaction ends.
    pub(super) async fn lock(&self, db: &mut PgConnection) -> Result<(), storage::Error> {
        login_failures::lock_account(db, &self.key).await
    }

    /// Refuses a login after too many wrong passwords.
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

    /// Counts a wrong password.
    pub(super) async fn record(&self, admin: &Administration<'_>, db: &mut PgConnection) -> Result<(), storage::Error> {
        login_failures::record_failure(db, &self.key, admin.mint::<Uuid>(), admin.now()).await
    }

    /// The password was right: the place is familiar from now on.
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

/// The failure whose passing lets the next attempt in, when there are too many.
fn oldest_that_counts(newest_first: &[DateTime<Utc>]) -> Option<DateTime<Utc>> {
    newest_first.get(FAILURES_ALLOWED - 1).copied()
}

/// Forgets failures that no longer count, and places that are no longer familiar. Part of the daily upkeep.
///
/// Answers how many rows those were.
pub async fn forget_old_failures(admin: &Administration<'_>) -> base::Result<u64> {
    let mut db = admin.db.acquire().await?;
    let failures = login_failures::forget_failures(&mut db, admin.now() - FAILURE_WINDOW).await?;
    Ok(failures + login_failures::forget_places(&mut db, admin.now() - FAMILIAR_FOR).await?)
}
