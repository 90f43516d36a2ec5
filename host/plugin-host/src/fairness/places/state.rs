//! The state of places and memory: their holders, the waiting calls, and the order among them.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    time::Duration,
};

use domain::ids::ClientId;
use tokio::{sync::oneshot, time::Instant};

use super::terms::{CALL_OVERHEAD, HeldMemory, PlaceTerms, STEP};

/// How long the calls of a client begin as heavy after a heavy call.
const REMEMBERED_FOR: Duration = Duration::from_secs(10);
/// Bytes reserved for the first call of a new client.
const FIRST_MEMORY: usize = 2 * STEP;
/// If more clients than this are known, those without claims are forgotten.
const ROOM: usize = 1_024;

pub(super) struct PlacesState<P> {
    clients: HashMap<ClientId, Member<P>>,
    taken: Taken,
    heavy: Taken,
    /// Clients with a waiting call that may begin: those with light calls, and those with heavy calls.
    light_queue: BTreeSet<Standing>,
    heavy_queue: BTreeSet<Standing>,
    /// Usage of the client that had the last turn, and of a new client: turns cannot be saved up.
    present: u64,
    last_id: u64,
    forget_at: usize,
}

#[derive(Debug, Default, Clone, Copy)]
struct Taken {
    places: usize,
    memory: usize,
}

/// The order of waiting clients: fewest places first, then least usage in microseconds.
type Standing = (usize, u64, ClientId);

struct Member<P> {
    places: usize,
    used: u64,
    heavy_until: Option<Instant>,
    /// Bytes to reserve for its next call.
    expected: usize,
    waiting: VecDeque<(u64, oneshot::Sender<P>)>,
    /// Its entry in a queue; `true` for the queue of heavy calls.
    queued: Option<(bool, Standing)>,
}

pub(super) enum PlaceAnswer<P> {
    Granted(HeldMemory),
    Waiting(u64, oneshot::Receiver<P>),
    Refused,
}

type Granted<P> = (ClientId, HeldMemory, oneshot::Sender<P>);

impl<P> Member<P> {
    fn new(present: u64) -> Self {
        let (heavy_until, queued) = (None, None);
        Self { places: 0, used: present, heavy_until, expected: FIRST_MEMORY, waiting: VecDeque::new(), queued }
    }

    fn is_heavy(&self, now: Instant) -> bool {
        self.heavy_until.is_some_and(|until| now < until)
    }

    fn note_heavy(&mut self, now: Instant) {
        self.heavy_until = Some(now + REMEMBERED_FOR);
    }
}

impl<P> Default for PlacesState<P> {
    fn default() -> Self {
        Self {
            clients: HashMap::new(),
            taken: Taken::default(),
            heavy: Taken::default(),
            light_queue: BTreeSet::new(),
            heavy_queue: BTreeSet::new(),
            present: 0,
            last_id: 0,
            forget_at: 0,
        }
    }
}

impl<P> PlacesState<P> {
    /// Gives a client a place if one is free and no other client comes first. Otherwise the call waits, if it may.
    pub(super) fn ask(&mut self, terms: &PlaceTerms, client: ClientId) -> PlaceAnswer<P> {
        self.forget();
        let (now, present) = (Instant::now(), self.present);
        let member = self.clients.entry(client).or_insert_with(|| Member::new(present));
        if member.places == 0 && member.waiting.is_empty() {
            member.used = member.used.max(present);
            if !member.is_heavy(now) {
                member.heavy_until = None;
            }
        }
        let (heavy, expected) = (member.is_heavy(now), member.expected);
        let may_begin = member.waiting.is_empty() && member.places < terms.per_client;
        // No waiting light call fits either.
        if may_begin && (!heavy || self.heavy_queue.is_empty()) && self.fits(terms, heavy, expected) {
            return PlaceAnswer::Granted(self.take(client, heavy));
        }
        let Some(member) = self.clients.get_mut(&client) else { return PlaceAnswer::Refused };
        if member.waiting.len() >= terms.waiting_per_client {
            return PlaceAnswer::Refused;
        }
        if heavy {
            // A wait does not reset this.
            member.note_heavy(now);
        }
        self.last_id += 1;
        let (tell, place) = oneshot::channel();
        member.waiting.push_back((self.last_id, tell));
        self.queue(terms, client);
        PlaceAnswer::Waiting(self.last_id, place)
    }

