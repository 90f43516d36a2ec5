use std::sync::atomic::AtomicUsize;

use tokio::task::JoinSet;

use super::*;

const MIB: usize = 1 << 20;

fn terms() -> PlaceTerms {
    PlaceTerms { places: 96, memory: 192 * MIB, per_client: 8, waiting_per_client: 256, call_memory: 24 * MIB }
}

fn client(number: u128) -> ClientId {
    ClientId(uuid::Uuid::from_u128(number))
}

fn in_time() -> Instant {
    Instant::now() + Duration::from_secs(2)
}

async fn enter(places: &CallPlaces, of: u128) -> CallPlace {
    places.enter(client(of), in_time()).await.unwrap_or_else(|_| panic!("client {of} finds no place"))
}

async fn enters_at_once(places: &CallPlaces, of: u128) -> bool {
    places.enter(client(of), Instant::now()).await.is_ok()
}

/// A client whose calls last this long. It always has as many calls under way and waiting as it may.
fn misbehaves(places: &CallPlaces, of: u128, lasts: Duration, at_once: &mut JoinSet<()>) {
    for _ in 0..16 {
        let places = places.clone();
        at_once.spawn(async move {
            loop {
                if let Ok(place) = places.enter(client(of), in_time()).await {
                    place.keep(sleep(lasts)).await;
                } else {
                    sleep(Duration::from_secs(1)).await;
                }
            }
        });
    }
}

/// The longest wait of a quiet client in ten seconds, one call after the other, next to many clients whose calls wait.
async fn longest_wait_among(others: u128) -> Duration {
    let places = CallPlaces::new(terms());
    let mut all = JoinSet::new();
    for other in 1..=others {
        misbehaves(&places, other, Duration::from_millis(4_500), &mut all);
    }
    // After this time each client is known as one whose calls wait.
    sleep(Duration::from_secs(5)).await;
    let mut longest = Duration::ZERO;
    for _ in 0..500 {
        let asked = Instant::now();
        let place = enter(&places, 0).await;
        longest = longest.max(asked.elapsed());
        assert!(place.keep(sleep(Duration::from_millis(1))).await.is_some());
        sleep(Duration::from_millis(19)).await;
    }
    longest
}

