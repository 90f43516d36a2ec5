//! The limits of a kind of call, and the share that a call holds.

/// Memory is reserved for calls in steps of this size.
pub(super) const STEP: usize = 1 << 20;

/// Memory of a call in addition to its instance: its stack, its tables, and the host's data about it.
pub(super) const CALL_OVERHEAD: usize = 256 << 10;

#[derive(Debug, Clone, Copy)]
pub(crate) struct PlaceTerms {
    pub(crate) places: usize,
    pub(crate) memory: usize,
    pub(crate) per_client: usize,
    pub(crate) waiting_per_client: usize,
    /// Most bytes of one call, without [`CALL_OVERHEAD`].
    pub(crate) call_memory: usize,
}

impl PlaceTerms {
    pub(super) fn most_of_a_call(&self) -> usize {
        self.call_memory.saturating_add(CALL_OVERHEAD).next_multiple_of(STEP)
    }

    /// All memory. At least one heavy call fits.
    pub(super) fn all_memory(&self) -> usize {
        self.memory.max(self.most_of_a_call())
    }

    pub(super) fn heavy_memory(&self) -> usize {
        (self.all_memory() / 4 * 3).max(self.most_of_a_call())
    }

    pub(super) fn heavy_places(&self) -> usize {
        self.places.max(1) - self.places / 4
    }

    /// A call with more bytes than this is heavy.
    pub(super) fn large(&self) -> usize {
        (self.call_memory / 8).max(STEP)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct HeldMemory {
    pub(super) heavy: bool,
    pub(super) shown: bool,
    pub(super) used: usize,
    pub(super) reserved: usize,
    /// The part of `reserved` that outlives the call: its files.
    pub(super) aside: usize,
}

impl HeldMemory {
    /// The bytes that are free when the call ends.
    pub(super) fn own(&self) -> usize {
        self.reserved.saturating_sub(self.aside)
    }
}