    pub(super) fn leave(&mut self, client: ClientId, id: u64) {
        let Some(member) = self.clients.get_mut(&client) else { return };
        member.waiting.retain(|(waiting, _)| *waiting != id);
        if member.waiting.is_empty() {
            self.unqueue(client);
        }
    }

    pub(super) fn give_out(&mut self, terms: &PlaceTerms) -> Vec<Granted<P>> {
        let mut granted = Vec::new();
        for heavy in [false, true] {
            // The first client in the order is never overtaken, because otherwise the room it needs would never be
            // free.
            while let Some((_, _, client)) = self.queue_of(heavy).first().copied()
                && self.clients.get(&client).is_some_and(|member| self.fits(terms, heavy, member.expected))
            {
                let next = self.clients.get_mut(&client).and_then(|member| member.waiting.pop_front());
                if let Some((_, tell)) = next {
                    granted.push((client, self.take(client, heavy), tell));
                }
                self.queue(terms, client);
            }
        }
        granted
    }

    /// Marks a call as heavy because it runs long. Returns whether it may continue.
    pub(super) fn is_long(&mut self, terms: &PlaceTerms, client: ClientId, held: &mut HeldMemory) -> bool {
        held.shown = true;
        self.shows_heavy(terms, client);
        held.heavy || self.becomes_heavy(terms, held, held.reserved)
    }

    /// A call needs `wanted` bytes, more than are reserved for it. Returns whether it may have them.
    pub(super) fn grow(&mut self, terms: &PlaceTerms, client: ClientId, held: &mut HeldMemory, wanted: usize) -> bool {
        let reserved = wanted.next_multiple_of(STEP);
        let large = wanted > terms.large();
        let grown = if large && !held.heavy {
            self.becomes_heavy(terms, held, reserved)
        } else {
            self.sets_apart(terms, held, reserved)
        };
        if large || !grown {
            held.shown = true;
            self.shows_heavy(terms, client);
        }
        if !grown && let Some(member) = self.clients.get_mut(&client) {
            // Twice as much, because otherwise a call that grows in small steps would begin again at each step.
            member.expected = member.expected.max(reserved.saturating_mul(2)).min(terms.most_of_a_call());
        }
        grown
    }

    pub(super) fn release(&mut self, terms: &PlaceTerms, client: ClientId, held: HeldMemory, lasted: Duration) {
        self.taken.give_back(held.own());
        if held.heavy {
            self.heavy.give_back(held.own());
        }
        let now = Instant::now();
        let Some(member) = self.clients.get_mut(&client) else { return };
        member.places = member.places.saturating_sub(1);
        member.used = member.used.saturating_add(u64::try_from(lasted.as_micros()).unwrap_or(u64::MAX));
        if held.shown {
            member.note_heavy(now);
        }
        // If the calls of a client differ, the largest counts for as long as they are heavy.
        member.expected = if member.is_heavy(now) { member.expected.max(held.reserved) } else { held.reserved };
        self.queue(terms, client);
    }

    /// Sets bytes of a call aside, which stay taken after its end until [`Self::release_files`]. Returns their number.
    pub(super) fn set_aside(
        &mut self,
        terms: &PlaceTerms,
        client: ClientId,
        held: &mut HeldMemory,
        bytes: usize,
    ) -> usize {
        let bytes = bytes.min(held.own());
        held.aside += bytes;
        if !held.heavy {
            self.heavy.memory = self.heavy.memory.saturating_add(bytes);
        }
        if let Some(member) = self.clients.get_mut(&client) {
            member.places += 1;
        }
        self.queue(terms, client);
        bytes
    }

    pub(super) fn release_files(&mut self, terms: &PlaceTerms, client: ClientId, bytes: usize) {
        self.taken.memory = self.taken.memory.saturating_sub(bytes);
        self.heavy.memory = self.heavy.memory.saturating_sub(bytes);
        if let Some(member) = self.clients.get_mut(&client) {
            member.places = member.places.saturating_sub(1);
        }
        self.queue(terms, client);
    }

    fn fits(&self, terms: &PlaceTerms, heavy: bool, memory: usize) -> bool {
        self.taken.fits(memory, terms.places.max(1), terms.all_memory())
            && (!heavy || self.heavy.fits(memory, terms.heavy_places(), terms.heavy_memory()))
    }

