//! Spans of traces (ADR 0059). A message has the trace with its own id, so all processes find its trace without a stored
//! row. Spans hold ids, states and numbers, and never an address, a text or a secret.
//!
//! Without a sink no span is made: the functions that open one return `None`.

mod place;
mod sampling;
mod span;

use std::sync::OnceLock;

use domain::clock::IdSource;
use uuid::Uuid;

pub use place::{CallerTrace, SpanPlace};
pub use sampling::Sampling;
pub use span::{FinishedSpan, OpenSpan, SpanKind, SpanValue};

/// Takes finished spans. It must neither wait nor fail.
pub trait SpanSink: Send + Sync + 'static {
    fn take(&self, span: FinishedSpan);
}

/// The sink of the process, and which traces it takes.
pub struct Tracer {
    pub sink: Box<dyn SpanSink>,
    pub sampling: Sampling,
    /// For the ids of spans.
    pub ids: IdSource,
}

static TRACER: OnceLock<Tracer> = OnceLock::new();

tokio::task_local! {
    static CURRENT: Option<SpanPlace>;
}

/// Turns traces on, until the process ends. `false`: they were on already.
pub fn install(tracer: Tracer) -> bool {
    TRACER.set(tracer).is_ok()
}

/// Whether spans are taken. If not, work for their attributes can be left out.
pub fn is_on() -> bool {
    TRACER.get().is_some()
}

/// The span that the running work belongs to.
pub fn current() -> Option<SpanPlace> {
    CURRENT.try_with(|place| *place).ok().flatten()
}

/// Runs work as part of a span.
pub async fn within<T>(place: Option<SpanPlace>, work: impl Future<Output = T>) -> T {
    CURRENT.scope(place, work).await
}

/// Opens the span of a request, in the trace of its caller if it named one, otherwise in the trace with the id of the
/// request.
pub fn request(id: Uuid, caller: Option<CallerTrace>) -> Option<OpenSpan> {
    let tracer = TRACER.get()?;
    match caller {
        Some(caller) if caller.is_sampled => {
            let span = tracer.open(SpanPlace { span: tracer.ids.random() | 1, ..caller.place }, SpanKind::Server);
            Some(span.below_remote(caller.place))
        }
        Some(_) => None,
        None => tracer.root(id, SpanKind::Server),
    }
}

/// Opens the first span of the trace with this id. If the current work belongs to another trace, the span links to it.
pub fn first(id: Uuid, kind: SpanKind) -> Option<OpenSpan> {
    Some(TRACER.get()?.root(id, kind)?.linked_to(current()))
}

/// Opens a span below the first one of the trace with this id, which another process may have made. If the current work
/// belongs to another trace, the span links to it.
pub fn about(id: Uuid, kind: SpanKind) -> Option<OpenSpan> {
    let tracer = TRACER.get()?;
    let root = SpanPlace::first_of(id);
    let span = tracer.sampling.takes(root.trace).then(|| tracer.below(root, kind))?;
    Some(span.linked_to(current()))
}

/// Opens a span below the current one. Without a current one, below the first span of the trace with this id.
pub fn below_current(id: Uuid, kind: SpanKind) -> Option<OpenSpan> {
    match current() {
        Some(place) => TRACER.get().map(|tracer| tracer.below(place, kind)),
        None => about(id, kind),
    }
}

impl Tracer {
    fn root(&'static self, id: Uuid, kind: SpanKind) -> Option<OpenSpan> {
        let place = SpanPlace::first_of(id);
        self.sampling.takes(place.trace).then(|| self.open(place, kind))
    }

    fn below(&'static self, parent: SpanPlace, kind: SpanKind) -> OpenSpan {
        // A span id is not zero.
        self.open(SpanPlace { trace: parent.trace, span: self.ids.random() | 1 }, kind).below(parent)
    }

    fn open(&'static self, place: SpanPlace, kind: SpanKind) -> OpenSpan {
        OpenSpan::new(self.sink.as_ref(), place, kind)
    }
}
