use std::time::Duration;

#[derive(Debug, Clone)]
pub struct RunnerSettings {
    pub lanes_per_queue: usize,
    /// Most long lanes of one queue at once. If there are so many, clients with long lanes begin no more.
    pub long_lanes_per_queue: usize,
    pub lanes_per_client: usize,
    /// Time between two searches for work that was not announced.
    pub poll: Duration,
    pub upkeep: Duration,
}

impl Default for RunnerSettings {
    fn default() -> Self {
        Self {
            lanes_per_queue: 128,
            long_lanes_per_queue: 384,
            lanes_per_client: 32,
            poll: Duration::from_millis(500),
            upkeep: Duration::from_secs(600),
        }
    }
}
