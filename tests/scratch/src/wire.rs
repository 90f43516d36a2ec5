//! A database over TCP, whose machine can vanish, and where one hears what it is asked.

use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream, UnixStream},
    sync::watch,
    task::JoinHandle,
};

use crate::asked::Asked;

/// The way to a database. It ends when this is dropped.
pub struct Wire {
    /// `postgres://` URL, over TCP.
    pub url: String,
    vanished: watch::Sender<()>,
    trips: Trips,
    relay: JoinHandle<()>,
}

/// What was asked in each round trip, over all connections.
type Trips = Arc<Mutex<Vec<String>>>;

impl Wire {
    /// A way to the database with this URL, which names a Unix socket.
    pub(crate) async fn to(url: &str) -> anyhow::Result<Self> {
        let (front, folder) = url.split_once("?host=").context("no Unix socket in the URL")?;
        let (_, database) = front.rsplit_once('/').context("no database in the URL")?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("postgres://patchbay@{}/{database}", listener.local_addr()?);
        let (vanished, trips) = (watch::Sender::new(()), Trips::default());
        let socket = PathBuf::from(folder).join(".s.PGSQL.5432");
        let relay = tokio::spawn(relay(listener, socket, vanished.clone(), Arc::clone(&trips)));
        Ok(Self { url, vanished, trips, relay })
    }

    /// The machine vanishes and another one takes its place: over the connections that there are nothing comes any more, not even
    /// an end. New ones are answered.
    pub fn vanish(&self) {
        self.vanished.send_replace(());
    }

    /// The round trips since this was called last: the statement of each, after `prepare` where it was only prepared. A pool asks a connection that is given back whether it lives: no caller waits for
    /// that, and it is left out.
    pub fn round_trips(&self) -> Vec<String> {
        let trips = std::mem::take(&mut *self.trips.lock().unwrap_or_else(PoisonError::into_inner));
        trips.into_iter().filter(|asked| !asked.is_empty()).collect()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.relay.abort();
    }
}

async fn relay(listener: TcpListener, socket: PathBuf, vanished: watch::Sender<()>, trips: Trips) {
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(carry(client, socket.clone(), vanished.subscribe(), Arc::clone(&trips)));
    }
}

async fn carry(mut client: TcpStream, socket: PathBuf, mut vanished: watch::Receiver<()>, trips: Trips) {
    let Ok(mut server) = UnixStream::connect(socket).await else { return };
    let vanished = {
        let (from_client, mut to_client) = client.split();
        let (mut from_server, to_server) = server.split();
        let answers = async {
            tokio::io::copy(&mut from_server, &mut to_client).await?;
            to_client.shutdown().await
        };
        tokio::select! {
            _ = async { tokio::join!(ask(from_client, to_server, &trips), answers) } => false,
            _ = vanished.changed() => true,
        }
    };
    drop(server);
    if vanished {
        std::future::pending::<()>().await;
    }
    drop(client);
}

/// Carries what a client asks, and notes it before the server has it: whoever has an answer finds its question noted.
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
        trips.lock().unwrap_or_else(PoisonError::into_inner).extend(heard);
        to_server.write_all(bytes).await?;
    }
}
