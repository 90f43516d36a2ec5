//! Who may submit next. A window (submits without an answer) belongs to a bind and is shared by all inboxes of the process,
//! so that many small ones get through beside one that has thousands waiting: while others want room, nobody takes more
//! than an equal share. Where it is the rate of a bind that is short, and not its window, those who wait take turns.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use domain::ids::InboxId;
use tokio::sync::oneshot;

/// How long an inbox that got less than it wanted counts as wanting more. Dispatchers ask again sooner than that.
const WANTS: Duration = Duration::from_secs(1);
/// How long the others wait for the one whose turn it is.
const TURN: Duration = Duration::from_millis(20);
/// The part of a share that one turn is.
const TURNS_OF_A_SHARE: usize = 8;

/// Whether a bind takes one more submit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reserved {
    /// It does, and keeps a place in its rate for it.
    Yes,
    /// Its rate does not allow it yet.
    NotYet,
    /// It is down, or pauses.
    Closed,
}

/// The windows of all binds.
pub(super) struct Window {
    state: Mutex<State>,
}

struct State {
    /// Free places, by bind.
    free: Vec<usize>,
    /// All places, by bind.
    size: Vec<usize>,
    /// The bind whose turn it is.
    turn: usize,
    held: HashMap<InboxId, usize>,
    wanting: HashMap<InboxId, Instant>,
    waiting: VecDeque<(InboxId, oneshot::Sender<()>)>,
    /// A rate was what kept somebody from more, last time.
    paced: bool,
    /// When each inbox had a place last, counted in places.
    served: HashMap<InboxId, u64>,
    places: u64,
    /// Whose turn it is at a rate, and since when.
    next: Option<(InboxId, Instant)>,
}

/// A place in the window of a bind, given back when it is dropped.
pub(super) struct Held {
    window: Arc<Window>,
    /// Which bind.
    pub bind: usize,
    inbox: InboxId,
}

