//! The Cloud API as a carrier: a place is one call in flight and one message of the number's rate.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use domain::{
    address::{Address, AddressKind},
    carriage::{SendFailure, Taken, pause},
    ids::InboxId,
    inbox::InboxKind,
};
use tokio::{sync::Notify, time::timeout};

use super::{
    CloudApi, CloudNumber, CloudSend,
    error_codes::refreshes_templates,
    pace::{PAIR_INTERVAL, Pace},
};
use crate::carrier::{Carrier, CarrierInbox, Closed, Credentials, LOOK_AGAIN, NotShown, Outgoing, Place, Presence};

/// When a number without credentials is looked at again.
const WITHOUT_CREDENTIALS: Duration = Duration::from_secs(60);

/// How fast business numbers send unless they have a rate of their own.
#[derive(Debug, Clone, Copy)]
pub struct CloudLimits {
    /// Messages per second and number (`limits.cloud_rate_per_number`).
    pub rate_per_second: u32,
    /// Calls in flight per number.
    pub in_flight: usize,
}

/// Carries messages over the Cloud API.
pub struct CloudCarrier {
    api: CloudApi,
    limits: CloudLimits,
    doors: Mutex<HashMap<InboxId, Arc<Door>>>,
}

impl CloudCarrier {
    /// With these limits for every number.
    pub fn new(api: CloudApi, limits: CloudLimits) -> Self {
        Self { api, limits, doors: Mutex::default() }
    }

    /// What is known of a number's pace; it outlives lanes, because the provider's limits do.
    fn door(&self, inbox: &CarrierInbox) -> Arc<Door> {
        let rate = inbox.rate_per_second.unwrap_or(self.limits.rate_per_second);
        let mut doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        let door = Arc::clone(doors.entry(inbox.id).or_insert_with(|| Arc::new(Door::new(rate))));
        drop(doors);
        door.state().pace.set_rate(rate);
        door
    }
}

/// The way out of one number.
struct Door {
    state: Mutex<State>,
    /// A call ended, or a place was given back.
    freed: Notify,
}

struct State {
    pace: Pace,
    in_flight: usize,
}

impl Door {
    fn new(rate: u32) -> Self {
        Self { state: Mutex::new(State { pace: Pace::new(rate, Instant::now()), in_flight: 0 }), freed: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call in flight, or about to be. Dropped before the call, it gives its message of the rate back as well.
struct Call {
    door: Arc<Door>,
    made: bool,
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut state = self.door.state();
        state.in_flight = state.in_flight.saturating_sub(1);
        if !self.made {
            state.pace.give_back(1);
        }
        drop(state);
        self.door.freed.notify_one();
    }
}

fn number_of(inbox: &CarrierInbox) -> Option<&CloudNumber> {
    match &inbox.credentials {
        Credentials::WhatsappCloud(number) => Some(number),
        Credentials::WhatsappLite(_) | Credentials::None => None,
    }
}

#[async_trait]
impl Carrier for CloudCarrier {
    fn kind(&self) -> InboxKind {
        InboxKind::WhatsappCloud
    }

    fn window(&self, _inbox: &CarrierInbox) -> usize {
        self.limits.in_flight
    }

    fn take(&self, inbox: &CarrierInbox, wanted: usize) -> Result<Vec<Place>, Closed> {
        if number_of(inbox).is_none() {
            let reason = "this number has no Cloud credentials".to_owned();
            return Err(Closed { reason, look_again: WITHOUT_CREDENTIALS });
        }
        let door = self.door(inbox);
        let mut state = door.state();
        let room = self.limits.in_flight.saturating_sub(state.in_flight).min(wanted);
        let taken = if room == 0 { 0 } else { state.pace.take(room, Instant::now()) };
        state.in_flight += taken;
        drop(state);
        Ok((0..taken).map(|_| Place::of(Call { door: Arc::clone(&door), made: false })).collect())
    }

    async fn ready(&self, inbox: &CarrierInbox) {
        let door = self.door(inbox);
        let wait = {
            let state = door.state();
            let full = state.in_flight >= self.limits.in_flight;
            if full { LOOK_AGAIN } else { state.pace.wait(Instant::now()).min(LOOK_AGAIN) }
        };
        if !wait.is_zero() {
            // Either way it is time to look.
            let _ = timeout(wait, door.freed.notified()).await;
        }
    }

    fn admit(&self, inbox: &CarrierInbox, to: &Address) -> Result<(), Duration> {
        self.door(inbox).state().pace.admit(to.value(), Instant::now())
    }

    fn pace(&self, _inbox: &CarrierInbox) -> Duration {
        PAIR_INTERVAL
    }

    async fn show(&self, inbox: &CarrierInbox, presence: &Presence<'_>) -> Result<(), NotShown> {
        let number = number_of(inbox).ok_or_else(|| NotShown::Failed("this number has no credentials".to_owned()))?;
        let wamid = presence.last_message.ok_or(NotShown::NothingToRead)?;
        let shown = self.api.mark_read(number, wamid, presence.typing).await;
        shown.map_err(|error| NotShown::Failed(error.to_string()))
    }

    fn outdates_templates(&self, code: i64) -> bool {
        refreshes_templates(code)
    }

    async fn send(&self, inbox: &CarrierInbox, place: Place, outgoing: &Outgoing<'_>) -> Result<Taken, SendFailure> {
        let (Some(mut call), Some(number)) = (place.into_held::<Call>(), number_of(inbox)) else {
            let reason = "no place or no credentials for a call to the Cloud API".to_owned();
            return Err(SendFailure::NotSent { reason, after: None });
        };
        let address = |kind| outgoing.to.as_kind(kind).or_else(|| outgoing.other?.as_kind(kind));
        let send = CloudSend {
            phone: address(AddressKind::Phone),
            bsuid: address(AddressKind::Bsuid),
            content: outgoing.content,
            quoted: outgoing.quoted,
            opaque: outgoing.opaque,
        };
        call.made = true;
        let mut result = self.api.send(number, &send).await;
        if let Err(SendFailure::SlowDown { after, .. }) = &mut result {
            let length = *after.get_or_insert_with(|| pause(outgoing.attempt));
            call.door.state().pace.pause(length, Instant::now());
        }
        result
    }
}
