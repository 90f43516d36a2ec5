//! Notices of changed rights, sent by the triggers of `notify_right` (`migrations/0001_clients.sql`) with the commit. A
//! notice names the owner; the tables have the present right.

use domain::ids::{ClientId, InboxId, UserId};
use uuid::Uuid;

use crate::{Db, Result, session::Listener};

const CHANNEL: &str = "patchbay_right";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AffectedOwner {
    /// A user of a client: its key, role, team, or existence.
    User(ClientId, UserId),
    Client(ClientId),
    /// Visitors of a site: its key, origins, or existence.
    Site(ClientId, InboxId),
    /// All owners: notices may be lost.
    All,
}

impl AffectedOwner {
    fn read(notice: &str) -> Option<Self> {
        let mut words = notice.split(' ');
        let (kind, client, id) = (words.next()?, words.next()?, words.next()?);
        let (client, id): (ClientId, Uuid) = (client.parse().ok()?, id.parse().ok()?);
        match kind {
            "user" => Some(Self::User(client, UserId(id))),
            "client" => Some(Self::Client(client)),
            "site" => Some(Self::Site(client, InboxId(id))),
            // Of a later version.
            _ => None,
        }
    }
}

/// Receives notices on a session outside the pool. Fails as soon as the database does not answer.
pub struct Notices(Listener);

impl Notices {
    pub async fn listen(db: &Db) -> Result<Self> {
        Ok(Self(db.listen(CHANNEL).await?))
    }

    /// Asks the server for an answer, because a vanished server sends no end of the connection.
    pub async fn ask(&mut self) -> Result<()> {
        self.0.takes_changes().await.map(drop)
    }

    /// The next notice, or [`AffectedOwner::All`] after a lost connection is back. May be dropped.
    pub async fn next(&mut self) -> Result<AffectedOwner> {
        loop {
            let Some(notice) = self.0.next().await? else { return Ok(AffectedOwner::All) };
            if let Some(affected) = AffectedOwner::read(notice.payload()) {
                return Ok(affected);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_names_its_kind_its_client_and_the_owner_of_the_right() {
        let (client, id) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let read = |kind: &str| AffectedOwner::read(&format!("{kind} {client} {id}"));
        assert_eq!(read("user"), Some(AffectedOwner::User(ClientId(client), UserId(id))));
        assert_eq!(read("client"), Some(AffectedOwner::Client(ClientId(client))));
        assert_eq!(read("site"), Some(AffectedOwner::Site(ClientId(client), InboxId(id))));
        assert_eq!(read("planet"), None);
        for notice in ["", "user", "user x y", "user 1"] {
            assert_eq!(AffectedOwner::read(notice), None, "{notice:?}");
        }
    }
}
