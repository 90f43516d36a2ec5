//! Runs work on large bodies outside the threads of the runtime. Those serve all requests, so one body must not occupy
//! them for long. Few bodies are handled at the same time, and clients take turns: a client with many large bodies
//! waits for its own, while another client finds a free place or waits for one body.

use std::{hash::Hash, sync::LazyLock};

use domain::ids::ClientId;
use plugin_host::{Turn, TurnTerms, Turns};
use tokio::{sync::oneshot, task};

use crate::{Error, Result};

/// Most bytes of a body that is handled on the calling thread, because a move would take longer.
const SMALL: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyOwner {
    Client(ClientId),
    /// A provider with a valid signature. The body may concern several clients.
    Provider,
    /// An unknown caller. Such bodies wait for each other and never delay a known caller.
    Unknown,
}

impl From<Option<ClientId>> for BodyOwner {
    fn from(client: Option<ClientId>) -> Self {
        client.map_or(Self::Unknown, Self::Client)
    }
}

/// A waiting body is already in memory and counted to its owner, so it is never refused here.
const ALL_WAIT: usize = usize::MAX;

static OF_KNOWN: LazyLock<Turns<BodyOwner>> =
    LazyLock::new(|| Turns::new(TurnTerms { places: 3, per_owner: 2, waiting_per_owner: ALL_WAIT }));
static OF_UNKNOWN: LazyLock<Turns<BodyOwner>> =
    LazyLock::new(|| Turns::new(TurnTerms { places: 1, per_owner: 1, waiting_per_owner: ALL_WAIT }));

pub async fn work<T: Send + 'static>(
    bytes: usize,
    whose: BodyOwner,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    if bytes <= SMALL {
        return Ok(work());
    }
    let turns = match whose {
        BodyOwner::Client(_) | BodyOwner::Provider => &OF_KNOWN,
        BodyOwner::Unknown => &OF_UNKNOWN,
    };
    let turn = turns.take(whose).await.map_err(|_| Error::Stopped)?;
    in_turn(turn, work).await
}

/// Runs work on a blocking thread and holds a turn until it ends. If the caller hangs up, the work continues.
pub async fn in_turn<O: Eq + Hash + Clone + Send + 'static, T: Send + 'static>(
    turn: Turn<O>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let (tell, told) = oneshot::channel();
    let work = Box::new(move || {
        // The receiver is gone if the caller hung up.
        drop(tell.send(work()));
        drop(turn);
    });
    on_a_thread(work).await?;
    told.await.map_err(|_| Error::Stopped)
}

/// Not generic, so it is compiled once and not for each kind of work.
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

    fn client(number: u128) -> BodyOwner {
        BodyOwner::Client(ClientId(Uuid::from_u128(number)))
    }

    async fn thread_of(bytes: usize, whose: BodyOwner) -> thread::ThreadId {
        work(bytes, whose, || thread::current().id()).await.unwrap()
    }

    #[tokio::test]
    async fn small_bodies_stay_and_large_ones_move_to_a_thread_that_serves_no_requests() {
        let here = thread::current().id();
        for whose in [client(1), BodyOwner::Provider, BodyOwner::Unknown] {
            assert_eq!(thread_of(SMALL, whose).await, here);
            assert_ne!(thread_of(SMALL + 1, whose).await, here);
        }
    }

    #[tokio::test]
    async fn bodies_of_strangers_do_not_keep_a_known_caller_waiting() {
        let (let_go, held) = mpsc::channel::<()>();
        let stranger = tokio::spawn(work(SMALL + 1, BodyOwner::Unknown, move || held.recv().is_ok()));
        let another = tokio::spawn(work(SMALL + 1, BodyOwner::Unknown, || ()));
        tokio::task::yield_now().await;
        thread_of(SMALL + 1, client(2)).await;
        assert!(!another.is_finished());
        let_go.send(()).unwrap();
        assert!(stranger.await.unwrap().unwrap());
        another.await.unwrap().unwrap();
    }

    /// All bodies of the first client wait for a signal. Those of the second client are finished before it.
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
