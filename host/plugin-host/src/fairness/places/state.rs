//! Who has places and memory, who waits for them, and who is next.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use domain::ids::ClientId;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{BESIDE_MEMORY, Held, Place, STEP, Terms};

/// How long the calls of a client begin as heavy ones after one that was.
const REMEMBERED_FOR: Duration = Duration::from_secs(10);
/// What is set apart for the first call of a client that nothing is known of.
const FIRST_MEMORY: usize = 2 * STEP;
/// Clients known before those that are owed nothing are forgotten.
const ROOM: usize = 1_024;

/// All of it, behind one lock.
#[derive(Default)]
pub(super) struct State {
    clients: HashMap<ClientId, Member>,
    taken: Taken,
    heavy: Taken,
    /// Clients of which a call waits and may begin: those with light calls, and those with heavy ones.
    light_queue: BTreeSet<Standing>,
    heavy_queue: BTreeSet<Standing>,
    /// What the client whose turn came last had used: a newcomer begins there, so that nobody saves up.
    present: u64,
    last_id: u64,
    forget_at: usize,
}

/// What is in use.
#[derive(Debug, Default, Clone, Copy)]
struct Taken {
    places: usize,
    memory: usize,
}

/// The order of those who wait: fewest places first, then whoever has used theirs the least, in microseconds.
type Standing = (usize, u64, ClientId);

/// What is known of one client.
struct Member {
    places: usize,
    used: u64,
    /// Its calls begin as heavy ones until then.
    heavy_until: Option<Instant>,
    /// What is set apart for its next call.
    expected: usize,
    waiting: VecDeque<(u64, oneshot::Sender<Place>)>,
    /// Where it stands in a queue: that of the heavy ones?
    queued: Option<(bool, Standing)>,
}

/// What became of the wish for a place.
pub(super) enum Asked {
    Granted(Held),
    Waiting(u64, oneshot::Receiver<Place>),
    Refused,
}

/// A place for one who waits.
type Granted = (ClientId, Held, oneshot::Sender<Place>);

impl Member {
    fn new(present: u64) -> Self {
        let (heavy_until, queued) = (None, None);
        Self { places: 0, used: present, heavy_until, expected: FIRST_MEMORY, waiting: VecDeque::new(), queued }
    }

    fn is_heavy(&self, now: Instant) -> bool {
        self.heavy_until.is_some_and(|until| now < until)
    }

    /// It had a heavy call just now.
    fn note_heavy(&mut self, now: Instant) {
        self.heavy_until = Some(now + REMEMBERED_FOR);
    }
}

impl State {
    /// A place for a client, if there is one and nobody comes before it; otherwise it waits, if it may.
    pub(super) fn ask(&mut self, terms: &Terms, client: ClientId) -> Asked {
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
        // Of light calls that wait none fits either.
        if may_begin && (!heavy || self.heavy_queue.is_empty()) && self.fits(terms, heavy, expected) {
            return Asked::Granted(self.take(client, heavy));
        }
        let Some(member) = self.clients.get_mut(&client) else { return Asked::Refused };
        if member.waiting.len() >= terms.waiting_per_client {
            return Asked::Refused;
        }
        if heavy {
            // Not forgiven for having waited.
            member.note_heavy(now);
        }
        self.last_id += 1;
        let (tell, place) = oneshot::channel();
        member.waiting.push_back((self.last_id, tell));
        self.queue(terms, client);
        Asked::Waiting(self.last_id, place)
    }

    /// Whoever waited has gone, or has its place.
    pub(super) fn leave(&mut self, client: ClientId, id: u64) {
        let Some(member) = self.clients.get_mut(&client) else { return };
        member.waiting.retain(|(waiting, _)| *waiting != id);
        if member.waiting.is_empty() {
            self.unqueue(client);
        }
    }

    /// Takes places for those who wait, as far as there are any.
    pub(super) fn give_out(&mut self, terms: &Terms) -> Vec<Granted> {
        let mut granted = Vec::new();
        for heavy in [false, true] {
            // Whoever is first is waited for: what it needs would never come together otherwise.
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

    /// A call is not over after a while; answers whether it may go on.
    pub(super) fn is_long(&mut self, terms: &Terms, client: ClientId, held: &mut Held) -> bool {
        held.shown = true;
        self.shows_heavy(terms, client);
        held.heavy || self.becomes_heavy(terms, held, held.reserved)
    }

    /// A call wants to have `wanted` bytes, which is more than is set apart for it; answers whether it may.
    pub(super) fn grow(&mut self, terms: &Terms, client: ClientId, held: &mut Held, wanted: usize) -> bool {
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
            // Twice as much, or a call that grows in small steps would begin anew at each of them.
            member.expected = member.expected.max(reserved.saturating_mul(2)).min(terms.most_of_a_call());
        }
        grown
    }

    /// A call is over.
    pub(super) fn release(&mut self, terms: &Terms, client: ClientId, held: Held, lasted: Duration) {
        self.taken.give_back(held.reserved);
        if held.heavy {
            self.heavy.give_back(held.reserved);
        }
        let now = Instant::now();
        let Some(member) = self.clients.get_mut(&client) else { return };
        member.places = member.places.saturating_sub(1);
        member.used = member.used.saturating_add(u64::try_from(lasted.as_micros()).unwrap_or(u64::MAX));
        if held.shown {
            member.note_heavy(now);
        }
        // Of a client whose calls differ the largest one counts for as long as they are heavy.
        member.expected = if member.is_heavy(now) { member.expected.max(held.reserved) } else { held.reserved };
        self.queue(terms, client);
    }

    /// Whether a call fits that this much is set apart for.
    fn fits(&self, terms: &Terms, heavy: bool, memory: usize) -> bool {
        self.taken.fits(memory, terms.places.max(1), terms.all_memory())
            && (!heavy || self.heavy.fits(memory, terms.heavy_places(), terms.heavy_memory()))
    }

    /// Takes a place that there is.
    fn take(&mut self, client: ClientId, heavy: bool) -> Held {
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
        Held { heavy, shown: false, used: BESIDE_MEMORY, reserved }
    }

    /// Counts a call among the heavy ones, with so many bytes, if there is room.
    fn becomes_heavy(&mut self, terms: &Terms, held: &mut Held, reserved: usize) -> bool {
        let more = reserved.saturating_sub(held.reserved);
        let fits = self.heavy.fits(reserved, terms.heavy_places(), terms.heavy_memory())
            && self.taken.memory.saturating_add(more) <= terms.all_memory();
        if fits {
            self.taken.memory = self.taken.memory.saturating_add(more);
            self.heavy.take(reserved);
            (held.heavy, held.reserved) = (true, reserved);
        }
        fits
    }

    /// Sets more bytes apart for a call, if there are any.
    fn sets_apart(&mut self, terms: &Terms, held: &mut Held, reserved: usize) -> bool {
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

    /// The next calls of a client begin as heavy ones, also those that wait.
    fn shows_heavy(&mut self, terms: &Terms, client: ClientId) {
        if let Some(member) = self.clients.get_mut(&client) {
            member.note_heavy(Instant::now());
        }
        self.queue(terms, client);
    }

    /// Puts a client where it stands now.
    fn queue(&mut self, terms: &Terms, client: ClientId) {
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

    /// Forgets the clients that would stand no better for it.
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

    /// Clients that are known.
    #[cfg(test)]
    pub(super) fn known(&self) -> usize {
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
