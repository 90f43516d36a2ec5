//! The place of one request in the ledger, from its head to the last byte of its answer.

use std::{pin::pin, sync::Arc};

use axum::http::Extensions;
use base::Turn;
use domain::ids::ClientId;
use futures::FutureExt;
use parking_lot::{Mutex, MutexGuard};
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

use super::{
    entry::Phase,
    gate::AdmissionGate,
    ledger::{Ledger, Number},
    refusal::AdmissionRefusal,
};
use crate::error::ApiError;

/// The place and bytes of a request. They are given back with the last clone: work that continues after the caller has
/// hung up keeps one. A probe holds nothing.
#[derive(Clone, Default)]
pub struct AdmittedRequest(Option<Arc<Place>>);

struct Place {
    admission: Arc<AdmissionGate>,
    number: Number,
    /// Notified when the request is ended in favour of others.
    ended: Arc<Notify>,
    known: Mutex<Known>,
}

/// The client and its turns, kept while the answer is made.
#[derive(Default)]
struct Known {
    client: Option<ClientId>,
    /// The turns of the client at the database.
    turns: Option<Arc<Semaphore>>,
    turn: Option<OwnedSemaphorePermit>,
    large_page: Option<Turn<ClientId>>,
}

impl AdmittedRequest {
    pub(super) fn new(admission: Arc<AdmissionGate>, (number, ended): (Number, Arc<Notify>)) -> Self {
        Self(Some(Arc::new(Place { admission, number, ended, known: Mutex::default() })))
    }

    /// Returns the place of the request with these extensions.
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_default()
    }

    /// Counts the request to this client from now on. Returns 429 if the client has too many requests in flight, or
    /// sends them too fast.
    pub fn belongs_to(&self, client: ClientId) -> Result<(), ApiError> {
        let Some(place) = &self.0 else { return Ok(()) };
        let turns = place.change(|ledger, number, now| ledger.identify(number, client, now))?;
        let mut known = place.lock_facts();
        (known.client, known.turns) = (Some(client), Some(turns));
        Ok(())
    }

    /// Waits for a turn of the client at the database. The turn ends when the answer has been made. Returns 503 if
    /// others need the place.
    pub async fn wait_for_turn(&self) -> Result<(), ApiError> {
        let Some(place) = &self.0 else { return Ok(()) };
        let Some(turns) = place.lock_facts().turns.clone() else { return Ok(()) };
        let turn = self.queue(turns.acquire_owned()).await?.ok();
        place.lock_facts().turn = turn;
        Ok(())
    }

    /// Waits for a turn of the client to make a large page; clients take turns. The turn ends when the answer has been made. Returns 503 if others need
    /// the place.
    pub async fn wait_to_make_a_large_page(&self, admission: &AdmissionGate) -> Result<(), ApiError> {
        let Some(place) = &self.0 else { return Ok(()) };
        let Some(client) = self.client() else { return Ok(()) };
        let turn = self.queue(admission.large_pages.take(client)).await?.ok();
        place.lock_facts().large_page = turn;
        Ok(())
    }

    /// Waits for a turn, before anything has been done for the request. Returns 503 if others need the place.
    pub async fn queue<T>(&self, turn: impl Future<Output = T>) -> Result<T, ApiError> {
        let mut turn = pin!(turn);
        let Some(place) = &self.0 else { return Ok(turn.await) };
        if let Some(turn) = turn.as_mut().now_or_never() {
            return Ok(turn);
        }
        self.change(|ledger, number, now| ledger.set_phase(number, Phase::Queued { since: now }));
        let turn = tokio::select! {
            biased;
            turn = turn => turn,
            () = place.ended.notified() => return Err(AdmissionRefusal::Ended.error(&place.admission.settings)),
        };
        self.change(|ledger, number, _| ledger.set_phase(number, Phase::Ours));
        Ok(turn)
    }

    /// Ends the turns, because the answer has been made.
    pub(super) fn end_turns(&self) {
        if let Some(place) = &self.0 {
            let mut known = place.lock_facts();
            (known.turn, known.large_page) = (None, None);
        }
    }

    pub fn client(&self) -> Option<ClientId> {
        self.0.as_ref()?.lock_facts().client
    }

    pub fn is_known(&self) -> bool {
        self.client().is_some()
    }

    /// Starts the wait for the peer, which sends the body.
    pub fn receive(&self) -> BodyWait {
        self.change(|ledger, number, now| ledger.set_phase(number, Phase::Receiving { since: now, moved: 0 }));
        BodyWait { held: self.clone() }
    }

    /// Returns 429 while the client has no recipients left in its rate.
    pub fn recipients_left(&self) -> Result<(), ApiError> {
        let Some(place) = self.0.as_ref().filter(|_| self.is_known()) else { return Ok(()) };
        place.change(|ledger, number, now| ledger.recipients_left(number, now))
    }

    /// Counts the recipients of an accepted send.
    pub fn charge_recipients(&self, recipients: u32) {
        if self.is_known() {
            self.change(|ledger, number, now| ledger.charge_recipients(number, recipients, now));
        }
    }

    /// Counts an answer that is in memory as a whole. It replaces the bytes of the body.
    pub(super) fn hold_answer(&self, bytes: u64, may_refuse: bool) -> Result<(), ApiError> {
        let Some(place) = &self.0 else { return Ok(()) };
        place.change(|ledger, number, now| ledger.hold_answer(number, bytes, may_refuse, now))
    }

    /// Changes the entry of the request in the ledger.
    pub(super) fn change(&self, change: impl FnOnce(&mut Ledger, Number, Instant)) {
        if let Some(place) = &self.0 {
            change(&mut place.admission.ledger(), place.number, Instant::now());
        }
    }
}

impl Place {
    fn lock_facts(&self) -> MutexGuard<'_, Known> {
        self.known.lock()
    }

    fn change<T>(
        &self,
        change: impl FnOnce(&mut Ledger, Number, Instant) -> Result<T, AdmissionRefusal>,
    ) -> Result<T, ApiError> {
        let mut ledger = self.admission.ledger();
        change(&mut ledger, self.number, Instant::now()).map_err(|refusal| refusal.error(&ledger.settings))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.admission.ledger().leave(self.number);
    }
}

/// The wait for a body. It ends when this is dropped.
pub struct BodyWait {
    held: AdmittedRequest,
}

impl BodyWait {
    /// Counts memory for the body, `bytes` in all, before it is allocated. Returns 429 if the owner has no room left,
    /// 503 if the process has none, and 413 if there is never so much room.
    pub fn reserve(&self, bytes: u64) -> Result<(), ApiError> {
        let Some(place) = &self.held.0 else { return Ok(()) };
        place.change(|ledger, number, now| ledger.hold_body(number, bytes, now))
    }

    pub fn came(&self, bytes: u64) {
        self.held.change(|ledger, number, _| ledger.received(number, bytes));
    }

    /// Waits until the request is ended in favour of others, and returns its error.
    pub async fn ended(&self) -> ApiError {
        let Some(place) = &self.held.0 else { return std::future::pending().await };
        place.ended.notified().await;
        AdmissionRefusal::Ended.error(&place.admission.settings)
    }
}

impl Drop for BodyWait {
    fn drop(&mut self) {
        self.held.change(|ledger, number, _| ledger.set_phase(number, Phase::Ours));
    }
}
