//! The memory of samples. It is that of the process, so no other test may run in this one.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

use app::metrics::{UPKEEP, keep_up, recorder};
use tokio_util::sync::CancellationToken;

fn resident_bytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[tokio::test(start_paused = true)]
async fn samples_do_not_pile_up_while_they_are_not_read() {
    const TURNS: usize = 40;
    const SAMPLES: usize = 200_000;
    let recorder = recorder().unwrap();
    let (handle, stop) = (recorder.handle(), CancellationToken::new());
    let keeping = tokio::spawn(keep_up(handle.clone(), stop.clone()));
    let before = resident_bytes();
    for _ in 0..TURNS {
        metrics::with_local_recorder(&recorder, || {
            let waited = metrics::histogram!("waited_seconds");
            (0..SAMPLES).for_each(|_| waited.record(0.02));
        });
        tokio::time::sleep(UPKEEP).await;
    }
    let grown = resident_bytes().saturating_sub(before);
    // Eight bytes for each sample would be 64 MB.
    assert!(grown < 32_000_000, "{grown} bytes");
    stop.cancel();
    keeping.await.unwrap();
    assert!(handle.render().contains(&format!("waited_seconds_count {}", TURNS * SAMPLES)));
}
