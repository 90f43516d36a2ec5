//! Sends spans to a collector by OTLP (ADR 0059). Nothing waits for the collector: spans wait in a bounded queue, and are
//! dropped and counted if it is full or the collector fails.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use async_trait::async_trait;
use base::{
    secrets,
    traces::{self, FinishedSpan, Sampling, SpanSink, Tracer},
};
use bytes::{Bytes, BytesMut};
use channels::http::{OperatorClient, operator_client};
use domain::{clock::IdSource, ids::NodeId};
use http::{Request, Response};
use opentelemetry::KeyValue;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{Resource, error::OTelSdkResult, trace::SpanExporter as _};
use settings::Settings;
use tokio::{
    sync::mpsc::{self, Receiver, Sender},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use crate::{clock, span_data::span_data};

/// Spans that wait. A span is about 500 bytes.
const QUEUE: usize = 8192;
/// Most spans of one request.
const BATCH: usize = 512;
/// How long a span waits for others.
const GATHERING: Duration = Duration::from_millis(500);
/// Limit for one request to the collector.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);
/// Limit for the last requests when the program stops.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);
/// Longest answer of a collector that is read.
const LONGEST_ANSWER: usize = 64 * 1024;

/// The export of this process.
pub struct TraceExport {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl TraceExport {
    /// Turns traces on. `None`: no collector is configured.
    pub fn start(config: &Settings, node: NodeId) -> anyhow::Result<Option<Self>> {
        let Some(exporter) = exporter(config, node)? else { return Ok(None) };
        let (sender, queue) = mpsc::channel(QUEUE);
        let ids = IdSource::new(secrets::random()?);
        let sampling = Sampling::new(config.traces.sample_percent);
        traces::install(Tracer { sink: Box::new(SpanQueue(sender)), sampling, ids });
        let stop = CancellationToken::new();
        let task = tokio::spawn(export_all(exporter, queue, stop.clone()));
        Ok(Some(Self { stop, task }))
    }

    /// Sends the spans that wait, for a limited time. Later spans are dropped.
    pub async fn finish(self) {
        self.stop.cancel();
        let mut task = self.task;
        if timeout(FLUSH_TIMEOUT, &mut task).await.is_err() {
            task.abort();
        }
    }
}

fn exporter(config: &Settings, node: NodeId) -> anyhow::Result<Option<SpanExporter>> {
    let Some(endpoint) = &config.traces.endpoint else { return Ok(None) };
    let client =
        CollectorClient(operator_client(EXPORT_TIMEOUT).context("cannot make the client for traces.endpoint")?);
    let headers: HashMap<String, String> =
        config.trace_headers().map_err(|_| anyhow::anyhow!("traces.headers is wrong"))?;
    let mut exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(client)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{}/v1/traces", endpoint.as_str()))
        .with_headers(headers)
        .with_timeout(EXPORT_TIMEOUT)
        .build()
        .context("cannot send traces to traces.endpoint")?;
    let resource = Resource::builder_empty()
        .with_service_name(config.traces.service_name.clone())
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_attribute(KeyValue::new("service.instance.id", node.to_string()))
        .build();
    exporter.set_resource(&resource);
    Ok(Some(exporter))
}

struct SpanQueue(Sender<FinishedSpan>);

impl SpanSink for SpanQueue {
    fn take(&self, span: FinishedSpan) {
        if self.0.try_send(span).is_err() {
            count("dropped", 1);
        }
    }
}

async fn export_all(exporter: SpanExporter, mut queue: Receiver<FinishedSpan>, stop: CancellationToken) {
    let mut is_failing = false;
    let mut spans = Vec::with_capacity(BATCH);
    while gather(&mut queue, &mut spans, &stop).await {
        let (count_of_batch, moment) = (spans.len(), (clock::real_time(), Instant::now()));
        let batch = spans.drain(..).map(|span| span_data(span, moment)).collect();
        let exported = exporter.export(batch).await;
        count(if exported.is_ok() { "exported" } else { "failed" }, count_of_batch);
        is_failing = report(&exported, is_failing);
    }
}

/// Waits for spans. `false`: the program stops, and no span waits.
async fn gather(queue: &mut Receiver<FinishedSpan>, spans: &mut Vec<FinishedSpan>, stop: &CancellationToken) -> bool {
    let first = tokio::select! {
        biased;
        first = queue.recv() => first,
        () = stop.cancelled() => {
            queue.close();
            None
        }
    };
    spans.extend(first);
    if spans.is_empty() {
        return false;
    }
    let more = async { while spans.len() < BATCH && queue.recv_many(spans, BATCH - spans.len()).await > 0 {} };
    tokio::select! {
        () = more => {}
        () = tokio::time::sleep(GATHERING) => {}
        () = stop.cancelled() => {}
    }
    true
}

/// One log line when the collector begins to fail, and one when it works again.
fn report(exported: &OTelSdkResult, was_failing: bool) -> bool {
    match exported {
        Ok(()) if was_failing => tracing::info!("the collector of traces accepts spans again"),
        Err(error) if !was_failing => {
            tracing::warn!(
                error = error as &dyn std::error::Error,
                "the collector of traces (traces.endpoint) accepts no spans; they are dropped until it does"
            );
        }
        _ => {}
    }
    exported.is_err()
}

fn count(outcome: &'static str, spans: usize) {
    metrics::counter!("patchbay_trace_spans_total", "outcome" => outcome).increment(spans as u64);
}

/// Our HTTP client as the client of the OTLP library.
#[derive(Debug)]
struct CollectorClient(OperatorClient);

#[async_trait]
impl HttpClient for CollectorClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let call = self.0.request(parts.method, parts.uri.to_string()).headers(parts.headers).body(body);
        let mut answer = self.0.send(call).await?;
        let mut read = BytesMut::new();
        while let Some(piece) = answer.chunk().await? {
            if read.len() + piece.len() > LONGEST_ANSWER {
                return Err("the answer of the collector is too long".into());
            }
            read.extend_from_slice(&piece);
        }
        Ok(Response::builder().status(answer.status()).body(read.freeze())?)
    }
}
