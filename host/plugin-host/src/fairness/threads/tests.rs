use std::sync::Arc;

use super::*;

#[derive(Debug, PartialEq)]
enum Place {
    Caller,
    Apart,
    Last,
}

fn place() -> Place {
    match std::thread::current().name() {
        Some("plugins-apart") => Place::Apart,
        Some("plugins-last") => Place::Last,
        _ => Place::Caller,
    }
}

/// Uses processor time and yields, as a guest does at every tick, until it runs at `until` or the time is up.
async fn burn(time: Duration, until: Place) -> Place {
    let begin = processor_time();
    while processor_time().saturating_sub(begin) < time && place() != until {
        let step = processor_time();
        while processor_time().saturating_sub(step) < PROMPT {}
        tokio::task::yield_now().await;
    }
    place()
}

#[tokio::test]
async fn a_small_call_stays_on_the_thread_of_its_caller() {
    let (threads, share) = (CallThreads::start().unwrap(), Share::new(Duration::from_secs(1)));
    assert_eq!(threads.promptly(&share, Box::pin(async { place() })).await, Place::Caller);
}

#[tokio::test]
async fn a_long_call_continues_separated_and_after_two_the_next_one_starts_separated() {
    let (threads, share) = (CallThreads::start().unwrap(), Share::new(Duration::from_secs(1)));
    assert_eq!(threads.promptly(&share, Box::pin(burn(PROMPT * 20, Place::Apart))).await, Place::Apart);
    assert_eq!(threads.promptly(&share, Box::pin(async { place() })).await, Place::Caller, "one is a slip");
    assert_eq!(threads.promptly(&share, Box::pin(burn(PROMPT * 20, Place::Apart))).await, Place::Apart);
    assert_eq!(threads.promptly(&share, Box::pin(async { place() })).await, Place::Apart);
    let other = Share::new(Duration::from_secs(1));
    assert_eq!(threads.promptly(&other, Box::pin(async { place() })).await, Place::Caller, "of another client");
}

#[tokio::test]
async fn a_very_long_call_continues_last_and_the_next_one_starts_last() {
    let (threads, share) = (CallThreads::start().unwrap(), Share::new(Duration::from_secs(10)));
    assert_eq!(threads.promptly(&share, Box::pin(burn(PROMPT * 100, Place::Last))).await, Place::Last);
    assert_eq!(threads.promptly(&share, Box::pin(async { place() })).await, Place::Last);
}

#[tokio::test]
async fn calls_of_a_client_without_share_run_last() {
    let (threads, share) = (CallThreads::start().unwrap(), Share::new(PROMPT));
    share.spend(Duration::from_secs(1));
    assert_eq!(threads.promptly(&share, Box::pin(async { place() })).await, Place::Last);
}

#[tokio::test]
async fn calls_that_run_last_take_turns_within_their_client() {
    let (threads, share) = (Arc::new(CallThreads::start().unwrap()), Share::new(PROMPT));
    share.spend(Duration::from_secs(1));
    let under_way = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let calls = (0..8).map(|_| {
        let (threads, share, under_way) = (Arc::clone(&threads), share.clone(), Arc::clone(&under_way));
        tokio::spawn(async move {
            let call = Box::pin(async move {
                for _ in 0..20 {
                    let others = under_way.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    std::hint::black_box((0..10_000).sum::<u64>());
                    under_way.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    assert_eq!(others, 0);
                    tokio::task::yield_now().await;
                }
            });
            share.spend(Duration::from_secs(1));
            threads.promptly(&share, call).await;
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
}

#[tokio::test]
async fn a_call_that_waits_gives_its_turn_to_the_next() {
    let (threads, share) = (CallThreads::start().unwrap(), Share::new(PROMPT));
    share.spend(Duration::from_secs(1));
    let (go_on, waits) = tokio::sync::oneshot::channel();
    let waiting = threads.promptly(&share, Box::pin(async { waits.await.unwrap() }));
    let next = async {
        share.spend(Duration::from_secs(1));
        threads.promptly(&share, Box::pin(async { go_on.send(()).unwrap() })).await;
    };
    tokio::time::timeout(Duration::from_secs(10), async { tokio::join!(waiting, next) }).await.unwrap();
}

#[tokio::test]
async fn an_abandoned_call_ends() {
    let threads = CallThreads::start().unwrap();
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let call: MovingCall<()> = Box::pin(async move {
        std::future::pending::<()>().await;
        drop(held);
    });
    drop(tokio::time::timeout(Duration::from_millis(20), threads.last(call)).await);
    while Arc::strong_count(&alive) > 1 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
