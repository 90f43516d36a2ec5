use std::time::Duration;

use anyhow::Context as _;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use tokio_util::sync::CancellationToken;

/// Buckets in seconds, for metrics with a name in `_seconds`.
const BUCKETS: [f64; 11] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Interval at which samples are added to their histograms. Until then each sample is kept in memory.
pub const UPKEEP: Duration = Duration::from_secs(5);

pub fn install() -> anyhow::Result<PrometheusHandle> {
    let recorder = recorder()?;
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(|_| anyhow::anyhow!("metrics are set up already"))?;
    Ok(handle)
}

pub fn recorder() -> anyhow::Result<PrometheusRecorder> {
    let builder = PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BUCKETS);
    Ok(builder.context("cannot set up metrics")?.build_recorder())
}

/// Adds samples to their histograms at intervals, even if the metrics are never read.
pub async fn keep_up(handle: PrometheusHandle, stop: CancellationToken) {
    let mut turns = tokio::time::interval(UPKEEP);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = turns.tick() => handle.run_upkeep(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resident_bytes() -> u64 {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
    }

    #[tokio::test(start_paused = true)]
    async fn samples_do_not_pile_up_while_nobody_asks_for_them() {
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
}
