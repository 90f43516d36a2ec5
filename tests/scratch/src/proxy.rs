//! A network between two programs: it can be slow, lose everything, or lose the connections that there are.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream, UnixStream},
    sync::{mpsc, watch},
    task::JoinHandle,
    time::Instant,
};

/// Chunks on their way in one direction of a connection; more wait with their sender.
const ON_THE_WAY: usize = 1024;

/// Where connections lead.
#[derive(Debug, Clone)]
pub enum Target {
    /// A TCP address.
    Address(SocketAddr),
    /// A Unix socket.
    Socket(PathBuf),
}

/// The state of the network.
#[derive(Debug, Clone, Copy, Default)]
struct Network {
    /// Each way.
    delay: Duration,
    /// Nothing arrives. Bytes on their way arrive later, as TCP sends them again.
    held: bool,
    /// Connections that began before this one carry nothing any more.
    first_alive: u64,
}

/// Listens on this machine and carries every connection to a target. It ends when this is dropped.
pub struct Proxy {
    address: SocketAddr,
    network: watch::Sender<Network>,
    begun: watch::Receiver<u64>,
    relay: JoinHandle<()>,
}

impl Proxy {
    /// A network on the way to `target`.
    pub async fn to(target: Target) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let network = watch::Sender::new(Network::default());
        let (count, begun) = watch::channel(0);
        let relay = tokio::spawn(relay(listener, target, network.clone(), count));
        Ok(Self { address, network, begun, relay })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on everything takes so long, each way.
    pub fn delay(&self, each_way: Duration) {
        self.network.send_modify(|network| network.delay = each_way);
    }

    /// Nothing arrives any more, in either direction; connections are taken, and say nothing.
    pub fn hold(&self) {
        self.network.send_modify(|network| network.held = true);
    }

    /// All bytes arrive again, the held ones first.
    pub fn release(&self) {
        self.network.send_modify(|network| network.held = false);
    }

    /// Over the connections that there are nothing comes any more, not even an end. New ones are carried.
    pub fn vanish(&self) {
        let first_alive = *self.begun.borrow() + 1;
        self.network.send_modify(|network| network.first_alive = first_alive);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.relay.abort();
    }
}

async fn relay(listener: TcpListener, target: Target, network: watch::Sender<Network>, count: watch::Sender<u64>) {
    while let Ok((client, _)) = listener.accept().await {
        count.send_modify(|count| *count += 1);
        let number = *count.borrow();
        tokio::spawn(carry(client, target.clone(), network.subscribe(), number));
    }
}

async fn carry(client: TcpStream, target: Target, network: watch::Receiver<Network>, number: u64) {
    // Small packets are not put together: only the delay is meant to slow anything down.
    let _ = client.set_nodelay(true);
    let (from_client, to_client) = client.into_split();
    match target {
        Target::Address(address) => {
            let Ok(server) = TcpStream::connect(address).await else { return };
            let _ = server.set_nodelay(true);
            let (from_server, to_server) = server.into_split();
            let there = pass(from_client, to_server, network.clone(), number);
            tokio::join!(there, pass(from_server, to_client, network, number));
        }
        Target::Socket(path) => {
            let Ok(server) = UnixStream::connect(path).await else { return };
            let (from_server, to_server) = server.into_split();
            let there = pass(from_client, to_server, network.clone(), number);
            tokio::join!(there, pass(from_server, to_client, network, number));
        }
    }
}

/// One direction of a connection.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut network: watch::Receiver<Network>,
    number: u64,
) {
    let (sent, mut on_the_way) = mpsc::channel::<(Instant, Vec<u8>)>(ON_THE_WAY);
    let delays = network.clone();
    let reading = async move {
        let mut chunk = vec![0; 64 * 1024];
        loop {
            // An end is carried as an empty chunk.
            let read = from.read(&mut chunk).await.unwrap_or(0);
            let arrives = Instant::now() + delays.borrow().delay;
            let bytes = chunk.get(..read).unwrap_or_default().to_vec();
            if sent.send((arrives, bytes)).await.is_err() || read == 0 {
                return;
            }
        }
    };
    let writing = async move {
        while let Some((arrives, bytes)) = on_the_way.recv().await {
            tokio::time::sleep_until(arrives).await;
            let open = network.wait_for(|network| !network.held || number < network.first_alive).await;
            if open.is_ok_and(|network| number < network.first_alive) {
                // Not even an end: the sockets stay open.
                std::future::pending::<()>().await;
            }
            if bytes.is_empty() || to.write_all(&bytes).await.is_err() {
                let _ = to.shutdown().await;
                return;
            }
        }
    };
    tokio::join!(reading, writing);
}
