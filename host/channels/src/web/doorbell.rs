//! Wakes the sockets of this process when a visitor has a new message. A ring may be lost, because sockets also poll.

use std::{collections::HashSet, sync::Arc};

use domain::ids::{ClientId, InboxId};
use parking_lot::Mutex;
use tokio::sync::Notify;

pub type VisitorKey = (ClientId, InboxId, String);

/// Most unanswered rings. Further ones are found by looking.
const MOST: usize = 10_000;

#[derive(Debug, Clone, Default)]
pub struct Doorbell {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    rung: Mutex<HashSet<VisitorKey>>,
    heard: Notify,
}

impl Doorbell {
    pub fn ring(&self, client: ClientId, inbox: InboxId, visitor: &str) {
        let mut rung = self.inner.rung.lock();
        if rung.len() < MOST {
            rung.insert((client, inbox, visitor.to_owned()));
        }
        drop(rung);
        self.inner.heard.notify_one();
    }

    pub async fn rings(&self) {
        self.inner.heard.notified().await;
    }

    /// Returns the visitors since the last call.
    pub fn answer(&self) -> HashSet<VisitorKey> {
        std::mem::take(&mut *self.inner.rung.lock())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn a_ring_before_the_listener_waits_is_heard_and_several_count_as_one() {
        let (bell, client, site) = (Doorbell::default(), ClientId(Uuid::nil()), InboxId(Uuid::nil()));
        bell.ring(client, site, "ann");
        bell.clone().ring(client, site, "ann");
        bell.rings().await;
        assert_eq!(bell.answer().len(), 1);
        assert!(bell.answer().is_empty());
    }

    #[test]
    fn unanswered_rings_do_not_accumulate() {
        let (bell, client, site) = (Doorbell::default(), ClientId(Uuid::nil()), InboxId(Uuid::nil()));
        (0..MOST + 5).for_each(|visitor| bell.ring(client, site, &visitor.to_string()));
        assert_eq!(bell.answer().len(), MOST);
    }
}
