//! Finds the user for a person that the provider identified: one that is linked already, one with the same e-mail
//! address, or a new one, if the rule of the client permits it.

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::SealError,
};
use channels::openid::OpenidPerson;
use domain::ids::{ClientId, UserId};
use storage::{
    PgConnection,
    tenancy::{
        clients,
        openid::{self, LinkedUser, OpenidAccount, OpenidMode, OpenidRule},
        users,
    },
    violates,
};

use super::OpenidLoginError;
use crate::accounts::{
    Role, TemporaryPassword,
    create::{check_email, check_name},
    password,
};

/// A person that the provider identified, and the client to log in to. The person may have a user of the client
/// already.
pub(super) struct LoginCandidate<'a> {
    pub person: &'a OpenidPerson,
    pub issuer: &'a str,
    pub client_ref: &'a str,
}

impl LoginCandidate<'_> {
    /// The account of the person at the provider, to which a user can be linked.
    fn account(&self) -> OpenidAccount<'_> {
        OpenidAccount { issuer: self.issuer, subject: &self.person.subject }
    }

    /// The address by which a user of the client is found. Fails if the provider has not verified it.
    fn email(&self) -> Result<&str, OpenidLoginError> {
        let email = self.person.email.as_deref().filter(|email| check_email(email).is_ok());
        email.filter(|_| self.person.email_verified).ok_or(OpenidLoginError::UnverifiedEmail)
    }

    fn name<'s>(&'s self, email: &'s str) -> &'s str {
        let name = self.person.name.as_deref().filter(|name| check_name(name).is_ok());
        name.unwrap_or_else(|| email.split('@').next().unwrap_or(email))
    }

    fn new_user(&self, id: UserId, email: &str, role: Role, password_hash: String) -> users::User {
        users::User {
            id,
            email: email.to_owned(),
            name: self.name(email).to_owned(),
            role,
            team: None,
            password_hash,
            password_is_temporary: true,
        }
    }

    /// Returns the hash of a random password that is shown to no person, if the login will create a user: each user has
    /// a password.
    pub async fn unusable_password(&self, admin: &Administration<'_>) -> Result<Option<String>, OpenidLoginError> {
        if !is_storable(&self.person.subject) || !self.needs_user(admin).await? {
            return Ok(None);
        }
        let password = TemporaryPassword::generate().map_err(Error::from)?;
        let hash = password::hash(password.expose().to_owned()).await;
        Ok(Some(hash.map_err(|_| Error::Sealed(SealError::NoRandomness))?))
    }

    async fn needs_user(&self, admin: &Administration<'_>) -> Result<bool, OpenidLoginError> {
        let mut db = admin.db.acquire().await?;
        let Some(client) = clients::find_by_ref(&mut db, self.client_ref).await? else { return Ok(false) };
        let Ok(email) = self.email() else { return Ok(false) };
        let rule = openid::rule(&mut db, client).await?;
        Ok(makes_users_of(&rule, email)
            && openid::find_user(&mut db, client, self.account()).await?.is_none()
            && users::find_by_email(&mut db, client, email).await?.is_none())
    }
}

/// Finds or creates the user. `password` is the hash for a new one; without it none is created.
pub(super) async fn admit(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    client: ClientId,
    candidate: &LoginCandidate<'_>,
    password: Option<String>,
) -> Result<UserId, OpenidLoginError> {
    let rule = openid::rule(db, client).await?;
    if rule.mode == OpenidMode::Off {
        return Err(OpenidLoginError::Off { client_ref: candidate.client_ref.to_owned() });
    }
    if !is_storable(&candidate.person.subject) {
        return Err(OpenidLoginError::UnverifiedEmail);
    }
    let linked = openid::find_user(db, client, candidate.account()).await?;
    if let Some(LinkedUser::Present(user)) = linked {
        return Ok(user);
    }
    let email = candidate.email()?;
    let deleted = || OpenidLoginError::Deleted { client_ref: candidate.client_ref.to_owned(), email: email.to_owned() };
    let no_user = || OpenidLoginError::NoUser { client_ref: candidate.client_ref.to_owned(), email: email.to_owned() };
    let user = match (users::find_by_email(db, client, email).await?, password) {
        // PostgreSQL folds more characters than ASCII (`K` of U+212A becomes `k`), and the provider tells them apart.
        (Some(found), _) if found.email.eq_ignore_ascii_case(email) => found.id,
        // The account may have another address by now.
        _ if linked.is_some() => return Err(deleted()),
        (None, Some(_)) if users::was_deleted(db, client, email).await? => return Err(deleted()),
        (None, Some(password_hash)) if makes_users_of(&rule, email) => {
            let role = rule.role.ok_or_else(no_user)?;
            let new = candidate.new_user(admin.mint(), email, role, password_hash);
            insert(admin, db, client, new).await?
        }
        _ => return Err(no_user()),
    };
    if linked.is_some() {
        openid::unlink_account(db, client, candidate.account()).await?;
    }
    openid::link(db, client, user, candidate.account(), admin.now()).await.map_err(|error| {
        if violates(&error, openid::IDENTITY_USER_UNIQUE) {
            OpenidLoginError::OtherAccount
        } else if violates(&error, openid::IDENTITY_UNIQUE) {
            OpenidLoginError::Concurrent
        } else {
            error.into()
        }
    })?;
    audit(admin, db, client, Actor::User(user), "link", AuditObject::new("openidAccount", &user)).await?;
    Ok(user)
}

/// True if the account of the person is linked to the user.
pub(super) async fn is_linked(
    db: &mut PgConnection,
    client: ClientId,
    candidate: &LoginCandidate<'_>,
    user: UserId,
) -> Result<bool, OpenidLoginError> {
    Ok(openid::find_user(db, client, candidate.account()).await? == Some(LinkedUser::Present(user)))
}

async fn insert(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    client: ClientId,
    user: users::User,
) -> Result<UserId, OpenidLoginError> {
    users::insert(db, client, &user, admin.now()).await.map_err(|error| {
        if violates(&error, users::EMAIL_UNIQUE) { OpenidLoginError::Concurrent } else { error.into() }
    })?;
    audit(admin, db, client, Actor::Platform, "create", AuditObject::new("user", &user.id)).await?;
    Ok(user.id)
}

fn makes_users_of(rule: &OpenidRule, email: &str) -> bool {
    let domain = email.rsplit_once('@').map(|(_, domain)| domain.to_ascii_lowercase());
    rule.mode == OpenidMode::CreateUsers && domain.is_some_and(|domain| rule.email_domains.contains(&domain))
}

/// OpenID Connect allows 255 characters. PostgreSQL texts have no NUL characters.
fn is_storable(subject: &str) -> bool {
    (1..=255).contains(&subject.len()) && !subject.contains('\0')
}
