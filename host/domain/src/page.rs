//! Parts of lists (SPEC 2.13).

/// Part of a list (SPEC 2.13).
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// How many there are over all pages.
    pub total: u64,
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// Zero-based.
    pub page: u32,
    /// Items per page, at least one.
    pub size: u32,
}

impl PageRequest {
    /// For `LIMIT`.
    pub fn limit(self) -> i64 {
        i64::from(self.size)
    }

    /// For `OFFSET`.
    pub fn offset(self) -> i64 {
        i64::from(self.page) * i64::from(self.size)
    }
}
