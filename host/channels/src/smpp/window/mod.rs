//! Decides which inbox may submit next. All inboxes share the window of a bind equally; if its rate is short, they take
//! turns.
//!
//! All windows together bound the messages without a record on disk, which are doubled after a kill. So a message holds
//! its place until the answer, and its room until the outcome is stored ([`DoubtRoom`]).

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use domain::ids::InboxId;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

/// How long an inbox that got less than it wanted counts as waiting. Dispatchers ask again sooner.
const WANTS: Duration = Duration::from_secs(1);
/// How long the others wait for the inbox whose turn it is.
const TURN: Duration = Duration::from_millis(20);
const TURNS_OF_A_SHARE: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reservation {
    Yes,
    NotYet,
    /// It is down or paused.
    Closed,
}

pub(super) struct Window {
    state: Mutex<State>,
}

struct State {
    /// Free places, by bind.
    free: Vec<usize>,
    size: Vec<usize>,
    /// The bind whose turn it is.
    turn: usize,
    /// Messages without a record on disk that may have been submitted, by inbox; together never more than all places.
    in_doubt: HashMap<InboxId, usize>,
    wanting: HashMap<InboxId, Instant>,
    waiting: VecDeque<(InboxId, oneshot::Sender<()>)>,
    /// Messages under way that wait for a place of one bind.
    waiting_for_bind: Vec<oneshot::Sender<()>>,
    /// True if a rate was the limit the last time.
    paced: bool,
    /// When each inbox last had a place, counted in places.
    served: HashMap<InboxId, u64>,
    places: u64,
    /// The inbox whose turn it is at a rate, and since when.
    next: Option<(InboxId, Instant)>,
}

pub(super) struct WindowPlace {
    window: Arc<Window>,
    pub bind: usize,
}

/// The room of one message in all windows together, until its outcome is on disk. A drop gives it back.
pub(super) struct DoubtRoom {
    window: Arc<Window>,
    inbox: InboxId,
    /// True if it has the room; not while it waits for a place of one bind.
    counted: AtomicBool,
}