#[tokio::test(start_paused = true)]
async fn many_clients_with_waiting_calls_do_not_delay_a_quiet_one() {
    for others in [9, 60, 600] {
        assert_eq!(longest_wait_among(others).await, Duration::ZERO, "among {others}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_with_long_calls_keeps_its_share_among_many_greedy_ones() {
    let places = CallPlaces::new(terms());
    let mut all = JoinSet::new();
    for other in 1..=60 {
        misbehaves(&places, other, Duration::from_millis(4_500), &mut all);
    }
    sleep(Duration::from_secs(5)).await;
    for _ in 0..10 {
        let asked = Instant::now();
        let place = places.enter(client(0), asked + Duration::from_secs(10)).await.ok().unwrap();
        assert!(asked.elapsed() <= Duration::from_millis(4_500), "it comes next: {:?}", asked.elapsed());
        place.keep(sleep(Duration::from_millis(300))).await;
    }
}

#[tokio::test(start_paused = true)]
async fn longer_calls_have_at_most_three_quarters_of_the_places() {
    let places = CallPlaces::new(PlaceTerms { places: 8, ..terms() });
    let ended = Arc::new(AtomicUsize::new(0));
    let mut all = JoinSet::new();
    for of in 1..=8 {
        let (places, ended) = (places.clone(), Arc::clone(&ended));
        all.spawn(async move {
            let place = enter(&places, of).await;
            if place.keep(sleep(Duration::from_secs(4))).await.is_none() {
                assert!(place.was_refused());
                ended.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    sleep(LIGHT / 2).await;
    assert!(!enters_at_once(&places, 9).await, "all eight have a place at first");
    sleep(LIGHT).await;
    assert_eq!(ended.load(Ordering::Relaxed), 2, "two of them are ended");
    assert!(enters_at_once(&places, 9).await, "their places are for others");
    for of in 1..=8 {
        assert!(!enters_at_once(&places, of).await, "client {of} has had a long call, and waits for one to end");
    }
    all.join_all().await;
    assert!(enters_at_once(&places, 1).await);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_over_in_time_is_a_light_one() {
    let places = CallPlaces::new(PlaceTerms { places: 4, ..terms() });
    let place = enter(&places, 1).await;
    assert!(place.keep(sleep(LIGHT - Duration::from_millis(1))).await.is_some());
    drop(place);
    // Three of four places, so no other heavy call fits.
    let mut long = Vec::new();
    for of in 2..=4 {
        let place = enter(&places, of).await;
        assert!(place.is_long());
        long.push(place);
    }
    assert!(enters_at_once(&places, 1).await, "its calls begin as light ones");
    let place = enter(&places, 1).await;
    assert!(place.keep(sleep(LIGHT + Duration::from_millis(1))).await.is_none());
    drop(place);
    assert!(!enters_at_once(&places, 1).await, "and now they do not");
}

#[tokio::test(start_paused = true)]
async fn long_calls_of_a_client_are_forgotten_after_a_while() {
    let places = CallPlaces::new(PlaceTerms { places: 4, ..terms() });
    let mut long = Vec::new();
    for of in 1..=3 {
        let place = enter(&places, of).await;
        assert!(place.is_long());
        long.push(place);
    }
    for of in [4, 5] {
        let place = enter(&places, of).await;
        assert!(!place.is_long(), "there is no room for a fourth");
    }
    sleep(Duration::from_millis(9_999)).await;
    assert!(!enters_at_once(&places, 4).await, "and it is not forgiven for having waited");
    sleep(Duration::from_millis(1)).await;
    assert!(enters_at_once(&places, 5).await);
    assert!(!enters_at_once(&places, 4).await);
}

#[tokio::test(start_paused = true)]
async fn the_client_with_the_fewest_places_is_next() {
    let places = CallPlaces::new(PlaceTerms { places: 3, ..terms() });
    let mut held = vec![enter(&places, 1).await, enter(&places, 1).await, enter(&places, 2).await];
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut all = JoinSet::new();
    for of in [1, 1, 2, 3] {
        let (places, order) = (places.clone(), Arc::clone(&order));
        all.spawn(async move {
            let place = enter(&places, of).await;
            order.lock().push(of);
            sleep(Duration::from_millis(10)).await;
            drop(place);
        });
        tokio::task::yield_now().await;
    }
    sleep(Duration::from_millis(5)).await;
    drop(held.pop());
    all.join_all().await;
    assert_eq!(*order.lock(), [3, 2, 1, 1], "of two without a place the one that has had less, then the others");
}

#[tokio::test(start_paused = true)]
async fn a_client_has_a_limit_of_places_and_of_waiting_calls() {
    let places = CallPlaces::new(PlaceTerms { per_client: 2, waiting_per_client: 1, ..terms() });
    let held = [enter(&places, 1).await, enter(&places, 1).await];
    let waiting = tokio::spawn({
        let places = places.clone();
        async move { enter(&places, 1).await }
    });
    tokio::task::yield_now().await;
    let asked = Instant::now();
    assert!(places.enter(client(1), in_time()).await.is_err());
    assert!(asked.elapsed().is_zero(), "a second one that would wait is turned away");
    assert!(enters_at_once(&places, 2).await);
    drop(held);
    waiting.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_its_place_for_a_limited_time() {
    let places = CallPlaces::new(PlaceTerms { places: 1, ..terms() });
    let held = enter(&places, 1).await;
    let asked = Instant::now();
    assert!(places.enter(client(2), in_time()).await.is_err());
    assert_eq!(asked.elapsed(), Duration::from_secs(2));
    drop(held);
    assert!(enters_at_once(&places, 2).await, "one that has gone takes no place with it");
}

#[tokio::test(start_paused = true)]
async fn calls_with_much_memory_leave_a_quarter_of_it_to_the_others() {
    let places = CallPlaces::new(terms());
    let mut large = Vec::new();
    for of in 1..=6 {
        let place = enter(&places, of).await;
        if place.grow(23 * MIB) {
            large.push(place);
        } else {
            assert!(place.was_refused());
        }
    }
    assert_eq!(large.len(), 6, "of 192 MiB 144 are for calls of 24 MiB");
    let seventh = enter(&places, 7).await;
    assert!(!seventh.grow(23 * MIB), "and there is none for a seventh");
    assert!(seventh.was_refused());
    drop(seventh);
    let mut small = Vec::new();
    for of in 100..116 {
        let place = enter(&places, of).await;
        assert!(place.grow(2 * MIB), "16 calls of three fit, too");
        small.push(place);
    }
    let refused = enter_and_grow(&places, 200, 2 * MIB).await;
    assert!(refused.is_none(), "that is all");
    drop(small);
    assert!(enter_and_grow(&places, 200, 2 * MIB).await.is_some());
}

async fn enter_and_grow(places: &CallPlaces, of: u128, bytes: usize) -> Option<CallPlace> {
    let place = places.enter(client(of), Instant::now()).await.ok()?;
    place.grow(bytes).then_some(place)
}

#[tokio::test(start_paused = true)]
async fn a_call_ended_for_lack_of_memory_starts_again_when_there_is_enough() {
    let places = CallPlaces::new(PlaceTerms { memory: 48 * MIB, ..terms() });
    // 36 MiB for large calls.
    let first = enter_and_grow(&places, 1, 23 * MIB).await.unwrap();
    let second = enter(&places, 2).await;
    assert!(!second.grow(15 * MIB));
    drop(second);
    let waiting = tokio::spawn({
        let places = places.clone();
        async move {
            let place = enter(&places, 2).await;
            assert!(place.grow(15 * MIB), "the memory that it needed before is there for it");
        }
    });
    sleep(Duration::from_secs(1)).await;
    assert!(!waiting.is_finished());
    drop(first);
    waiting.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_largest_call_fits_into_the_smallest_memory() {
    let places = CallPlaces::new(PlaceTerms { memory: 1, ..terms() });
    let place = enter_and_grow(&places, 1, 24 * MIB).await.unwrap();
    assert!(!place.grow(MIB));
    drop(place);
    assert!(enter_and_grow(&places, 2, MIB).await.is_some(), "all of it is given back");
}

#[tokio::test(start_paused = true)]
async fn idle_clients_are_dropped() {
    let places = CallPlaces::new(terms());
    let busy = enter(&places, 0).await;
    for of in 1..10_000 {
        drop(enter(&places, of).await);
    }
    let known = places.0.state().client_count();
    assert!(known < 2_500, "{known}");
    drop(busy);
}

/// A call that took `bytes` for files and has ended.
async fn files_of_a_call(places: &CallPlaces, of: u128, bytes: usize) -> FileMemory {
    let place = Arc::new(enter_and_grow(places, of, bytes).await.unwrap());
    Arc::clone(&place).set_aside(bytes)
}

#[tokio::test(start_paused = true)]
async fn files_count_as_memory_after_their_call_until_they_are_released() {
    let places = CallPlaces::new(PlaceTerms { memory: 24 * MIB, ..terms() });
    let files = files_of_a_call(&places, 1, 20 * MIB).await;
    assert!(enter_and_grow(&places, 2, 10 * MIB).await.is_none(), "20 of 25 MiB are held");
    assert!(enter_and_grow(&places, 3, MIB).await.is_some(), "the instance of the call is gone");
    drop(files);
    assert!(enter_and_grow(&places, 2, 10 * MIB).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn files_count_as_a_call_of_their_client_and_take_no_place_of_others() {
    let places = CallPlaces::new(PlaceTerms { places: 1, per_client: 1, ..terms() });
    let files = files_of_a_call(&places, 1, MIB).await;
    assert!(!enters_at_once(&places, 1).await);
    assert!(enters_at_once(&places, 2).await);
    drop(files);
    assert!(enters_at_once(&places, 1).await);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_becomes_long_after_its_files_were_set_aside_returns_all_memory() {
    let places = CallPlaces::new(PlaceTerms { memory: 1, ..terms() });
    let place = Arc::new(enter_and_grow(&places, 1, 2 * MIB).await.unwrap());
    let files = Arc::clone(&place).set_aside(2 * MIB);
    assert!(place.is_long());
    drop(place);
    drop(files);
    assert!(enter_and_grow(&places, 2, 24 * MIB).await.is_some(), "the largest call finds all of it");
}
