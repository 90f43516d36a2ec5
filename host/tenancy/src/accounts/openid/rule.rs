//! The rule of a client: the persons whom OpenID Connect admits, and if passwords stay.

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
};
use domain::ids::{ClientId, UserId};
use storage::{
    Db,
    tenancy::{
        openid::{self, OpenidMode, OpenidRule},
        profiles, session_keys,
    },
};

use crate::{
    accounts::{Role, users::UserError},
    clients::resolve_ref,
};

/// Most domains of one rule.
const DOMAINS_MAX: usize = 50;
/// Longest name in DNS.
const DOMAIN_MAX: usize = 253;

#[derive(Debug, thiserror::Error)]
pub enum OpenidRuleError {
    #[error("there is no such client")]
    UnknownClient,
    /// The rule decides who gets into a client.
    #[error("only an ADMIN of the client itself sets its rule for OpenID Connect: log in to that client")]
    OtherClient,
    #[error("must be SUPERVISOR, AGENT or DEVELOPER if `mode` is CREATE_USERS, and absent otherwise")]
    BadRole,
    #[error("must be 1 to {DOMAINS_MAX} domains such as example.com if `mode` is CREATE_USERS, and empty otherwise")]
    BadDomains,
    #[error("must stay true while `mode` is OFF: otherwise no person could log in")]
    NoWayIn,
    /// Otherwise a mistake in the settings would lock out every person.
    #[error("log in by OpenID Connect once yourself before you turn passwords off")]
    NotTried,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(OpenidRuleError: storage::Error);

/// Returns the rule of the client that a caller names.
pub async fn read_rule(db: &Db, caller: ClientId, client_ref: &str) -> Result<OpenidRule, OpenidRuleError> {
    let mut db = db.acquire().await?;
    let client = resolve_ref(&mut db, caller, client_ref).await?.ok_or(OpenidRuleError::UnknownClient)?;
    Ok(openid::rule(&mut db, client).await?)
}

/// Replaces the rule of the caller's own client. A parent cannot open a login to a client below it.
pub async fn set_rule(
    admin: &Administration<'_>,
    caller: ClientId,
    client_ref: &str,
    mut rule: OpenidRule,
    actor: Actor,
) -> Result<OpenidRule, OpenidRuleError> {
    check(&mut rule)?;
    let mut tx = admin.db.begin().await?;
    let client = resolve_ref(&mut tx, caller, client_ref).await?.ok_or(OpenidRuleError::UnknownClient)?;
    if client != caller {
        return Err(OpenidRuleError::OtherClient);
    }
    if !rule.password_login {
        let tried = match actor.user() {
            Some(user) => openid::is_linked(&mut tx, caller, user).await?,
            None => true,
        };
        if !tried {
            return Err(OpenidRuleError::NotTried);
        }
    }
    openid::set_rule(&mut tx, client, &rule, admin.now()).await?;
    audit(admin, &mut tx, client, actor, "update", AuditObject::new("openidRule", &client)).await?;
    tx.commit().await?;
    Ok(rule)
}

/// Removes the link of a user to accounts of login providers, and ends the user's sessions.
pub async fn unlink(admin: &Administration<'_>, client: ClientId, user: UserId, actor: Actor) -> Result<(), UserError> {
    let mut tx = admin.db.begin().await?;
    profiles::lock(&mut tx, client, user).await?.ok_or(UserError::Unknown)?;
    openid::unlink(&mut tx, client, user).await?;
    session_keys::remove_all(&mut tx, client, user).await?;
    audit(admin, &mut tx, client, actor, "unlink", AuditObject::new("openidAccount", &user)).await?;
    tx.commit().await?;
    Ok(())
}

fn check(rule: &mut OpenidRule) -> Result<(), OpenidRuleError> {
    let creates = rule.mode == OpenidMode::CreateUsers;
    let role_fits = match rule.role {
        Some(Role::Supervisor | Role::Agent | Role::Developer) => creates,
        // An ADMIN is made by an ADMIN, and API is for programs.
        Some(Role::Admin | Role::Api) => false,
        None => !creates,
    };
    if !role_fits {
        return Err(OpenidRuleError::BadRole);
    }
    for domain in &mut rule.email_domains {
        domain.make_ascii_lowercase();
    }
    rule.email_domains.sort();
    rule.email_domains.dedup();
    let count = rule.email_domains.len();
    let expected = if creates { 1..=DOMAINS_MAX } else { 0..=0 };
    if !expected.contains(&count) || !rule.email_domains.iter().all(|domain| is_domain(domain)) {
        return Err(OpenidRuleError::BadDomains);
    }
    if rule.mode == OpenidMode::Off && !rule.password_login {
        return Err(OpenidRuleError::NoWayIn);
    }
    Ok(())
}

fn is_domain(text: &str) -> bool {
    let label = |label: &str| {
        let plain = label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        plain && !label.is_empty() && !label.starts_with('-') && !label.ends_with('-')
    };
    text.len() <= DOMAIN_MAX && text.contains('.') && text.split('.').all(label)
}