impl Window {
    /// `size` is the window of each bind.
    pub(super) fn new(size: Vec<usize>) -> Arc<Self> {
        let state = State {
            free: size.clone(),
            size,
            turn: 0,
            held: HashMap::new(),
            wanting: HashMap::new(),
            waiting: VecDeque::new(),
            paced: false,
            served: HashMap::new(),
            places: 0,
            next: None,
        };
        Arc::new(Self { state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Up to `wanted` places for messages of an inbox, from the binds in turn. `up` are the binds with a session; `reserve`
    /// says whether a bind takes one more now.
    pub(super) fn take(
        self: &Arc<Self>,
        inbox: InboxId,
        wanted: usize,
        now: Instant,
        up: &dyn Fn(usize) -> bool,
        reserve: &mut dyn FnMut(usize) -> Reserved,
    ) -> Vec<Held> {
        let mut state = self.state();
        let room = state.room(inbox, now, up).min(state.turn(inbox, now, up)).min(wanted);
        let held = self.pick(&mut state, inbox, room, reserve);
        if held.len() < wanted {
            state.wanting.insert(inbox, now);
        } else {
            state.wanting.remove(&inbox);
        }
        held
    }

    /// A place for one more part of a message that is under way: only while nobody wants it for a message.
    pub(super) fn spare(
        self: &Arc<Self>,
        inbox: InboxId,
        now: Instant,
        reserve: &mut dyn FnMut(usize) -> Reserved,
    ) -> Option<Held> {
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
        reserve: &mut dyn FnMut(usize) -> Reserved,
    ) -> Vec<Held> {
        let (mut passed_over, mut held, mut paced) = (Vec::new(), Vec::new(), false);
        while held.len() < count {
            let Some(bind) = state.least_loaded(&passed_over) else { break };
            state.turn = bind + 1;
            match reserve(bind) {
                Reserved::Yes => {
                    if let Some(free) = state.free.get_mut(bind) {
                        *free -= 1;
                    }
                    held.push(Held { window: Arc::clone(self), bind, inbox });
                }
                reserved => {
                    paced |= reserved == Reserved::NotYet;
                    passed_over.push(bind);
                }
            }
        }
        if count > 0 {
            state.paced = paced && held.len() < count;
        }
        if !held.is_empty() {
            *state.held.entry(inbox).or_default() += held.len();
            state.serve(inbox);
        }
        held
    }

    /// A place of one bind, for a message that goes over that one; within the share of the inbox, whose place elsewhere it gives up.
    pub(super) fn take_of(
        self: &Arc<Self>,
        inbox: InboxId,
        bind: usize,
        reserve: &mut dyn FnMut(usize) -> Reserved,
    ) -> Option<Held> {
        let mut state = self.state();
        let free = state.free.get_mut(bind).filter(|free| **free > 0)?;
        if reserve(bind) != Reserved::Yes {
            return None;
        }
        *free -= 1;
        *state.held.entry(inbox).or_default() += 1;
        Some(Held { window: Arc::clone(self), bind, inbox })
    }

    /// Submits without an answer, by bind.
    pub(super) fn used(&self) -> Vec<usize> {
        let state = self.state();
        state.size.iter().zip(&state.free).map(|(size, free)| size.saturating_sub(*free)).collect()
    }

    /// Where the inbox may hope for a place now: binds with a free one; none while it has its share.
    pub(super) fn open_binds(&self, inbox: InboxId, now: Instant, up: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let mut state = self.state();
        if state.room(inbox, now, up) == 0 {
            return Vec::new();
        }
        (0..).zip(&state.free).filter(|(bind, free)| **free > 0 && up(*bind)).map(|(bind, _)| bind).collect()
    }

    /// Whether it is the turn of another at a rate.
    pub(super) fn is_anothers_turn(&self, inbox: InboxId, now: Instant) -> bool {
        self.state().next_but(inbox, now).is_some()
    }

    /// Resolves when a place has become free that this inbox may have. Whoever waited longest is told first.
    pub(super) fn freed(&self, inbox: InboxId) -> oneshot::Receiver<()> {
        let (tell, told) = oneshot::channel();
        let mut state = self.state();
        state.waiting.retain(|(_, tell)| !tell.is_closed());
        state.waiting.push_back((inbox, tell));
        told
    }

    /// Tells everybody to look again: a bind is up.
    pub(super) fn tell_all(&self) {
        let waiting = std::mem::take(&mut self.state().waiting);
        for (_, tell) in waiting {
            // Who no longer waits need not know.
            let _ = tell.send(());
        }
    }

    /// The inbox had more places than messages.
    pub(super) fn has_enough(&self, inbox: InboxId) {
        self.state().wanting.remove(&inbox);
    }
}

impl State {
    /// Of the binds with room the one that uses the smallest share of its window; of several alike the one whose turn it is.
    fn least_loaded(&self, passed_over: &[usize]) -> Option<usize> {
        let binds = self.free.len();
        let in_turn = (0..binds).map(|step| (self.turn + step) % binds);
        let open = in_turn.filter_map(|bind| {
            let (free, size) = (*self.free.get(bind)?, *self.size.get(bind)?);
            (free > 0 && !passed_over.contains(&bind)).then_some((bind, size - free, size))
        });
        // As shares, compared without dividing.
        let least = open.reduce(|least, one| if one.1 * least.2 < least.1 * one.2 { one } else { least });
        least.map(|(bind, _, _)| bind)
    }

    fn forget(&mut self, now: Instant) {
        self.wanting.retain(|_, since| now.saturating_duration_since(*since) < WANTS);
        let (held, wanting) = (&self.held, &self.wanting);
        self.served.retain(|inbox, _| held.contains_key(inbox) || wanting.contains_key(inbox));
    }

    /// The inbox has had a place.
    fn serve(&mut self, inbox: InboxId) {
        self.places += 1;
        self.served.insert(inbox, self.places);
        self.next.take_if(|(next, _)| *next == inbox);
    }

    fn next_but(&self, inbox: InboxId, now: Instant) -> Option<InboxId> {
        let (next, since) = self.next.filter(|(next, _)| *next != inbox)?;
        (now.saturating_duration_since(since) < TURN).then_some(next)
    }

    /// How many places the inbox may take while a rate is what everybody waits for: none when somebody else waits who had one
    /// before it did.
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
            // Who no longer waits need not know.
            let _ = tell.send(());
        }
        0
    }

    /// An equal share of all places.
    fn share(&self, inbox: InboxId, up: &dyn Fn(usize) -> bool) -> usize {
        let all: usize = (0..).zip(&self.size).filter(|(bind, _)| up(*bind)).map(|(_, size)| size).sum();
        let sharing: HashSet<InboxId> = self.held.keys().chain(self.wanting.keys()).copied().chain([inbox]).collect();
        (all / sharing.len()).max(1)
    }

    fn held(&self, inbox: InboxId) -> usize {
        self.held.get(&inbox).copied().unwrap_or_default()
    }

    /// How many more places the inbox may take: all there are, or the rest of its share while another has less than its own.
    fn room(&mut self, inbox: InboxId, now: Instant, up: &dyn Fn(usize) -> bool) -> usize {
        self.forget(now);
        let share = self.share(inbox, up);
        let short = self.wanting.keys().any(|other| *other != inbox && self.held(*other) < share);
        if short { share.saturating_sub(self.held(inbox)) } else { usize::MAX }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = self.window.state();
        if let Some(free) = state.free.get_mut(self.bind) {
            *free += 1;
        }
        match state.held.get_mut(&self.inbox) {
            Some(held) if *held > 1 => *held -= 1,
            _ => drop(state.held.remove(&self.inbox)),
        }
        // Whether every bind is up matters little here: who is told looks again.
        let now = Instant::now();
        for _ in 0..state.waiting.len() {
            let Some((inbox, tell)) = state.waiting.pop_front() else { break };
            if tell.is_closed() {
                continue;
            }
            if state.room(inbox, now, &|_| true) == 0 {
                state.waiting.push_back((inbox, tell));
            } else if tell.send(()).is_ok() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const NOBODY_ELSE: &dyn Fn(usize) -> bool = &|_| true;

    fn inbox(number: u128) -> InboxId {
        InboxId(Uuid::from_u128(number))
    }

    fn take(window: &Arc<Window>, who: u128, wanted: usize) -> Vec<Held> {
        window.take(inbox(who), wanted, Instant::now(), NOBODY_ELSE, &mut |_| Reserved::Yes)
    }

    #[test]
    fn an_inbox_alone_gets_the_whole_window_and_no_more() {
        let window = Window::new(vec![3, 2]);
        let held = take(&window, 1, 9);
        let mut binds: Vec<usize> = held.iter().map(|held| held.bind).collect();
        binds.sort_unstable();
        assert_eq!(binds, [0, 0, 0, 1, 1]);
        assert!(take(&window, 1, 1).is_empty());
        drop(held);
        assert_eq!(take(&window, 1, 9).len(), 5);
    }

    #[test]
    fn binds_take_turns_and_one_that_takes_nothing_is_passed_over() {
        let window = Window::new(vec![8, 8, 8]);
        let mut reserve = |bind| if bind == 1 { Reserved::Closed } else { Reserved::Yes };
        let held = window.take(inbox(1), 4, Instant::now(), NOBODY_ELSE, &mut reserve);
        assert_eq!(held.iter().map(|held| held.bind).collect::<Vec<_>>(), [0, 2, 0, 2]);
    }

    #[test]
    fn the_least_loaded_bind_is_taken_whatever_the_size_of_its_window() {
        let window = Window::new(vec![2, 4]);
        let held = take(&window, 1, 3);
        assert_eq!(held.iter().map(|held| held.bind).collect::<Vec<_>>(), [0, 1, 1], "a quarter is less than a half");
    }

    #[test]
    fn a_place_of_one_bind_is_given_back_like_any() {
        let window = Window::new(vec![1, 1]);
        let held = window.take_of(inbox(1), 1, &mut |_| Reserved::Yes);
        assert_eq!((held.is_some(), window.used()), (true, vec![0, 1]));
        assert!(window.take_of(inbox(1), 1, &mut |_| Reserved::Yes).is_none(), "it is full");
        assert!(window.take_of(inbox(1), 0, &mut |_| Reserved::NotYet).is_none(), "its rate is used up");
        drop(held);
        assert_eq!(window.used(), [0, 0]);
    }

    #[test]
    fn a_second_inbox_gets_its_share_of_what_becomes_free() {
        let window = Window::new(vec![4]);
        let mut first = take(&window, 1, 100);
        assert_eq!(first.len(), 4);
        assert!(take(&window, 2, 100).is_empty());
        first.pop();
        assert!(take(&window, 1, 100).is_empty(), "the first has more than its share");
        let second = take(&window, 2, 100);
        assert_eq!(second.len(), 1);
        first.truncate(1);
        assert_eq!((take(&window, 1, 100).len(), take(&window, 2, 100).len()), (1, 1));
        drop(second);
    }

    #[test]
    fn who_wants_no_more_leaves_the_rest_to_the_others() {
        let window = Window::new(vec![4]);
        let first = take(&window, 1, 100);
        assert!(take(&window, 2, 1).is_empty());
        drop(first);
        let rest = take(&window, 1, 100);
        assert_eq!(rest.len(), 2, "the second has asked and got nothing");
        let _second = take(&window, 2, 1);
        assert_eq!(take(&window, 1, 100).len(), 1);
    }

    #[test]
    fn parts_take_only_what_nobody_wants_for_a_message() {
        let window = Window::new(vec![2]);
        let spare = || window.spare(inbox(1), Instant::now(), &mut |_| Reserved::Yes);
        let part = spare();
        assert!(part.is_some());
        let all = take(&window, 2, 9);
        assert!(spare().is_none());
        drop(all);
        assert!(spare().is_none(), "the second has asked for more");
        window.has_enough(inbox(2));
        assert!(spare().is_some());
    }

    #[test]
    fn the_one_that_waited_longest_is_told_first() {
        let window = Window::new(vec![1]);
        let held = take(&window, 1, 1);
        let (gone, mut second, mut third) = (window.freed(inbox(9)), window.freed(inbox(2)), window.freed(inbox(3)));
        drop(gone);
        drop(held);
        assert!(second.try_recv().is_ok() && third.try_recv().is_err());
        window.tell_all();
        assert!(third.try_recv().is_ok());
    }

    #[test]
    fn at_a_rate_those_who_wait_take_turns() {
        let window = Window::new(vec![100]);
        let now = Instant::now();
        let one_left = || {
            let mut left = 1;
            move |_| {
                left -= 1;
                if left >= 0 { Reserved::Yes } else { Reserved::NotYet }
            }
        };
        let ask = |who, reserve: &mut dyn FnMut(usize) -> Reserved| {
            window.take(inbox(who), 50, now, NOBODY_ELSE, reserve).len()
        };
        assert_eq!(ask(1, &mut one_left()), 1);
        assert_eq!(ask(2, &mut |_| Reserved::NotYet), 0);
        let mut second = window.freed(inbox(2));
        assert_eq!(ask(1, &mut one_left()), 0, "the second has waited longer");
        assert!(second.try_recv().is_ok(), "and is told");
        assert!(window.is_anothers_turn(inbox(1), now) && !window.is_anothers_turn(inbox(2), now));
        assert_eq!(ask(2, &mut one_left()), 1);
        assert_eq!(ask(1, &mut one_left()), 1, "nobody else waits now");
    }

    #[test]
    fn who_does_not_take_its_turn_loses_it() {
        let window = Window::new(vec![100]);
        let now = Instant::now();
        let take = |who, at| window.take(inbox(who), 1, at, NOBODY_ELSE, &mut |_| Reserved::Yes).len();
        let held = window.take(inbox(1), 1, now, NOBODY_ELSE, &mut |_| Reserved::Yes);
        assert!(window.take(inbox(2), 1, now, NOBODY_ELSE, &mut |_| Reserved::NotYet).is_empty());
        let _second = window.freed(inbox(2));
        assert_eq!(take(1, now), 0);
        assert_eq!(take(1, now + TURN / 2), 0);
        assert_eq!(take(1, now + TURN), 1);
        drop(held);
    }
}
