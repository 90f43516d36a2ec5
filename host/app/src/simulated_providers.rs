use std::net::SocketAddr;

#[derive(Debug, Clone)]
pub struct SimulatorAccess {
    pub http: SocketAddr,
    pub smsc: SocketAddr,
    pub app_secret: String,
    pub messenger_app_secret: String,
}

impl SimulatorAccess {
    pub fn graph_url(&self) -> String {
        format!("http://{}", self.http)
    }
}
