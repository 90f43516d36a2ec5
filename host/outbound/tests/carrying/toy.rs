//! A carrier for web sites that sends nothing: all that a new carrier needs, together with its line in the table
//! (`stage.rs`).

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use channels::carrier::{Carrier, CarrierInbox, CarrierPause, OutgoingMessage, ProviderState, SendPlace};
use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    carriage::{Acceptance, SendFailure},
    content::OutboundContent,
    inbox::InboxKind,
};
use storage::Db;
use tokio::sync::Semaphore;

/// Sends in flight at most.
pub const WINDOW: usize = 2;

/// Pause between messages to a slow recipient.
pub const PACE: Duration = Duration::from_secs(6);

/// The past and the future behaviour of a toy. Shared with the test.
#[derive(Default)]
pub struct Notes {
    /// The sent texts, with their recipients.
    pub sent: Vec<String>,
    /// Most marks that stood while something was sent.
    pub most_marks: i64,
    /// Sends in flight, and the most there were.
    pub in_flight: (usize, usize),
    /// Sends with a place whose outcomes are not on disk yet.
    pub in_doubt: usize,
    /// How often the limit of sends in flight was asked for.
    pub thoughts: usize,
    /// Failures of the next sends; after them everything is taken.
    pub failures: VecDeque<SendFailure>,
    /// The provider's answer to a question about a message.
    pub known: Option<ProviderState>,
    /// Nothing is taken at all.
    pub closed: bool,
    /// Marks may run ahead of places.
    pub ahead: bool,
    /// Where there is one, each send waits for a permit of it.
    pub gate: Option<Arc<Semaphore>>,
    /// When these may be written to again: every six seconds.
    pub slow: HashMap<String, DateTime<Utc>>,
    /// The time of the clock.
    pub now: DateTime<Utc>,
}

/// Records its messages.
#[derive(Clone)]
pub struct Toy {
    pub notes: Arc<Mutex<Notes>>,
    places: Arc<Semaphore>,
    db: Db,
}

/// Counts a place until the outcome is on disk.
struct Counted(Arc<Mutex<Notes>>);

impl Counted {
    fn new(notes: &Arc<Mutex<Notes>>) -> Self {
        notes.lock().unwrap().in_doubt += 1;
        Self(Arc::clone(notes))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.lock().unwrap().in_doubt -= 1;
    }
}

impl Toy {
    pub fn new(db: Db) -> Self {
        Self { notes: Arc::default(), places: Arc::new(Semaphore::new(WINDOW)), db }
    }
}

#[async_trait]
impl Carrier for Toy {
    fn kind(&self) -> InboxKind {
        InboxKind::Web
    }

    fn window(&self, _inbox: &CarrierInbox) -> usize {
        self.notes.lock().unwrap().thoughts += 1;
        WINDOW
    }

    fn take(&self, _inbox: &CarrierInbox, wanted: usize) -> Result<Vec<SendPlace>, CarrierPause> {
        if self.notes.lock().unwrap().closed {
            return Err(CarrierPause { reason: "the shop is shut".to_owned(), look_again: Duration::from_secs(30) });
        }
        let place = |_| {
            let free = Arc::clone(&self.places).try_acquire_owned().ok()?;
            Some(SendPlace::of(free).with_doubt(Counted::new(&self.notes)))
        };
        Ok((0..wanted).map_while(place).collect())
    }

    fn marks_ahead(&self) -> bool {
        self.notes.lock().unwrap().ahead
    }

    fn admit(&self, _inbox: &CarrierInbox, to: &Address) -> Result<(), Duration> {
        let mut notes = self.notes.lock().unwrap();
        let now = notes.now;
        let Some(next) = notes.slow.get_mut(to.value()) else { return Ok(()) };
        if let Ok(wait) = (*next - now).to_std()
            && !wait.is_zero()
        {
            return Err(wait);
        }
        *next = now + PACE;
        Ok(())
    }

    fn pace(&self, _inbox: &CarrierInbox) -> Duration {
        PACE
    }

    async fn lookup(&self, _inbox: &CarrierInbox, _outgoing: &OutgoingMessage<'_>) -> ProviderState {
        self.notes.lock().unwrap().known.clone().unwrap_or(ProviderState::NotPossible)
    }

    async fn send(
        &self,
        _inbox: &CarrierInbox,
        _place: SendPlace,
        outgoing: &OutgoingMessage<'_>,
    ) -> Result<Acceptance, SendFailure> {
        let gate = {
            let mut notes = self.notes.lock().unwrap();
            notes.in_flight.0 += 1;
            notes.in_flight.1 = notes.in_flight.1.max(notes.in_flight.0);
            notes.gate.clone()
        };
        if let Some(gate) = gate {
            gate.acquire().await.unwrap().forget();
        }
        let marks = "SELECT count(*) FROM outbound_work WHERE phase = 'SENDING'";
        let marks: i64 = sqlx::query_scalar(marks).fetch_one(&self.db).await.unwrap();
        let mut notes = self.notes.lock().unwrap();
        notes.in_flight.0 -= 1;
        notes.most_marks = notes.most_marks.max(marks);
        let said = match outgoing.content {
            OutboundContent::Text { body } => body,
            OutboundContent::Template(template) => &template.rendered_text,
            other => panic!("no toy for {other:?}"),
        };
        notes.sent.push(format!("{}: {said}", outgoing.to.value()));
        match notes.failures.pop_front() {
            Some(failure) => Err(failure),
            None => Ok(Acceptance { provider_id: Some(outgoing.opaque.to_owned()), ..Acceptance::default() }),
        }
    }
}
