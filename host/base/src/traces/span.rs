//! A span, while it is open and after it.

use std::{borrow::Cow, time::Instant};

use domain::ids::ClientId;
use uuid::Uuid;

use super::{SpanPlace, SpanSink};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    Internal,
    /// Answers a request.
    Server,
    /// Makes a request.
    Client,
    /// Puts work into a queue.
    Producer,
    /// Takes work that came from elsewhere.
    Consumer,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanValue {
    Text(Cow<'static, str>),
    Number(i64),
}

impl From<&'static str> for SpanValue {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for SpanValue {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<Uuid> for SpanValue {
    fn from(id: Uuid) -> Self {
        Self::from(id.to_string())
    }
}

impl From<i64> for SpanValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

#[derive(Debug, Clone)]
pub struct FinishedSpan {
    pub place: SpanPlace,
    /// The span above it, in the same trace.
    pub parent: Option<u64>,
    /// True if the caller of a request made the span above.
    pub parent_is_remote: bool,
    pub kind: SpanKind,
    pub name: Cow<'static, str>,
    pub started: Instant,
    pub ended: Instant,
    pub attributes: Vec<(&'static str, SpanValue)>,
    /// A span of another trace that led to this one.
    pub link: Option<SpanPlace>,
    pub has_failed: bool,
}

/// A span that has not ended. If it is dropped, it is not reported.
#[must_use = "`end` reports the span"]
pub struct OpenSpan {
    sink: &'static dyn SpanSink,
    span: FinishedSpan,
}

impl OpenSpan {
    pub(super) fn new(sink: &'static dyn SpanSink, place: SpanPlace, kind: SpanKind) -> Self {
        let now = Instant::now();
        let span = FinishedSpan {
            place,
            parent: None,
            parent_is_remote: false,
            kind,
            name: Cow::Borrowed(""),
            started: now,
            ended: now,
            attributes: Vec::new(),
            link: None,
            has_failed: false,
        };
        Self { sink, span }
    }

    pub(super) fn below(mut self, parent: SpanPlace) -> Self {
        self.span.parent = Some(parent.span);
        self
    }

    pub(super) fn below_remote(mut self, parent: SpanPlace) -> Self {
        self.span.parent_is_remote = true;
        self.below(parent)
    }

    /// Adds a link, unless the other span is in the same trace.
    pub fn linked_to(mut self, other: Option<SpanPlace>) -> Self {
        self.span.link = other.filter(|other| other.trace != self.span.place.trace);
        self
    }

    pub fn since(mut self, started: Instant) -> Self {
        self.span.started = started;
        self
    }

    pub fn of(self, client: ClientId) -> Self {
        self.with("patchbay.client.id", client.0)
    }

    pub fn with(mut self, name: &'static str, value: impl Into<SpanValue>) -> Self {
        self.span.attributes.push((name, value.into()));
        self
    }

    pub fn failed(mut self, has_failed: bool) -> Self {
        self.span.has_failed = has_failed;
        self
    }

    pub fn place(&self) -> SpanPlace {
        self.span.place
    }

    /// Reports the span with its name.
    pub fn end(mut self, name: impl Into<Cow<'static, str>>) {
        self.span.name = name.into();
        self.span.ended = Instant::now();
        self.sink.take(self.span);
    }
}
