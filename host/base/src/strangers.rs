//! The processors that work for strangers: callers without a valid key.

use std::{
    num::NonZeroUsize,
    sync::{Arc, LazyLock},
    thread::available_parallelism,
};

use channels::http::SharedProcessors;

static SHARE: LazyLock<Arc<SharedProcessors>> = LazyLock::new(|| {
    let processors = available_parallelism().map_or(1, NonZeroUsize::get);
    Arc::new(SharedProcessors::new(processors / 2))
});

/// The turns of all strangers of the process: half of its processors work for them at the same time. Their connections,
/// requests and passwords share it.
pub fn share_of_strangers() -> Arc<SharedProcessors> {
    Arc::clone(&SHARE)
}
