//! Pages of lists (SPEC 2.13).

#[derive(Debug, Clone)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub total: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    pub page: u32,
    pub size: u32,
}

impl PageRequest {
    pub fn limit(self) -> i64 {
        i64::from(self.size)
    }

    pub fn offset(self) -> i64 {
        i64::from(self.page) * i64::from(self.size)
    }
}