    fn take(&mut self, client: ClientId, heavy: bool) -> HeldMemory {
        let mut reserved = FIRST_MEMORY;
        if let Some(member) = self.clients.get_mut(&client) {
            member.places += 1;
            self.present = member.used;
            reserved = member.expected;
        }
        self.taken.take(reserved);
        if heavy {
            self.heavy.take(reserved);
        }
        HeldMemory { heavy, shown: false, used: CALL_OVERHEAD, reserved, aside: 0 }
    }

    /// Counts a call as heavy, with the given reservation, if there is room.
    fn becomes_heavy(&mut self, terms: &PlaceTerms, held: &mut HeldMemory, reserved: usize) -> bool {
        let more = reserved.saturating_sub(held.reserved);
        // Files that were set aside count as heavy already.
        let own = reserved.saturating_sub(held.aside);
        let fits = self.heavy.fits(own, terms.heavy_places(), terms.heavy_memory())
            && self.taken.memory.saturating_add(more) <= terms.all_memory();
        if fits {
            self.taken.memory = self.taken.memory.saturating_add(more);
            self.heavy.take(own);
            (held.heavy, held.reserved) = (true, reserved);
        }
        fits
    }

    fn sets_apart(&mut self, terms: &PlaceTerms, held: &mut HeldMemory, reserved: usize) -> bool {
        let more = reserved.saturating_sub(held.reserved);
        let fits = self.taken.memory.saturating_add(more) <= terms.all_memory()
            && (!held.heavy || self.heavy.memory.saturating_add(more) <= terms.heavy_memory());
        if fits {
            self.taken.memory = self.taken.memory.saturating_add(more);
            if held.heavy {
                self.heavy.memory = self.heavy.memory.saturating_add(more);
            }
            held.reserved = reserved;
        }
        fits
    }

    /// The next calls of a client begin as heavy, including the waiting ones.
    fn shows_heavy(&mut self, terms: &PlaceTerms, client: ClientId) {
        if let Some(member) = self.clients.get_mut(&client) {
            member.note_heavy(Instant::now());
        }
        self.queue(terms, client);
    }

    fn queue(&mut self, terms: &PlaceTerms, client: ClientId) {
        self.unqueue(client);
        let Some(member) = self.clients.get_mut(&client) else { return };
        if member.waiting.is_empty() || member.places >= terms.per_client {
            return;
        }
        let (heavy, standing) = (member.is_heavy(Instant::now()), (member.places, member.used, client));
        member.queued = Some((heavy, standing));
        self.queue_of_mut(heavy).insert(standing);
    }

    fn unqueue(&mut self, client: ClientId) {
        let queued = self.clients.get_mut(&client).and_then(|member| member.queued.take());
        if let Some((heavy, standing)) = queued {
            self.queue_of_mut(heavy).remove(&standing);
        }
    }

    fn queue_of(&self, heavy: bool) -> &BTreeSet<Standing> {
        if heavy { &self.heavy_queue } else { &self.light_queue }
    }

    fn queue_of_mut(&mut self, heavy: bool) -> &mut BTreeSet<Standing> {
        if heavy { &mut self.heavy_queue } else { &mut self.light_queue }
    }

    /// Forgets the clients that would gain nothing by it.
    fn forget(&mut self) {
        if self.clients.len() < self.forget_at.max(ROOM) {
            return;
        }
        let (now, present) = (Instant::now(), self.present);
        self.clients.retain(|_, member| {
            member.places > 0 || !member.waiting.is_empty() || member.used > present || member.is_heavy(now)
        });
        self.forget_at = self.clients.len() * 2;
    }

    #[cfg(test)]
    pub(super) fn client_count(&self) -> usize {
        self.clients.len()
    }
}

impl Taken {
    fn fits(&self, memory: usize, places: usize, most: usize) -> bool {
        self.places < places && self.memory.saturating_add(memory) <= most
    }

    fn take(&mut self, memory: usize) {
        self.places += 1;
        self.memory = self.memory.saturating_add(memory);
    }

    fn give_back(&mut self, memory: usize) {
        self.places = self.places.saturating_sub(1);
        self.memory = self.memory.saturating_sub(memory);
    }
}
