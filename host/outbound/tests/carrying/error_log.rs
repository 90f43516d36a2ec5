//! The errors in the log during a test.

use std::{
    fmt::{Debug, Write},
    sync::{Arc, LazyLock, Mutex},
};

use tracing::{
    Dispatch, Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};

/// A subscriber without output for the whole test program. While there is only one subscriber, tracing caches the
/// interest of the first thread at a line for all threads. If that thread has no subscriber, the line is lost for all.
static ANOTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Listener(Arc::default())));

/// Keeps errors of this thread, from now on.
pub struct Errors {
    lines: Arc<Mutex<Vec<String>>>,
    _guard: DefaultGuard,
}

impl Errors {
    pub fn of_this_thread() -> Self {
        LazyLock::force(&ANOTHER);
        let lines = Arc::default();
        let guard = tracing::subscriber::set_default(Listener(Arc::clone(&lines)));
        Self { lines, _guard: guard }
    }

    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }
}

struct Listener(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{field}={value:?} ").unwrap();
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::ERROR
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}
