//! The addresses that callers come from.
//!
//! 127.0.0.0/8 counts as this machine and has no limits per source. `scripts/soak.sh` therefore runs everything in a network
//! namespace of its own, whose loopback interface also has 198.18.0.0/15, the addresses of benchmarks (RFC 2544). If there is
//! no such namespace, the sources are forwarded addresses behind a trusted proxy on 127.0.0.1: limits of connections and of
//! the mail listener then do not tell sources apart, and the report says so.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener},
};

use tokio::net::{TcpSocket, TcpStream};

/// The source of the neighbour's requests.
pub const NEIGHBOUR: u32 = 2;
/// The source of probes.
pub const PROBE: u32 = 3;
/// The sources of attackers begin here.
const ATTACKERS: u32 = 1 << 16;

/// How sources are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sources {
    /// By addresses of the loopback interface.
    Addresses,
    /// By `X-Forwarded-For`.
    Forwarded,
}

/// One source.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    sources: Sources,
    address: Ipv4Addr,
}

impl Sources {
    /// The better way that this machine has.
    pub fn find() -> Self {
        let address = numbered(NEIGHBOUR);
        if TcpListener::bind((address, 0)).is_ok() { Self::Addresses } else { Self::Forwarded }
    }

    /// The source with this number.
    pub fn source(self, number: u32) -> Source {
        Source { sources: self, address: numbered(number) }
    }

    /// The n-th source of attackers.
    pub fn attacker(self, number: u32) -> Source {
        self.source(ATTACKERS + 1 + number)
    }
}

/// 198.18.0.0 plus a number.
fn numbered(number: u32) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(Ipv4Addr::new(198, 18, 0, 0)) + number)
}

impl Source {
    /// The local address of its connections.
    pub fn local(self) -> IpAddr {
        match self.sources {
            Sources::Addresses => self.address.into(),
            Sources::Forwarded => Ipv4Addr::LOCALHOST.into(),
        }
    }

    /// The header that names it, if its address does not.
    pub fn header(self) -> Option<(&'static str, String)> {
        (self.sources == Sources::Forwarded).then(|| ("x-forwarded-for", self.address.to_string()))
    }

    /// The same as a line of an HTTP/1 head.
    pub fn line(self) -> String {
        self.header().map(|(name, value)| format!("{name}: {value}\r\n")).unwrap_or_default()
    }

    /// Opens a connection.
    pub async fn connect(self, to: SocketAddr) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((self.local(), 0).into())?;
        socket.connect(to).await
    }

    /// Opens a connection whose kernel buffer holds as little unread data as possible.
    pub async fn connect_narrow(self, to: SocketAddr) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(4096)?;
        socket.bind((self.local(), 0).into())?;
        socket.connect(to).await
    }

    /// An HTTP client that opens a connection for each request, and trusts every certificate.
    pub fn http(self, patience: std::time::Duration) -> reqwest::Client {
        let mut headers = reqwest::header::HeaderMap::new();
        if let Some((name, value)) = self.header() {
            headers.insert(name, value.parse().unwrap());
        }
        let client = reqwest::Client::builder().local_address(self.local()).default_headers(headers);
        client.danger_accept_invalid_certs(true).pool_max_idle_per_host(0).timeout(patience).build().unwrap()
    }
}
