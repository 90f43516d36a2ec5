//! Password hashes: argon2id, outside the async threads.

use std::sync::LazyLock;

use argon2::{
    Algorithm, Argon2, Params, PasswordHash, PasswordHasher, PasswordVerifier, Version, password_hash::SaltString,
};
use base::{secrets, share_of_strangers};
use tokio::{sync::Semaphore, task};

use super::turns::{LoginTurn, LoginTurns};

/// 19 MiB, two passes, one lane: the first of the parameter sets that OWASP calls equivalent.
fn argon2id() -> Option<Argon2<'static>> {
    let params = Params::new(19 * 1024, 2, 1, None).ok()?;
    Some(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// New passwords are hashed one at a time, because each needs 19 MiB and a core. Only callers with a key or a shell can
/// cause this.
static CREATING: Semaphore = Semaphore::const_new(1);

/// The order in which given passwords are hashed.
pub(super) static TURNS: LazyLock<LoginTurns> = LazyLock::new(|| LoginTurns::new(share_of_strangers().turns()));

/// Checked if the account does not exist, so that this takes as long as a wrong password.
static DUMMY_HASH: LazyLock<Option<String>> = LazyLock::new(|| hash_now("a password without a user"));

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a password could not be hashed")]
pub(super) struct HashFailed;

pub(super) async fn hash(password: String) -> Result<String, HashFailed> {
    let _turn = CREATING.acquire().await.map_err(|_| HashFailed)?;
    task::spawn_blocking(move || hash_now(&password)).await.ok().flatten().ok_or(HashFailed)
}

/// Compares a password with a stored hash, during its turn. The turn ends with the work, also if the caller hangs up. `None` (no such account) takes the same time and returns
/// `false`. So does a password that is too long, because a failure is stored and must not be cheaper to cause.
pub(super) async fn verify(
    turn: LoginTurn<'static>,
    password: String,
    stored: Option<String>,
) -> Result<bool, HashFailed> {
    let stored = stored.filter(|_| password.len() <= PASSWORD_MAX);
    let known = stored.is_some();
    let matches = task::spawn_blocking(move || {
        let _turn = turn;
        let stored = stored.or_else(|| DUMMY_HASH.clone())?;
        let parsed = PasswordHash::new(&stored).ok()?;
        Some(argon2id()?.verify_password(password.as_bytes(), &parsed).is_ok())
    });
    let matches = matches.await.ok().flatten().ok_or(HashFailed)?;
    Ok(known && matches)
}

fn hash_now(password: &str) -> Option<String> {
    let salt = secrets::random::<16>().ok()?;
    let salt = SaltString::encode_b64(&salt).ok()?;
    Some(argon2id()?.hash_password(password.as_bytes(), &salt).ok()?.to_string())
}

pub(super) const PASSWORD_MIN: usize = 8;

pub(super) const PASSWORD_MAX: usize = 1024;
