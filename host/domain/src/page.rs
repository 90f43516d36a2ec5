//! Pages of lists (SPEC 2.13).

#[derive(Debug, Clone)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub total: u64,
}

impl<T> Page<T> {
    /// A page with the total that the database counted.
    pub fn of(items: Vec<T>, total: i64) -> Self {
        Self { items, total: u64::try_from(total).unwrap_or(0) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    pub page: u32,
    pub size: u32,
}

impl PageRequest {
    /// The first page.
    pub fn first(size: u32) -> Self {
        Self { page: 0, size }
    }

    /// The page after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self { page: self.page.saturating_add(1), ..self }
    }

    pub fn limit(self) -> i64 {
        i64::from(self.size)
    }

    pub fn offset(self) -> i64 {
        i64::from(self.page) * i64::from(self.size)
    }
}
