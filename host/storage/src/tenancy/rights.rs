//! Notices of rights that may have ended: the triggers of migration 0067 send one with the commit that changes a key, a user, the
//! masking of a client, or who may show a site. A notice says whose right to look at again; the tables say what it is now.

use domain::ids::{ClientId, InboxId, UserId};
use uuid::Uuid;

use crate::{PgPool, Result, session::Listener};

const CHANNEL: &str = "patchbay_right";

/// Whose right may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Affected {
    /// One user of a client: its key, its role, its team, or whether it exists.
    User(ClientId, UserId),
    /// All users of a client.
    Client(ClientId),
    /// Visitors of a site: its key, its origins, or whether it exists.
    Site(ClientId, InboxId),
    /// Anybody's: notices may have been missed.
    Anybody,
}

impl Affected {
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

/// Hears notices, on a session outside the pool. Fails as soon as the database answers nothing any more.
pub struct Notices(Listener);

impl Notices {
    /// Begins to listen.
    pub async fn listen(db: &PgPool) -> Result<Self> {
        Ok(Self(db.listen(CHANNEL).await?))
    }

    /// Asks the server whether it is there: one that has vanished sends no notice, and no farewell either.
    pub async fn ask(&mut self) -> Result<()> {
        self.0.takes_changes().await.map(drop)
    }

    /// The next notice; [`Affected::Anybody`] after the connection was lost and is there again. May be dropped while it waits.
    pub async fn next(&mut self) -> Result<Affected> {
        loop {
            let Some(notice) = self.0.next().await? else { return Ok(Affected::Anybody) };
            if let Some(affected) = Affected::read(notice.payload()) {
                return Ok(affected);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_names_its_kind_its_client_and_whose_right_it_is() {
        let (client, id) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let read = |kind: &str| Affected::read(&format!("{kind} {client} {id}"));
        assert_eq!(read("user"), Some(Affected::User(ClientId(client), UserId(id))));
        assert_eq!(read("client"), Some(Affected::Client(ClientId(client))));
        assert_eq!(read("site"), Some(Affected::Site(ClientId(client), InboxId(id))));
        assert_eq!(read("planet"), None);
        for notice in ["", "user", "user x y", "user 1"] {
            assert_eq!(Affected::read(notice), None, "{notice:?}");
        }
    }
}
