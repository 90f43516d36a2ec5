//! Work on large bodies, done aside. The threads of the runtime serve everybody, so none of them may be busy with one body
//! for long; and few bodies are worked on at once, so that those who send large ones wait for each other and for nobody
//! else.

use tokio::{
    sync::{Semaphore, oneshot},
    task,
};

use crate::{Error, Result};

/// Up to so many bytes are worked on where they are: moving them would take longer.
const SMALL: usize = 64 * 1024;

/// Whose body it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Somebody's whose key or signature was right.
    Known,
    /// Anybody's: these wait for each other and never keep a known caller waiting.
    Anybody,
}

static OF_KNOWN: Semaphore = Semaphore::const_new(2);
static OF_ANYBODY: Semaphore = Semaphore::const_new(1);

/// Does work that takes time with the length of a body of `bytes`.
pub async fn work<T: Send + 'static>(
    bytes: usize,
    whose: Whose,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    if bytes <= SMALL {
        return Ok(work());
    }
    let places = match whose {
        Whose::Known => &OF_KNOWN,
        Whose::Anybody => &OF_ANYBODY,
    };
    let (tell, told) = oneshot::channel();
    // A caller that hangs up does not listen any more.
    on_a_thread(places, Box::new(move || drop(tell.send(work())))).await?;
    told.await.map_err(|_| Error::Stopped)
}

/// The same for any kind of work, compiled once: there are as many kinds as there are bodies.
async fn on_a_thread(places: &'static Semaphore, work: Box<dyn FnOnce() + Send>) -> Result<()> {
    let place = places.acquire().await.map_err(|_| Error::Stopped)?;
    let done = task::spawn_blocking(move || {
        // It goes with the work: a caller that hangs up ends the waiting, not the work.
        let _place = place;
        work();
    });
    match done.await {
        Ok(()) => Ok(()),
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Error::Stopped),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    async fn thread_of(bytes: usize, whose: Whose) -> thread::ThreadId {
        work(bytes, whose, || thread::current().id()).await.unwrap()
    }

    #[tokio::test]
    async fn small_bodies_stay_and_large_ones_move_to_a_thread_that_serves_nobody() {
        let here = thread::current().id();
        for whose in [Whose::Known, Whose::Anybody] {
            assert_eq!(thread_of(SMALL, whose).await, here);
            assert_ne!(thread_of(SMALL + 1, whose).await, here);
        }
    }

    #[tokio::test]
    async fn bodies_of_strangers_do_not_keep_a_known_caller_waiting() {
        let (let_go, held) = std::sync::mpsc::channel::<()>();
        let stranger = tokio::spawn(work(SMALL + 1, Whose::Anybody, move || held.recv().is_ok()));
        let another = tokio::spawn(work(SMALL + 1, Whose::Anybody, || ()));
        tokio::task::yield_now().await;
        thread_of(SMALL + 1, Whose::Known).await;
        assert!(!another.is_finished());
        let_go.send(()).unwrap();
        assert!(stranger.await.unwrap().unwrap());
        another.await.unwrap().unwrap();
    }
}
