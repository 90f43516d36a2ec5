//! A database over TCP, on a network that can fail, with a record of its queries.

use std::{io, net::SocketAddr, ops::Deref, path::Path, sync::Arc};

use anyhow::Context;
use parking_lot::Mutex;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use crate::{
    client_requests::Asked,
    proxy::{Proxy, Target},
};

/// The way to a database. It ends when this is dropped.
pub struct Wire {
    /// `postgres://` URL, over TCP.
    pub url: String,
    proxy: Proxy,
    trips: Trips,
    relay: JoinHandle<()>,
}

/// The queries of each round trip, over all connections.
type Trips = Arc<Mutex<Vec<String>>>;

impl Wire {
    /// A way to the database with this URL, which names a Unix socket.
    pub(crate) async fn to(url: &str) -> anyhow::Result<Self> {
        let (front, folder) = url.split_once("?host=").context("no Unix socket in the URL")?;
        let (_, database) = front.rsplit_once('/').context("no database in the URL")?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("postgres://patchbay@{}/{database}", listener.local_addr()?);
        let proxy = Proxy::to(Target::Socket(Path::new(folder).join(".s.PGSQL.5432"))).await?;
        let trips = Trips::default();
        let relay = tokio::spawn(relay(listener, proxy.address(), Arc::clone(&trips)));
        Ok(Self { url, proxy, trips, relay })
    }

    /// The round trips since this was called last: the statement of each, after `prepare` where it was only prepared. A pool asks a connection that is given back whether it lives: no caller waits for
    /// that, and it is left out.
    pub fn round_trips(&self) -> Vec<String> {
        let trips = std::mem::take(&mut *self.trips.lock());
        trips.into_iter().filter(|asked| !asked.is_empty()).collect()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.relay.abort();
    }
}

impl Deref for Wire {
    type Target = Proxy;

    fn deref(&self) -> &Proxy {
        &self.proxy
    }
}

async fn relay(listener: TcpListener, proxy: SocketAddr, trips: Trips) {
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(carry(client, proxy, Arc::clone(&trips)));
    }
}

async fn carry(mut client: TcpStream, proxy: SocketAddr, trips: Trips) {
    let Ok(mut server) = TcpStream::connect(proxy).await else { return };
    let (from_client, mut to_client) = client.split();
    let (mut from_server, to_server) = server.split();
    let answers = async {
        tokio::io::copy(&mut from_server, &mut to_client).await?;
        to_client.shutdown().await
    };
    // An end without a close message, such as a reset, ends both ways.
    let _ = tokio::try_join!(ask(from_client, to_server, &trips), answers);
}

/// Forwards the queries of a client, and records each one before the server has it. So a client that has an answer
/// finds its query in the record.
async fn ask(
    mut from_client: impl AsyncRead + Unpin,
    mut to_server: impl AsyncWrite + Unpin,
    trips: &Trips,
) -> io::Result<()> {
    let (mut asked, mut chunk) = (Asked::default(), vec![0; 16 * 1024]);
    loop {
        let read = from_client.read(&mut chunk).await?;
        let Some(bytes) = chunk.get(..read).filter(|bytes| !bytes.is_empty()) else {
            return to_server.shutdown().await;
        };
        let heard = asked.hear(bytes);
        trips.lock().extend(heard);
        to_server.write_all(bytes).await?;
    }
}
