//! The addresses of the simulated providers.

use std::net::SocketAddr;

/// Addresses and secrets of the running simulator.
#[derive(Debug, Clone)]
pub struct SimulatorAccess {
    /// Graph API and phones.
    pub http: SocketAddr,
    pub smsc: SocketAddr,
    /// Signs its callbacks.
    pub app_secret: String,
    /// Signs its callbacks about pages.
    pub messenger_app_secret: String,
}

impl SimulatorAccess {
    pub fn graph_url(&self) -> String {
        format!("http://{}", self.http)
    }
}
