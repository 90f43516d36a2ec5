use std::{
    net::Ipv4Addr,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use uuid::Uuid;

use super::*;
use crate::admission::settings::GracePeriods;

const MB: u64 = 1 << 20;

/// The grace of a request of the same source.
const GRACE: Duration = Duration::from_secs(1);

fn settings() -> AdmissionSettings {
    AdmissionSettings {
        requests_per_second: 1_000,
        recipients_per_second: 1_000,
        requests: 8,
        requests_per_client: 4,
        requests_per_source: 2,
        bytes: 128 * MB,
        bytes_per_client: 64 * MB,
        bytes_per_source: 48 * MB,
        turns_per_client: 5,
        write_timeout: Duration::from_secs(30),
        graces: GracePeriods::default(),
    }
}

/// A ledger and a manual clock.
struct Desk {
    ledger: Ledger,
    now: Instant,
    cut: Arc<AtomicUsize>,
}

impl Desk {
    fn new(change: impl FnOnce(&mut AdmissionSettings)) -> Self {
        let mut settings = settings();
        change(&mut settings);
        Self { ledger: Ledger::new(settings), now: Instant::now(), cut: Arc::default() }
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
    }

    fn enter(&mut self, owner: Owner) -> Result<Number, AdmissionRefusal> {
        let cut = Arc::clone(&self.cut);
        let link = PeerLink::new(move || {
            cut.fetch_add(1, Ordering::Relaxed);
        });
        self.ledger.enter(owner, link, self.now).map(|(number, _)| number)
    }

    /// A request that waits for its body.
    fn silent(&mut self, owner: Owner) -> Number {
        let number = self.enter(owner).unwrap();
        self.ledger.set_phase(number, Phase::Receiving { since: self.now, moved: 0 });
        number
    }

    /// A request that waits until the peer takes its answer.
    fn unread(&mut self, owner: Owner, bytes: u64) -> Number {
        let number = self.enter(owner).unwrap();
        self.ledger.hold_answer(number, bytes, true, self.now).unwrap();
        self.ledger.handed_out(number, bytes, self.now);
        number
    }

    fn is_there(&self, number: Number) -> bool {
        self.ledger.entries.contains_key(&number)
    }

    fn cuts(&self) -> usize {
        self.cut.load(Ordering::Relaxed)
    }
}

fn source(number: u8) -> Owner {
    Owner::from_source(Some(Ipv4Addr::new(192, 0, 2, number).into()))
}

fn client_id(number: u128) -> ClientId {
    ClientId::from(Uuid::from_u128(number))
}

fn client(number: u128) -> Owner {
    Owner::Client(client_id(number))
}

#[test]
fn a_source_has_its_places_and_gets_them_back() {
    let mut desk = Desk::new(|_| {});
    let first = desk.enter(source(1)).unwrap();
    desk.enter(source(1)).unwrap();
    assert_eq!(desk.enter(source(1)), Err(AdmissionRefusal::RequestsOfSource(2)));
    assert!(desk.enter(source(2)).is_ok(), "others have theirs");
    desk.ledger.leave(first);
    assert!(desk.enter(source(1)).is_ok());
}

#[test]
fn a_new_request_takes_the_place_of_the_slowest_one_of_its_source_after_the_time_of_grace() {
    let mut desk = Desk::new(|_| {});
    let (silent, working) = (desk.silent(source(1)), desk.enter(source(1)).unwrap());
    desk.pass(GRACE - Duration::from_millis(1));
    assert!(desk.enter(source(1)).is_err());
    desk.pass(Duration::from_millis(1));
    assert!(desk.enter(source(1)).is_ok());
    assert!(!desk.is_there(silent) && desk.is_there(working), "a request that waits for us is not ended");
}

#[test]
fn callers_without_a_key_have_half_of_the_process_and_the_slowest_of_the_largest_source_makes_room() {
    let mut desk = Desk::new(|_| {});
    let of_two = [desk.silent(source(1)), desk.silent(source(1))];
    let alone = desk.silent(source(2));
    desk.ledger.received(of_two[0], 10);
    let fourth = desk.silent(source(3));
    assert_eq!(desk.enter(source(4)), Err(AdmissionRefusal::Strangers), "within the time of grace");
    assert!(desk.enter(client(1)).is_ok(), "clients have the other half");

    desk.pass(GRACE);
    assert!(desk.enter(source(4)).is_ok());
    assert!(!desk.is_there(of_two[1]), "the slower one of the source that has two");
    assert!([of_two[0], alone, fourth].into_iter().all(|number| desk.is_there(number)));
}

#[test]
fn strangers_on_other_routes_take_no_place_of_provider_callbacks() {
    let mut desk = Desk::new(|_| {});
    let callback = |number| Owner::of_callback(Some(Ipv4Addr::new(192, 0, 2, number).into()));
    for number in 1..=4 {
        desk.enter(source(number)).unwrap();
    }
    assert_eq!(desk.enter(source(5)), Err(AdmissionRefusal::Strangers));
    let taken = desk.enter(callback(1)).unwrap();
    for number in 2..=4 {
        desk.enter(callback(number)).unwrap();
    }
    assert_eq!(desk.enter(callback(5)), Err(AdmissionRefusal::Strangers), "they have half of the process");
    desk.ledger.leave(taken);
    assert_eq!(desk.enter(source(5)), Err(AdmissionRefusal::Strangers));
    assert!(desk.enter(callback(5)).is_ok());
}

#[test]
fn many_sources_with_one_slow_body_each_do_not_block_others() {
    let mut desk = Desk::new(|_| {});
    let mut slow: Vec<Number> = (1..=4).map(|number| desk.silent(source(number))).collect();
    for number in 5..=100 {
        desk.pass(GRACE);
        slow.push(desk.silent(source(number)));
    }
    let there = slow.iter().filter(|number| desk.is_there(**number)).count();
    assert_eq!(there, 4);
    assert_eq!(desk.ledger.all, RequestLoad { requests: 4, ..RequestLoad::default() });
}

#[test]
fn requests_that_wait_for_a_turn_make_room_for_others() {
    let mut desk = Desk::new(|settings| settings.requests = 4);
    let queued: Vec<Number> = (0..4).map(|_| desk.enter(client(1)).unwrap()).collect();
    assert_eq!(desk.enter(client(2)), Err(AdmissionRefusal::Process), "all of them work");
    for number in &queued {
        desk.ledger.set_phase(*number, Phase::Queued { since: desk.now });
    }
    desk.pass(GRACE);
    assert!(desk.enter(client(2)).is_ok());
    assert_eq!(queued.iter().filter(|number| desk.is_there(**number)).count(), 3);
}

#[test]
fn a_client_with_many_slow_requests_makes_room_for_others_and_is_refused_itself() {
    let mut desk = Desk::new(|settings| settings.requests = 5);
    let slow: Vec<Number> = (0..4).map(|_| desk.silent(client(1))).collect();
    assert_eq!(desk.enter(client(1)), Err(AdmissionRefusal::RequestsOfClient(4)));
    desk.enter(client(2)).unwrap();
    assert_eq!(desk.enter(client(3)), Err(AdmissionRefusal::Process));
    desk.pass(GRACE);
    assert_eq!(desk.enter(client(1)), Err(AdmissionRefusal::RequestsOfClient(4)), "no client pushes itself out");
    desk.enter(client(3)).unwrap();
    assert_eq!(slow.iter().filter(|number| desk.is_there(**number)).count(), 3);
}

#[test]
fn a_request_leaves_its_source_when_its_client_is_known() {
    let mut desk = Desk::new(|_| {});
    for _ in 0..4 {
        let number = desk.enter(source(1)).unwrap();
        desk.ledger.identify(number, client_id(1), desk.now).unwrap();
    }
    let fifth = desk.enter(source(1)).unwrap();
    let refused = desk.ledger.identify(fifth, client_id(1), desk.now).err();
    assert_eq!(refused, Some(AdmissionRefusal::RequestsOfClient(4)));
    assert!(desk.ledger.identify(fifth, client_id(2), desk.now).is_ok());
}

#[test]
fn a_request_with_a_known_key_does_not_count_for_its_source_but_for_its_rate() {
    let mut desk = Desk::new(|settings| settings.requests_per_second = 1);
    let number = desk.enter(client(1)).unwrap();
    assert!(desk.ledger.identify(number, client_id(1), desk.now).is_ok());
    assert!(desk.ledger.identify(number, client_id(1), desk.now).is_ok(), "asked twice, it counts once");
    let second = desk.enter(client(1)).unwrap();
    let refused = desk.ledger.identify(second, client_id(1), desk.now).err();
    assert!(matches!(refused, Some(AdmissionRefusal::RequestsPerSecond(_))));
}

#[test]
fn bytes_of_a_body_are_bounded_by_account_and_process() {
    let mut desk = Desk::new(|_| {});
    let (number, second) = (desk.enter(source(1)).unwrap(), desk.enter(source(1)).unwrap());
    assert!(desk.ledger.hold_body(number, 48 * MB, desk.now).is_ok());
    let too_large = desk.ledger.hold_body(number, 48 * MB + 1, desk.now);
    assert!(matches!(too_large, Err(AdmissionRefusal::NeverFits { limit: "limits.bytes_in_flight_per_source", .. })));
    assert_eq!(desk.ledger.hold_body(second, 1, desk.now), Err(AdmissionRefusal::BytesOfSource(48 * MB)));
    let other = desk.enter(source(2)).unwrap();
    assert!(desk.ledger.hold_body(other, 16 * MB, desk.now).is_ok());
    assert_eq!(desk.ledger.hold_body(other, 16 * MB + 1, desk.now), Err(AdmissionRefusal::Strangers));
    let known = desk.enter(client(1)).unwrap();
    assert!(desk.ledger.hold_body(known, 64 * MB, desk.now).is_ok());
    let huge = desk.ledger.hold_body(known, 128 * MB + 1, desk.now);
    assert!(matches!(huge, Err(AdmissionRefusal::NeverFits { limit: "limits.bytes_in_flight", .. })));
}

#[test]
fn a_body_larger_than_the_share_of_its_client_counts_as_three_quarters_of_it() {
    let mut desk = Desk::new(|_| {});
    let large = desk.enter(client(1)).unwrap();
    desk.ledger.hold_body(large, 100 * MB, desk.now).unwrap();
    let little = desk.enter(client(1)).unwrap();
    assert!(desk.ledger.hold_body(little, 16 * MB, desk.now).is_ok());
    assert_eq!(desk.ledger.hold_body(little, 16 * MB + 1, desk.now), Err(AdmissionRefusal::BytesOfClient(64 * MB)));
    desk.ledger.leave(large);
    desk.ledger.leave(little);
    assert_eq!(desk.ledger.all, RequestLoad::default());
}

#[test]
fn a_body_ends_the_slowest_one_that_holds_bytes() {
    let mut desk = Desk::new(|settings| settings.bytes = 64 * MB);
    let (silent, slow) = (desk.silent(source(1)), desk.silent(source(2)));
    desk.ledger.hold_body(slow, 32 * MB, desk.now).unwrap();
    desk.pass(GRACE);
    let new = desk.enter(source(3)).unwrap();
    assert!(desk.ledger.hold_body(new, 20 * MB, desk.now).is_ok());
    assert!(desk.is_there(silent) && !desk.is_there(slow));
}

#[test]
fn an_unread_answer_counts_until_it_is_gone_and_its_owner_gets_no_more() {
    let mut desk = Desk::new(|_| {});
    let first = desk.unread(client(1), 40 * MB);
    let second = desk.enter(client(1)).unwrap();
    let refused = desk.ledger.hold_answer(second, 25 * MB, true, desk.now);
    assert_eq!(refused, Err(AdmissionRefusal::BytesOfClient(64 * MB)));
    assert!(
        desk.ledger.hold_answer(second, 25 * MB, false, desk.now).is_ok(),
        "the answer of finished work is always held"
    );
    assert_eq!(desk.enter(client(1)), Err(AdmissionRefusal::BytesOfClient(64 * MB)), "nothing new begins");
    desk.ledger.release(first, 40 * MB, desk.now);
    assert!(desk.enter(client(1)).is_ok());
}

#[test]
fn an_answer_that_is_smaller_than_its_body_ends_nothing() {
    let mut desk = Desk::new(|settings| settings.bytes = 64 * MB);
    let slow = desk.silent(client(1));
    desk.ledger.hold_body(slow, 40 * MB, desk.now).unwrap();
    desk.pass(GRACE);
    let full = desk.enter(client(2)).unwrap();
    desk.ledger.hold_body(full, 24 * MB, desk.now).unwrap();
    desk.ledger.hold_answer(full, 100, false, desk.now).unwrap();
    assert!(desk.is_there(slow));
}

#[test]
fn one_answer_larger_than_the_share_is_given_to_a_client_that_has_no_other() {
    let mut desk = Desk::new(|_| {});
    let alone = desk.enter(client(1)).unwrap();
    assert!(desk.ledger.hold_answer(alone, 65 * MB, true, desk.now).is_ok());
}

#[test]
fn answers_that_fill_the_process_are_aborted_for_new_ones() {
    let mut desk = Desk::new(|_| {});
    let unread = [desk.unread(source(1), 30 * MB), desk.unread(source(2), 34 * MB)];
    assert_eq!(desk.enter(source(3)), Err(AdmissionRefusal::Strangers));
    desk.pass(GRACE);
    assert!(desk.enter(source(3)).is_ok());
    assert!(desk.is_there(unread[0]) && !desk.is_there(unread[1]), "that of the source with the most bytes");
    assert_eq!(desk.cuts(), 1);
}

#[test]
fn unread_refusals_and_probes_beyond_the_share_of_a_source_end_and_those_of_others_stay() {
    let mut desk = Desk::new(|_| {});
    let refuse = |desk: &mut Desk, owner| {
        let cut = Arc::clone(&desk.cut);
        let link = PeerLink::new(move || {
            cut.fetch_add(1, Ordering::Relaxed);
        });
        let (number, _) = desk.ledger.enter_without_place(owner, link, desk.now);
        desk.ledger.handed_out(number, 0, desk.now);
        desk.pass(Duration::from_millis(1));
        number
    };
    let of_one: Vec<Number> = (0..3).map(|_| refuse(&mut desk, source(1))).collect();
    assert_eq!((desk.cuts(), desk.is_there(of_one[0])), (1, false), "the one that waited longest");
    // Eight are the limit of all: the seven sources of an attacker have two each at most.
    let of_many: Vec<Number> =
        (2..8).flat_map(|at| [refuse(&mut desk, source(at)), refuse(&mut desk, source(at))]).collect();
    let neighbour = refuse(&mut desk, source(9));
    let _ = refuse(&mut desk, source(10));
    assert!(desk.is_there(neighbour), "it has one, and others have two");
    assert_eq!(of_many.iter().filter(|number| desk.is_there(**number)).count() + 2, 8);
    assert!(desk.enter(source(11)).is_ok(), "they take no places");
}

#[test]
fn an_unread_answer_is_aborted_in_time() {
    let mut desk = Desk::new(|_| {});
    let (stuck, taken) = (desk.unread(client(1), 100), desk.unread(client(2), 100));
    desk.pass(Duration::from_secs(29));
    assert_eq!(desk.ledger.end_stuck(desk.now), 0);
    desk.ledger.handed_out(taken, 100, desk.now);
    desk.pass(Duration::from_secs(1));
    assert_eq!((desk.ledger.end_stuck(desk.now), desk.cuts()), (1, 1));
    assert!(!desk.is_there(stuck) && desk.is_there(taken));
    desk.ledger.set_phase(taken, Phase::Ours);
    desk.pass(Duration::from_secs(3_600));
    assert_eq!(desk.ledger.end_stuck(desk.now), 0, "an answer that waits for us");
}

#[test]
fn an_endless_answer_needs_no_place_and_is_aborted_like_any_other() {
    let mut desk = Desk::new(|settings| settings.requests_per_client = 1);
    let events = desk.enter(client(1)).unwrap();
    desk.ledger.give_place_back(events, desk.now);
    assert!(desk.enter(client(1)).is_ok());
    desk.ledger.handed_out(events, 10, desk.now);
    desk.pass(Duration::from_secs(30));
    assert_eq!(desk.ledger.end_stuck(desk.now), 1);
}

#[test]
fn idle_accounts_are_dropped() {
    let mut desk = Desk::new(|settings| settings.requests = u64::MAX);
    for number in 0..5_000_u32 {
        let owner = Owner::from_source(Some(Ipv4Addr::from(number).into()));
        let number = desk.enter(owner).unwrap();
        desk.ledger.leave(number);
        desk.pass(Duration::from_millis(10));
    }
    assert!(desk.ledger.accounts.len() <= 2 * ACCOUNTS, "{}", desk.ledger.accounts.len());
}
