//! A span in the terms of the OTLP library.

use std::time::{Instant, SystemTime};

use base::traces::{FinishedSpan, SpanKind, SpanPlace, SpanValue};
use opentelemetry::{
    InstrumentationScope, KeyValue, Value,
    trace::{self, Link, SpanContext, SpanId, Status, TraceFlags, TraceId, TraceState},
};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};

/// `now` is one moment on both clocks: spans are timed on the one that never jumps.
pub fn span_data(span: FinishedSpan, (wall, now): (SystemTime, Instant)) -> SpanData {
    let on_wall = |moment: Instant| wall - now.saturating_duration_since(moment);
    let mut links = SpanLinks::default();
    links.links.extend(span.link.map(|link| Link::new(context(link, false), Vec::new(), 0)));
    SpanData {
        span_context: context(span.place, false),
        parent_span_id: span.parent.map_or(SpanId::INVALID, SpanId::from),
        parent_span_is_remote: span.parent_is_remote,
        span_kind: kind(span.kind),
        name: span.name,
        start_time: on_wall(span.started),
        end_time: on_wall(span.ended),
        attributes: span.attributes.into_iter().map(|(name, of)| KeyValue::new(name, value(of))).collect(),
        dropped_attributes_count: 0,
        events: SpanEvents::default(),
        links,
        status: if span.has_failed { Status::error("") } else { Status::Unset },
        instrumentation_scope: InstrumentationScope::builder("patchbay").build(),
    }
}

fn context(place: SpanPlace, is_remote: bool) -> SpanContext {
    let (trace, span) = (TraceId::from(place.trace), SpanId::from(place.span));
    SpanContext::new(trace, span, TraceFlags::SAMPLED, is_remote, TraceState::NONE)
}

fn kind(kind: SpanKind) -> trace::SpanKind {
    match kind {
        SpanKind::Internal => trace::SpanKind::Internal,
        SpanKind::Server => trace::SpanKind::Server,
        SpanKind::Client => trace::SpanKind::Client,
        SpanKind::Producer => trace::SpanKind::Producer,
        SpanKind::Consumer => trace::SpanKind::Consumer,
    }
}

fn value(value: SpanValue) -> Value {
    match value {
        SpanValue::Text(text) => Value::String(text.into()),
        SpanValue::Number(number) => Value::I64(number),
    }
}
