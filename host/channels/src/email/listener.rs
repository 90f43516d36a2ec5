//! Connections of the SMTP listener: how many there are, and how they end.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::source::source_of;
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{ListenerSettings, MailEvents, Shared, session};

/// How long mails in flight may take after a shutdown began.
const DRAIN: Duration = Duration::from_secs(15);
/// How long it may take to send somebody away.
const FAREWELL: Duration = Duration::from_secs(2);
/// Pause after a connection could not be taken.
const NO_DESCRIPTORS: Duration = Duration::from_millis(100);

/// Serves SMTP until `stop`; then takes no more connections and finishes the mails in flight.
pub async fn listen(
    listener: TcpListener,
    settings: ListenerSettings,
    events: Arc<dyn MailEvents>,
    stop: CancellationToken,
) {
    let shared = Shared { settings: Arc::new(settings), events };
    let (places, sessions) = (Places::default(), TaskTracker::new());
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => take(&shared, &places, &sessions, (stream, peer), &stop),
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "an SMTP connection could not be taken");
                sleep(NO_DESCRIPTORS).await;
            }
        }
    }
    drop(listener);
    sessions.close();
    if timeout(DRAIN, sessions.wait()).await.is_err() {
        tracing::warn!("SMTP sessions still at work after {} s were cut off", DRAIN.as_secs());
    }
}

fn take(
    shared: &Shared,
    places: &Places,
    sessions: &TaskTracker,
    (stream, peer): (TcpStream, SocketAddr),
    stop: &CancellationToken,
) {
    let peer = peer.ip().to_canonical();
    let settings = &shared.settings;
    let allowed = settings.allowed.is_empty() || settings.allowed.iter().any(|net| net.contains(&peer));
    if !allowed {
        sessions.spawn(send_away(stream, "554 5.7.1 no mail is taken from your address\r\n"));
        return;
    }
    match places.enter(source_of(peer), settings) {
        Some(place) => {
            let (shared, stop) = (shared.clone(), stop.clone());
            sessions.spawn(async move {
                let _ = stream.set_nodelay(true);
                session::serve(shared, stream, peer, stop).await;
                drop(place);
            });
        }
        None => {
            sessions.spawn(send_away(stream, "421 4.7.0 too many connections: try again later\r\n"));
        }
    }
}

async fn send_away(mut stream: TcpStream, words: &'static str) {
    let _ = timeout(FAREWELL, async {
        stream.write_all(words.as_bytes()).await?;
        stream.shutdown().await
    })
    .await;
}

/// Connections by source.
#[derive(Clone, Default)]
struct Places(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// One's connection; another one's when it is dropped.
struct Place {
    places: Places,
    source: IpAddr,
}

impl Places {
    fn enter(&self, source: IpAddr, settings: &ListenerSettings) -> Option<Place> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, of_source) = (open.values().sum::<usize>(), open.get(&source).copied().unwrap_or(0));
        if all >= settings.connections || of_source >= settings.connections_per_source {
            return None;
        }
        open.insert(source, of_source + 1);
        Some(Place { places: self.clone(), source })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.places.0.lock().unwrap_or_else(PoisonError::into_inner);
        match open.get_mut(&self.source) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                open.remove(&self.source);
            }
        }
    }
}
