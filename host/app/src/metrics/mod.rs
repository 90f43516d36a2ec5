//! `GET /metrics`: the recorder of this process, and figures that are read at the moment of the request.

mod catalogue;
mod installation;
pub mod listener;
mod page;
pub(crate) mod process;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use base::{
    Context,
    sending_figures::{SendingSnapshot, WaitKind},
};
use channels::smpp::{BindState, SmppGateway};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use tokio_util::sync::CancellationToken;

use api::MetricsPage;
use installation::InstallationFigures;
use page::MetricText;

use crate::tls::CertificateFiles;

/// Buckets in seconds, for metrics with a name in `_seconds`.
const BUCKETS: [f64; 11] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Buckets in bytes, for metrics with a name in `_bytes`.
const BUCKETS_OF_BYTES: [f64; 6] = [256.0, 1024.0, 4096.0, 16_384.0, 65_536.0, 1_048_576.0];
/// Buckets of numbers of requests.
const BUCKETS_OF_REQUESTS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0];

/// Interval at which samples are added to their histograms. Until then each sample is kept in memory.
pub const UPKEEP: Duration = Duration::from_secs(5);

pub fn install() -> anyhow::Result<PrometheusHandle> {
    let recorder = recorder()?;
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(|_| anyhow::anyhow!("metrics are set up already"))?;
    Ok(handle)
}

pub fn recorder() -> anyhow::Result<PrometheusRecorder> {
    let suffix = |suffix: &str| Matcher::Suffix(suffix.to_owned());
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(suffix("_seconds"), &BUCKETS)
        .and_then(|builder| builder.set_buckets_for_metric(suffix("_bytes"), &BUCKETS_OF_BYTES))
        .and_then(|builder| builder.set_buckets_for_metric(suffix("_requests"), &BUCKETS_OF_REQUESTS));
    let recorder = builder.context("cannot set up metrics")?.build_recorder();
    catalogue::describe(&recorder);
    Ok(recorder)
}

/// The metrics of this process and of the installation.
pub struct ProcessMetrics {
    recorded: PrometheusHandle,
    ctx: Arc<Context>,
    /// Absent if this process does no background work: it has no binds.
    smpp: Option<SmppGateway>,
    certificate: Option<Arc<CertificateFiles>>,
    data_dir: PathBuf,
    installation: InstallationFigures,
}

impl ProcessMetrics {
    pub fn new(
        recorded: PrometheusHandle,
        ctx: &Arc<Context>,
        smpp: Option<SmppGateway>,
        certificate: Option<Arc<CertificateFiles>>,
        data_dir: &Path,
    ) -> Arc<Self> {
        let installation = InstallationFigures::new(Arc::clone(ctx));
        Arc::new(Self {
            recorded,
            ctx: Arc::clone(ctx),
            smpp,
            certificate,
            data_dir: data_dir.to_owned(),
            installation,
        })
    }

    fn add_build(text: &mut MetricText) {
        let labels = [("version", env!("CARGO_PKG_VERSION")), ("commit", env!("PATCHBAY_COMMIT"))];
        text.add("patchbay_build_info", [(&labels[..], 1.0)]);
    }

    fn add_certificate(&self, text: &mut MetricText) {
        let end = self.certificate.as_ref().and_then(|certificate| certificate.expires_at());
        #[expect(clippy::cast_precision_loss, reason = "a metric is a float")]
        text.one("patchbay_certificate_expiry_timestamp_seconds", end.map(|end| end.timestamp() as f64));
    }

    fn add_database(&self, text: &mut MetricText) {
        let db = &self.ctx.db;
        let idle = u32::try_from(db.num_idle()).unwrap_or(u32::MAX);
        let states =
            [([("state", "used")], f64::from(db.size().saturating_sub(idle))), ([("state", "idle")], f64::from(idle))];
        text.add("patchbay_database_connections", states.iter().map(|(labels, count)| (&labels[..], *count)));
        text.one("patchbay_database_connections_max", Some(f64::from(db.max_connections())));
    }

    fn add_waits(&self, text: &mut MetricText) {
        let SendingSnapshot { waits, .. } = self.ctx.sending.snapshot(self.ctx.now());
        let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let reasons = WaitKind::ALL.map(|kind| {
            let waiting = waits.iter().filter(|(.., wait)| wait.kind == kind).count();
            (kind.as_str().to_ascii_lowercase(), count(waiting))
        });
        let samples = reasons.each_ref().map(|(reason, waiting)| ([("reason", reason.as_str())], *waiting));
        text.add("patchbay_inboxes_waiting", samples.iter().map(|(labels, waiting)| (&labels[..], *waiting)));
    }

    fn add_binds(&self, text: &mut MetricText) {
        let binds = self.smpp.as_ref().map(SmppGateway::status).unwrap_or_default();
        let up = |state: &BindState| f64::from(u8::from(*state == BindState::Bound));
        let samples: Vec<_> = binds.iter().map(|bind| ([("bind", bind.bind.as_str())], up(&bind.state))).collect();
        text.add("patchbay_smpp_bind_up", samples.iter().map(|(labels, value)| (&labels[..], *value)));
    }
}

#[async_trait::async_trait]
impl MetricsPage for ProcessMetrics {
    async fn render(&self) -> String {
        let mut text = MetricText::default();
        Self::add_build(&mut text);
        self.add_certificate(&mut text);
        self.add_database(&mut text);
        self.add_binds(&mut text);
        self.add_waits(&mut text);
        let suspended = u32::try_from(self.ctx.plugins.suspended()).unwrap_or(u32::MAX);
        text.one("patchbay_plugins_suspended", Some(f64::from(suspended)));
        process::add_disk(&mut text, "data_dir", &self.data_dir);
        process::add(&mut text);
        text.push(&self.installation.text().await);
        text.complete(&self.recorded.render())
    }
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
