//! Work on large bodies, done apart. The threads of the runtime serve all requests, so none of them may be busy with one body for
//! long. Few bodies are worked on at once, and clients take turns: one that sends many large ones waits for its own, and another
//! client finds a place free or waits for one body.

use std::{hash::Hash, sync::LazyLock};

use domain::ids::ClientId;
use plugin_host::{Turn, TurnTerms, Turns};
use tokio::{sync::oneshot, task};

use crate::{Error, Result};

/// Up to so many bytes are worked on where they are: moving them would take longer.
const SMALL: usize = 64 * 1024;

/// The owner of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Whose {
    /// A client, after its key or signature was verified.
    Client(ClientId),
    /// A provider, after its signature was verified. The body may be about several clients.
    Provider,
    /// Anybody's: these wait for each other and never keep a known caller waiting.
    Anybody,
}

impl From<Option<ClientId>> for Whose {
    fn from(client: Option<ClientId>) -> Self {
        client.map_or(Self::Anybody, Self::Client)
    }
}

/// A body that waits is there already, and counted to its owner: it is not refused here.
const ALL_WAIT: usize = usize::MAX;

static OF_KNOWN: LazyLock<Turns<Whose>> =
    LazyLock::new(|| Turns::new(TurnTerms { places: 3, per_owner: 2, waiting_per_owner: ALL_WAIT }));
static OF_ANYBODY: LazyLock<Turns<Whose>> =
    LazyLock::new(|| Turns::new(TurnTerms { places: 1, per_owner: 1, waiting_per_owner: ALL_WAIT }));

/// Does work that takes time with the length of a body of `bytes`.
pub async fn work<T: Send + 'static>(
    bytes: usize,
    whose: Whose,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    if bytes <= SMALL {
        return Ok(work());
    }
    let turns = match whose {
        Whose::Client(_) | Whose::Provider => &OF_KNOWN,
        Whose::Anybody => &OF_ANYBODY,
    };
    let turn = turns.take(whose).await.map_err(|_| Error::Stopped)?;
    in_turn(turn, work).await
}

/// Does work on a thread of its own, and holds a turn until it is done: a caller that hangs up ends the waiting, not the work.
pub async fn in_turn<O: Eq + Hash + Clone + Send + 'static, T: Send + 'static>(
    turn: Turn<O>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let (tell, told) = oneshot::channel();
    let work = Box::new(move || {
        // A caller that has hung up does not listen any more.
        drop(tell.send(work()));
        drop(turn);
    });
    on_a_thread(work).await?;
    told.await.map_err(|_| Error::Stopped)
}

/// Compiled once: there are as many kinds of work as there are bodies.
async fn on_a_thread(work: Box<dyn FnOnce() + Send>) -> Result<()> {
    match task::spawn_blocking(work).await {
        Ok(()) => Ok(()),
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Error::Stopped),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Arc, Mutex, mpsc},
        thread,
    };

    use uuid::Uuid;

    use super::*;

    fn client(number: u128) -> Whose {
        Whose::Client(ClientId(Uuid::from_u128(number)))
    }

    async fn thread_of(bytes: usize, whose: Whose) -> thread::ThreadId {
        work(bytes, whose, || thread::current().id()).await.unwrap()
    }

    #[tokio::test]
    async fn small_bodies_stay_and_large_ones_move_to_a_thread_that_serves_no_requests() {
        let here = thread::current().id();
        for whose in [client(1), Whose::Provider, Whose::Anybody] {
            assert_eq!(thread_of(SMALL, whose).await, here);
            assert_ne!(thread_of(SMALL + 1, whose).await, here);
        }
    }

    #[tokio::test]
    async fn bodies_of_strangers_do_not_keep_a_known_caller_waiting() {
        let (let_go, held) = mpsc::channel::<()>();
        let stranger = tokio::spawn(work(SMALL + 1, Whose::Anybody, move || held.recv().is_ok()));
        let another = tokio::spawn(work(SMALL + 1, Whose::Anybody, || ()));
        tokio::task::yield_now().await;
        thread_of(SMALL + 1, client(2)).await;
        assert!(!another.is_finished());
        let_go.send(()).unwrap();
        assert!(stranger.await.unwrap().unwrap());
        another.await.unwrap().unwrap();
    }

    /// All bodies of the first client wait for it to let go; those of the second are done before that.
    #[tokio::test]
    async fn a_client_with_many_large_bodies_does_not_keep_another_one_waiting() {
        let (let_go, held) = mpsc::channel::<()>();
        let (held, order) = (Arc::new(Mutex::new(held)), Arc::new(Mutex::new(Vec::new())));
        let many: Vec<_> = (0..20)
            .map(|_| {
                let (held, order) = (Arc::clone(&held), Arc::clone(&order));
                let wait = move || {
                    held.lock().unwrap().recv().unwrap();
                    order.lock().unwrap().push(3);
                };
                tokio::spawn(work(SMALL + 1, client(3), wait))
            })
            .collect();
        tokio::task::yield_now().await;
        for _ in 0..5 {
            let order = Arc::clone(&order);
            work(SMALL + 1, client(4), move || order.lock().unwrap().push(4)).await.unwrap();
        }
        for _ in 0..20 {
            let_go.send(()).unwrap();
        }
        for one in many {
            one.await.unwrap().unwrap();
        }
        assert_eq!(order.lock().unwrap()[..6], [4, 4, 4, 4, 4, 3]);
    }
}
