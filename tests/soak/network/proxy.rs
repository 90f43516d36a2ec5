//! A TCP relay that makes trouble on demand.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream, UnixStream},
    sync::{mpsc, watch},
    task::JoinHandle,
    time::{Instant, sleep_until},
};

/// How likely an answer is cut.
const CUT: f64 = 0.05;

/// The trouble on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing.
    None,
    /// Every byte is so late, each way.
    Delay(Duration),
    /// Bytes stay where they are until the trouble is over; then they arrive.
    Freeze,
    /// Bytes are lost: nothing comes any more on the connections that there are, and nothing on new ones.
    Loss,
    /// Every connection is reset, and so is every new one.
    Reset,
    /// A connection is closed in the middle of an answer.
    Cut,
}

/// Where the relay leads to.
#[derive(Debug, Clone)]
pub enum Target {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// The relay. It ends when this is dropped.
pub struct Relay {
    pub address: SocketAddr,
    trouble: watch::Sender<Trouble>,
    accepting: JoinHandle<()>,
}

impl Relay {
    /// A relay without trouble.
    pub async fn to(target: Target) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let trouble = watch::Sender::new(Trouble::None);
        let accepting = tokio::spawn(accept(listener, target, trouble.clone()));
        Self { address, trouble, accepting }
    }

    /// From now on this goes wrong.
    pub fn make(&self, trouble: Trouble) {
        self.trouble.send_replace(trouble);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, target: Target, trouble: watch::Sender<Trouble>) {
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(connect(client, target.clone(), trouble.subscribe()));
    }
}

async fn connect(client: TcpStream, target: Target, trouble: watch::Receiver<Trouble>) {
    match target {
        Target::Tcp(address) => {
            let Ok(server) = TcpStream::connect(address).await else { return };
            let (reader, writer) = server.into_split();
            relay(client, reader, writer, trouble).await;
        }
        Target::Unix(path) => {
            let Ok(server) = UnixStream::connect(path).await else { return };
            let (reader, writer) = server.into_split();
            relay(client, reader, writer, trouble).await;
        }
    }
}

/// The connection is over for both sides.
struct Broken;

async fn relay(
    client: TcpStream,
    from_server: impl AsyncRead + Unpin,
    to_server: impl AsyncWrite + Unpin,
    trouble: watch::Receiver<Trouble>,
) {
    let _ = client.set_nodelay(true);
    // A socket that is dropped before both sides have ended resets its connection.
    let _ = client.set_zero_linger();
    let (from_client, to_client) = client.into_split();
    let mut resets = trouble.clone();
    let both = futures::future::try_join(
        carry(from_client, to_server, trouble.clone(), false),
        carry(from_server, to_client, trouble, true),
    );
    tokio::select! {
        _ = both => {}
        _ = resets.wait_for(|trouble| *trouble == Trouble::Reset) => {}
    }
}

/// Carries what comes on one side to the other. `is_answer`: it comes from the server.
async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    trouble: watch::Receiver<Trouble>,
    is_answer: bool,
) -> Result<(), Broken> {
    let (sender, mut queue) = mpsc::channel::<(Instant, Vec<u8>)>(64);
    let mut freezes = trouble.clone();
    let writing = async {
        while let Some((due, bytes)) = queue.recv().await {
            sleep_until(due).await;
            freezes.wait_for(|trouble| *trouble != Trouble::Freeze).await.map_err(|_| Broken)?;
            to.write_all(&bytes).await.map_err(|_| Broken)?;
        }
        to.shutdown().await.map_err(|_| Broken)
    };
    let reading = async move {
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            let bytes = buffer[..count].to_vec();
            let now = *trouble.borrow();
            match now {
                Trouble::Loss => return lost(trouble).await,
                Trouble::Cut if is_answer && rand::random_bool(CUT) => {
                    let half = (Instant::now(), bytes[..count / 2].to_vec());
                    // The connection may be gone by itself.
                    let _ = sender.send(half).await;
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    return Err(Broken);
                }
                Trouble::Delay(delay) => sender.send((Instant::now() + delay, bytes)).await.map_err(|_| Broken)?,
                _ => sender.send((Instant::now(), bytes)).await.map_err(|_| Broken)?,
            }
        }
        Ok(())
    };
    futures::future::try_join(writing, reading).await.map(drop)
}

/// Bytes are missing: this connection cannot continue. The other side hears of it when the network is back.
async fn lost(mut trouble: watch::Receiver<Trouble>) -> Result<(), Broken> {
    // The relay itself may be gone.
    let _ = trouble.wait_for(|trouble| *trouble != Trouble::Loss).await;
    Err(Broken)
}