impl Window {
    pub(super) fn new(size: Vec<usize>) -> Arc<Self> {
        let state = State {
            free: size.clone(),
            size,
            turn: 0,
            in_doubt: HashMap::new(),
            wanting: HashMap::new(),
            waiting: VecDeque::new(),
            waiting_for_bind: Vec::new(),
            paced: false,
            served: HashMap::new(),
            places: 0,
            next: None,
        };
        Arc::new(Self { state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// `up`: the binds with a session. `reserve`: asks if a bind accepts one more now.
    pub(super) fn take(
        self: &Arc<Self>,
        inbox: InboxId,
        wanted: usize,
        now: Instant,
        up: &dyn Fn(usize) -> bool,
        reserve: &mut dyn FnMut(usize) -> Reservation,
    ) -> Vec<(WindowPlace, DoubtRoom)> {
        let mut state = self.state();
        let room = state.room(inbox, now, up).min(state.turn(inbox, now, up)).min(wanted);
        let held = self.pick(&mut state, inbox, room, reserve);
        if held.len() < wanted {
            state.wanting.insert(inbox, now);
        } else {
            state.wanting.remove(&inbox);
        }
        if !held.is_empty() {
            *state.in_doubt.entry(inbox).or_default() += held.len();
        }
        let in_doubt = |held| (held, DoubtRoom { window: Arc::clone(self), inbox, counted: AtomicBool::new(true) });
        held.into_iter().map(in_doubt).collect()
    }

    /// Takes a place for one more part of a message under way, only if no message waits.
    pub(super) fn spare(
        self: &Arc<Self>,
        inbox: InboxId,
        now: Instant,
        reserve: &mut dyn FnMut(usize) -> Reservation,
    ) -> Option<WindowPlace> {
        let mut state = self.state();
        state.forget(now);
        if !state.wanting.is_empty() {
            return None;
        }
        self.pick(&mut state, inbox, 1, reserve).pop()
    }

    fn pick(
        self: &Arc<Self>,
        state: &mut State,
        inbox: InboxId,
        count: usize,
        reserve: &mut dyn FnMut(usize) -> Reservation,
    ) -> Vec<WindowPlace> {
        let (mut passed_over, mut held, mut paced) = (Vec::new(), Vec::new(), false);
        while held.len() < count {
            let Some(bind) = state.least_loaded(&passed_over) else { break };
            state.turn = bind + 1;
            match reserve(bind) {
                Reservation::Yes => {
                    if let Some(free) = state.free.get_mut(bind) {
                        *free -= 1;
                    }
                    held.push(WindowPlace { window: Arc::clone(self), bind });
                }
                reserved => {
                    paced |= reserved == Reservation::NotYet;
                    passed_over.push(bind);
                }
            }
        }
        if count > 0 {
            state.paced = paced && held.len() < count;
        }
        if !held.is_empty() {
            state.serve(inbox);
        }
        held
    }

    /// The message gave up its place elsewhere and its room, which it takes again.
    pub(super) fn take_of(
        self: &Arc<Self>,
        in_doubt: &DoubtRoom,
        bind: usize,
        reserve: &mut dyn FnMut(usize) -> Reservation,
    ) -> Option<WindowPlace> {
        let mut state = self.state();
        let lacks_room = !in_doubt.counted.load(Ordering::Relaxed);
        if lacks_room && state.free_places() == 0 {
            return None;
        }
        let free = state.free.get_mut(bind).filter(|free| **free > 0)?;
        if reserve(bind) != Reservation::Yes {
            return None;
        }
        *free -= 1;
        if lacks_room {
            *state.in_doubt.entry(in_doubt.inbox).or_default() += 1;
            in_doubt.counted.store(true, Ordering::Relaxed);
        }
        Some(WindowPlace { window: Arc::clone(self), bind })
    }

    /// Submits without an answer, by bind.
    pub(super) fn used_places(&self) -> Vec<usize> {
        let state = self.state();
        state.size.iter().zip(&state.free).map(|(size, free)| size.saturating_sub(*free)).collect()
    }

    pub(super) fn open_binds(&self, inbox: InboxId, now: Instant, up: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let mut state = self.state();
        if state.room(inbox, now, up) == 0 {
            return Vec::new();
        }
        (0..).zip(&state.free).filter(|(bind, free)| **free > 0 && up(*bind)).map(|(bind, _)| bind).collect()
    }

    pub(super) fn is_anothers_turn(&self, inbox: InboxId, now: Instant) -> bool {
        self.state().next_but(inbox, now).is_some()
    }

    /// Resolves when a place is free that this inbox may have. The longest waiting inbox is woken first.
    pub(super) fn wait_for_room(&self, inbox: InboxId) -> oneshot::Receiver<()> {
        let (tell, told) = oneshot::channel();
        let mut state = self.state();
        state.waiting.retain(|(_, tell)| !tell.is_closed());
        state.waiting.push_back((inbox, tell));
        told
    }

    pub(super) fn bind_freed(&self) -> oneshot::Receiver<()> {
        let (tell, told) = oneshot::channel();
        let mut state = self.state();
        state.waiting_for_bind.retain(|tell| !tell.is_closed());
        state.waiting_for_bind.push(tell);
        told
    }

    /// Wakes all waiting inboxes, because a bind is up.
    pub(super) fn notify_all(&self) {
        let mut state = self.state();
        let waiting = std::mem::take(&mut state.waiting).into_iter().map(|(_, tell)| tell);
        let waiting: Vec<_> = waiting.chain(std::mem::take(&mut state.waiting_for_bind)).collect();
        drop(state);
        for tell in waiting {
            // The receiver may no longer wait.
            let _ = tell.send(());
        }
    }

    pub(super) fn has_enough(&self, inbox: InboxId) {
        self.state().wanting.remove(&inbox);
    }
}

impl State {
    /// Returns the bind with room that uses the smallest share of its window; of equal ones the one whose turn it is.
    fn least_loaded(&self, passed_over: &[usize]) -> Option<usize> {
        let binds = self.free.len();
        let in_turn = (0..binds).map(|step| (self.turn + step) % binds);
        let open = in_turn.filter_map(|bind| {
            let (free, size) = (*self.free.get(bind)?, *self.size.get(bind)?);
            (free > 0 && !passed_over.contains(&bind)).then_some((bind, size - free, size))
        });
        // Shares, compared without a division.
        let least = open.reduce(|least, one| if one.1 * least.2 < least.1 * one.2 { one } else { least });
        least.map(|(bind, _, _)| bind)
    }

    fn forget(&mut self, now: Instant) {
        self.wanting.retain(|_, since| now.saturating_duration_since(*since) < WANTS);
        let (in_doubt, wanting) = (&self.in_doubt, &self.wanting);
        self.served.retain(|inbox, _| in_doubt.contains_key(inbox) || wanting.contains_key(inbox));
    }

    fn serve(&mut self, inbox: InboxId) {
        self.places += 1;
        self.served.insert(inbox, self.places);
        self.next.take_if(|(next, _)| *next == inbox);
    }

    fn next_but(&self, inbox: InboxId, now: Instant) -> Option<InboxId> {
        let (next, since) = self.next.filter(|(next, _)| *next != inbox)?;
        (now.saturating_duration_since(since) < TURN).then_some(next)
    }

    /// None if another inbox waits that was served earlier at the rate.
    fn turn(&mut self, inbox: InboxId, now: Instant, up: &dyn Fn(usize) -> bool) -> usize {
        if !self.paced {
            return usize::MAX;
        }
        if self.next_but(inbox, now).is_some() {
            return 0;
        }
        let served = |one: &InboxId| self.served.get(one).copied().unwrap_or_default();
        let others = (0..).zip(&self.waiting).filter(|(_, (other, tell))| *other != inbox && !tell.is_closed());
        let Some((at, other)) = others.map(|(at, (other, _))| (at, *other)).min_by_key(|(_, other)| served(other))
        else {
            return usize::MAX;
        };
        if served(&other) >= served(&inbox) {
            return (self.share(inbox, up) / TURNS_OF_A_SHARE).max(1);
        }
        self.next = Some((other, now));
        if let Some((_, tell)) = self.waiting.remove(at) {
            // The receiver may no longer wait.
            let _ = tell.send(());
        }
        0
    }

    fn share(&self, inbox: InboxId, up: &dyn Fn(usize) -> bool) -> usize {
        let all: usize = (0..).zip(&self.size).filter(|(bind, _)| up(*bind)).map(|(_, size)| size).sum();
        let sharing: HashSet<InboxId> =
            self.in_doubt.keys().chain(self.wanting.keys()).copied().chain([inbox]).collect();
        (all / sharing.len()).max(1)
    }

    fn in_doubt(&self, inbox: InboxId) -> usize {
        self.in_doubt.get(&inbox).copied().unwrap_or_default()
    }

    /// The room in all windows, or the rest of its share while another inbox has less than its own.
    fn room(&mut self, inbox: InboxId, now: Instant, up: &dyn Fn(usize) -> bool) -> usize {
        self.forget(now);
        let left = self.free_places();
        let share = self.share(inbox, up);
        let short = self.wanting.keys().any(|other| *other != inbox && self.in_doubt(*other) < share);
        if short { share.saturating_sub(self.in_doubt(inbox)).min(left) } else { left }
    }

    fn free_places(&self) -> usize {
        let all: usize = self.size.iter().sum();
        all.saturating_sub(self.in_doubt.values().sum())
    }

    fn tell_next(&mut self) {
        for tell in self.waiting_for_bind.drain(..) {
            // The receiver may no longer wait.
            let _ = tell.send(());
        }
        // It matters little if every bind is up, because the receiver looks again.
        let now = Instant::now();
        for _ in 0..self.waiting.len() {
            let Some((inbox, tell)) = self.waiting.pop_front() else { break };
            if tell.is_closed() {
                continue;
            }
            if self.room(inbox, now, &|_| true) == 0 {
                self.waiting.push_back((inbox, tell));
            } else if tell.send(()).is_ok() {
                break;
            }
        }
    }
}

impl Drop for WindowPlace {
    fn drop(&mut self) {
        let mut state = self.window.state();
        if let Some(free) = state.free.get_mut(self.bind) {
            *free += 1;
        }
        state.tell_next();
    }
}

impl DoubtRoom {
    /// It waits for a place of one bind and is not submitted, so its room is free for others.
    pub(super) fn gives_room(&self) {
        let mut state = self.window.state();
        if !self.counted.swap(false, Ordering::Relaxed) {
            return;
        }
        match state.in_doubt.get_mut(&self.inbox) {
            Some(messages) if *messages > 1 => *messages -= 1,
            _ => drop(state.in_doubt.remove(&self.inbox)),
        }
        state.tell_next();
    }
}

impl Drop for DoubtRoom {
    fn drop(&mut self) {
        self.gives_room();
    }
}

#[cfg(test)]
mod tests;
