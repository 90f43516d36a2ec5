//! A database over TCP, whose machine can vanish.

use std::path::PathBuf;

use anyhow::Context;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream, UnixStream},
    sync::watch,
    task::JoinHandle,
};

/// The way to a database. It ends when this is dropped.
pub struct Wire {
    /// `postgres://` URL, over TCP.
    pub url: String,
    vanished: watch::Sender<()>,
    relay: JoinHandle<()>,
}

impl Wire {
    /// A way to the database with this URL, which names a Unix socket.
    pub(crate) async fn to(url: &str) -> anyhow::Result<Self> {
        let (front, folder) = url.split_once("?host=").context("no Unix socket in the URL")?;
        let (_, database) = front.rsplit_once('/').context("no database in the URL")?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("postgres://patchbay@{}/{database}", listener.local_addr()?);
        let vanished = watch::Sender::new(());
        let relay = tokio::spawn(relay(listener, PathBuf::from(folder).join(".s.PGSQL.5432"), vanished.clone()));
        Ok(Self { url, vanished, relay })
    }

    /// The machine vanishes and another one takes its place: over the connections that there are nothing comes any more, not even
    /// an end. New ones are answered.
    pub fn vanish(&self) {
        self.vanished.send_replace(());
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.relay.abort();
    }
}

async fn relay(listener: TcpListener, socket: PathBuf, vanished: watch::Sender<()>) {
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(carry(client, socket.clone(), vanished.subscribe()));
    }
}

async fn carry(mut client: TcpStream, socket: PathBuf, mut vanished: watch::Receiver<()>) {
    let Ok(mut server) = UnixStream::connect(socket).await else { return };
    let vanished = tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => false,
        _ = vanished.changed() => true,
    };
    drop(server);
    if vanished {
        std::future::pending::<()>().await;
    }
    drop(client);
}
