//! Administrative changes: their actors, their context, and the row that each one leaves (DESIGN 7).

use std::fmt;

use chrono::{DateTime, Utc};
use domain::{
    clock::{Clock, IdSource},
    ids::{ClientId, UserId},
};
use storage::{PgConnection, PgPool, tenancy::audit::AuditEntry};
use uuid::Uuid;

use crate::{Context, Result, secrets::Sealer};

/// The context of an administrative change. It is smaller than a [`Context`], so that commands work without plugins and
/// providers.
#[derive(Clone, Copy)]
pub struct Administration<'a> {
    /// The database.
    pub db: &'a PgPool,
    /// The business clock.
    pub clock: &'a dyn Clock,
    /// Ids.
    pub ids: &'a IdSource,
    /// Seals secrets.
    pub sealer: &'a Sealer,
}

impl<'a> From<&'a Context> for Administration<'a> {
    fn from(ctx: &'a Context) -> Self {
        Self { db: &ctx.db, clock: ctx.clock.as_ref(), ids: &ctx.ids, sealer: &ctx.sealer }
    }
}

impl Administration<'_> {
    /// The present moment of the business clock.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// A new id for something that happens now.
    pub fn mint<Id: From<Uuid>>(&self) -> Id {
        Id::from(self.ids.mint(self.clock.now()))
    }
}

/// The actor of an administrative change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// A person at the command line.
    Operator,
    /// A user through the API.
    User(UserId),
    /// Patchbay itself, by a rule that the client set.
    Platform,
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

/// Records an administrative change (DESIGN 7). Call it in the transaction that makes the change. `object` is the
/// changed object: its kind, such as `user`, and its id.
pub async fn audit(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    client: ClientId,
    actor: Actor,
    action: &str,
    object: (&str, &str),
) -> Result<()> {
    let (object_kind, object_id) = object;
    let actor = actor.to_string();
    let happened_at = admin.now();
    let id = admin.ids.mint(happened_at);
    let entry = AuditEntry { id, happened_at, actor: &actor, action, object_kind, object_id };
    storage::tenancy::audit::insert(db, client, &entry).await?;
    Ok(())
}
