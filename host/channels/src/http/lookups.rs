//! Bounds the concurrent name look-ups of one client: a client with silent name servers uses only its own places.

use domain::ids::ClientId;

use crate::shares::{SharePart, Shares};

/// Concurrent look-ups of one client, and of all calls without a client together.
pub(super) const AT_ONCE: usize = 8;

tokio::task_local! {
    /// The client of the present call. The HTTP client passes only the name to its resolver.
    static CALLER: Option<ClientId>;
}

pub(super) async fn on_behalf_of<T>(caller: Option<ClientId>, call: impl Future<Output = T>) -> T {
    CALLER.scope(caller, call).await
}

pub(super) struct Lookups {
    shares: Shares<Option<ClientId>>,
}

impl Default for Lookups {
    fn default() -> Self {
        Self { shares: Shares::new(AT_ONCE) }
    }
}

impl Lookups {
    /// A turn of the client of the present call. Request it within the call; it may be awaited elsewhere.
    pub(super) fn turn(&self) -> impl Future<Output = SharePart> + Send + use<> {
        let caller = CALLER.try_with(|caller| *caller).ok().flatten();
        self.shares.take(caller, 1)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn client(id: u128) -> Option<ClientId> {
        Some(ClientId(Uuid::from_u128(id)))
    }

    #[tokio::test]
    async fn a_client_has_a_limit_of_simultaneous_turns_and_others_have_their_own() {
        let lookups = Lookups::default();
        let mut turns = Vec::new();
        for _ in 0..AT_ONCE {
            turns.push(on_behalf_of(client(1), async { lookups.turn().await }).await.unwrap());
        }
        let mut next = Box::pin(on_behalf_of(client(1), async { lookups.turn().await }));
        assert!(futures::poll!(&mut next).is_pending(), "one more than its share");
        assert!(futures::poll!(Box::pin(on_behalf_of(client(2), async { lookups.turn().await }))).is_ready());
        assert!(futures::poll!(Box::pin(lookups.turn())).is_ready(), "calls without a client");

        turns.pop();
        assert!(futures::poll!(&mut next).is_ready(), "a turn that has become free");
    }
}
