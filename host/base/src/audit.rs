//! Administrative changes: the actor, the required resources and the audit entry of each change (DESIGN 7).

use std::fmt;

use chrono::{DateTime, Utc};
use domain::{
    clock::{Clock, IdSource},
    ids::{ClientId, UserId},
};
use storage::{Db, PgConnection, tenancy::audit::AuditEntry};
use uuid::Uuid;

use crate::{Context, Result, secrets::Sealer};

/// The resources that administration needs. They are fewer than in a [`Context`], so that commands work without plugins
/// and providers.
#[derive(Clone, Copy)]
pub struct Administration<'a> {
    pub db: &'a Db,
    pub clock: &'a dyn Clock,
    pub ids: &'a IdSource,
    pub sealer: &'a Sealer,
}

impl<'a> From<&'a Context> for Administration<'a> {
    fn from(ctx: &'a Context) -> Self {
        Self { db: &ctx.db, clock: ctx.clock.as_ref(), ids: &ctx.ids, sealer: &ctx.sealer }
    }
}

impl Administration<'_> {
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    pub fn mint<Id: From<Uuid>>(&self) -> Id {
        Id::from(self.ids.mint(self.clock.now()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// A person at the command line.
    Operator,
    User(UserId),
    /// Patchbay itself, under a rule of the client.
    Platform,
}

impl Actor {
    pub fn user(self) -> Option<UserId> {
        match self {
            Self::User(user) => Some(user),
            Self::Operator | Self::Platform => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operator => f.write_str("operator"),
            Self::Platform => f.write_str("platform"),
            Self::User(user) => user.fmt(f),
        }
    }
}

/// The object of an administrative change.
#[derive(Debug, Clone)]
pub struct AuditObject {
    /// Such as `user`.
    kind: &'static str,
    id: String,
}

impl AuditObject {
    pub fn new(kind: &'static str, id: &(impl fmt::Display + ?Sized)) -> Self {
        Self { kind, id: id.to_string() }
    }
}

/// Writes the audit entry of an administrative change (DESIGN 7). Call it in the transaction of the change.
pub async fn audit(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    client: ClientId,
    actor: Actor,
    action: &str,
    object: AuditObject,
) -> Result<()> {
    let actor = actor.to_string();
    let happened_at = admin.now();
    let entry = AuditEntry {
        id: admin.ids.mint(happened_at),
        happened_at,
        actor: &actor,
        action,
        object_kind: object.kind,
        object_id: &object.id,
    };
    storage::tenancy::audit::insert(db, client, &entry).await?;
    Ok(())
}
