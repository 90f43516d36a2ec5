//! A bound session with an SMSC: connecting and binding (PROVIDERS C.1, with the traps of C.5).

use std::time::Duration;

use rusmpp::{
    CommandId, CommandStatus,
    encode::Encode,
    pdus::{BindReceiver, BindTransceiver, BindTransmitter},
    types::COctetString,
    values::InterfaceVersion,
};
use tokio::{net::TcpStream, sync::mpsc, time::timeout};

use super::{
    SmppSettings,
    session::{RequestFailure, Response, SessionRequestHandle, SilenceLimits, SmppSession},
    status_name::status_name,
    tls,
    url::{BindMode, SmppUrl},
};

#[derive(Clone)]
pub(super) struct BoundSession {
    pub sender: SmppSession,
    /// The receiver, if it is a second connection.
    receiver: Option<SmppSession>,
    /// Longest time for an unbind, and for the last bytes.
    goodbye: Duration,
}

pub(super) struct SmscRequests {
    first: mpsc::Receiver<SessionRequestHandle>,
    second: Option<mpsc::Receiver<SessionRequestHandle>>,
}

impl SmscRequests {
    pub(super) async fn next(&mut self) -> Option<SessionRequestHandle> {
        match &mut self.second {
            None => self.first.recv().await,
            Some(second) => tokio::select! {
                request = self.first.recv() => request,
                request = second.recv() => request,
            },
        }
    }
}

#[derive(Debug)]
pub(super) enum SessionError {
    Unreachable(String),
    Refused(CommandStatus),
}

impl SessionError {
    /// True if the SMSC does not know us: a new attempt changes nothing, and some SMSCs lock such accounts. Other refusals pass.
    pub(super) fn is_about_credentials(&self) -> bool {
        matches!(self, Self::Refused(CommandStatus::EsmeRinvpaswd | CommandStatus::EsmeRinvsysid))
    }

    pub(super) fn describe(&self) -> String {
        match self {
            Self::Unreachable(reason) => reason.clone(),
            Self::Refused(status) => status_name(*status),
        }
    }
}

/// Refusals after which a pair of connections may work instead of a transceiver.
fn may_take_a_pair(status: CommandStatus) -> bool {
    !matches!(status, CommandStatus::EsmeRinvpaswd | CommandStatus::EsmeRinvsysid | CommandStatus::EsmeRalybnd)
}

pub(super) async fn open(url: &SmppUrl, settings: &SmppSettings) -> Result<(BoundSession, SmscRequests), SessionError> {
    let goodbye = settings.unbind_timeout;
    if url.mode != BindMode::Pair {
        match open_one(url, settings, Role::Transceiver).await {
            Err(SessionError::Refused(status)) if url.mode == BindMode::Auto && may_take_a_pair(status) => {
                tracing::info!(bind = %url.name, status = %status_name(status), "the SMSC refused a transceiver; binding a transmitter and a receiver");
            }
            Err(error) => return Err(error),
            Ok((sender, first)) => {
                return Ok((BoundSession { sender, receiver: None, goodbye }, SmscRequests { first, second: None }));
            }
        }
    }
    let (sender, first) = open_one(url, settings, Role::Transmitter).await?;
    // Also if the second bind is no longer awaited.
    let ends = sender.ends_with();
    match open_one(url, settings, Role::Receiver).await {
        Ok((receiver, second)) => {
            ends.disarm();
            Ok((
                BoundSession { sender, receiver: Some(receiver), goodbye },
                SmscRequests { first, second: Some(second) },
            ))
        }
        Err(error) => {
            sender.unbind(goodbye).await;
            Err(error)
        }
    }
}

#[derive(Clone, Copy)]
enum Role {
    Transceiver,
    Transmitter,
    Receiver,
}

async fn open_one(
    url: &SmppUrl,
    settings: &SmppSettings,
    role: Role,
) -> Result<(SmppSession, mpsc::Receiver<SessionRequestHandle>), SessionError> {
    let (session, requests) = connect(url, settings).await?;
    let ends = session.ends_with();
    match bind(&session, url, settings, role).await {
        Ok(()) => {
            ends.disarm();
            Ok((session, requests))
        }
        Err(error) => {
            session.finish(settings.unbind_timeout).await;
            Err(error)
        }
    }
}

async fn connect(
    url: &SmppUrl,
    settings: &SmppSettings,
) -> Result<(SmppSession, mpsc::Receiver<SessionRequestHandle>), SessionError> {
    let times = SilenceLimits {
        enquire_link: settings.enquire_link,
        link_timeout: settings.link_timeout,
        unbind_timeout: settings.unbind_timeout,
    };
    let waiting = settings.deliveries_waiting;
    let connecting = async {
        // The system's resolver: it knows the hosts file and search domains.
        let stream = TcpStream::connect((url.host.as_str(), url.port)).await?;
        stream.set_nodelay(true)?;
        let (stream, hangup) = watch_end(stream)?;
        Ok(if url.tls {
            let stream = tls::handshake(stream, &url.host, url.ca.as_deref()).await?;
            SmppSession::start(stream, &url.name, times, waiting, hangup)
        } else {
            SmppSession::start(stream, &url.name, times, waiting, hangup)
        })
    };
    match timeout(settings.connect_timeout, connecting).await {
        Ok(outcome) => outcome.map_err(|error: std::io::Error| SessionError::Unreachable(error.to_string())),
        Err(_) => Err(SessionError::Unreachable("the connection took too long".to_owned())),
    }
}

/// A connection, and when its peer has closed it, which can be seen before all bytes are read.
#[cfg(target_os = "linux")]
fn watch_end(stream: TcpStream) -> std::io::Result<(TcpStream, impl Future<Output = ()> + Send + 'static)> {
    use tokio::io::Interest;

    let stream = stream.into_std()?;
    let watch = TcpStream::from_std(stream.try_clone()?)?;
    let hangup = async move {
        // Ready at the end, or for urgent data, which SMPP does not have: then the end is seen after all bytes are
        // read.
        if !watch.ready(Interest::PRIORITY).await.is_ok_and(|ready| ready.is_read_closed()) {
            std::future::pending().await
        }
    };
    Ok((TcpStream::from_std(stream)?, hangup))
}

/// On other systems the end is seen after all bytes are read.
#[cfg(not(target_os = "linux"))]
fn watch_end(stream: TcpStream) -> std::io::Result<(TcpStream, impl Future<Output = ()> + Send + 'static)> {
    Ok((stream, std::future::pending()))
}

async fn bind(session: &SmppSession, url: &SmppUrl, settings: &SmppSettings, role: Role) -> Result<(), SessionError> {
    // Lengths and characters were checked when the URL was read.
    let unusable = |_| SessionError::Unreachable("the credentials cannot be said in SMPP".to_owned());
    let system_id = COctetString::from_string(url.system_id.clone()).map_err(unusable)?;
    let password = COctetString::from_string(url.password.clone()).map_err(unusable)?;
    let system_type = COctetString::from_string(url.system_type.clone()).map_err(unusable)?;
    let version = InterfaceVersion::Smpp3_4;
    let (command, body) = match role {
        Role::Transceiver => {
            let pdu = BindTransceiver::builder()
                .system_id(system_id)
                .password(password)
                .system_type(system_type)
                .interface_version(version);
            (CommandId::BindTransceiver, encoded(&pdu.build()))
        }
        Role::Transmitter => {
            let pdu = BindTransmitter::builder()
                .system_id(system_id)
                .password(password)
                .system_type(system_type)
                .interface_version(version);
            (CommandId::BindTransmitter, encoded(&pdu.build()))
        }
        Role::Receiver => {
            let pdu = BindReceiver::builder()
                .system_id(system_id)
                .password(password)
                .system_type(system_type)
                .interface_version(version);
            (CommandId::BindReceiver, encoded(&pdu.build()))
        }
    };
    // The status decides; the rest of the answer may be anything.
    match session.request(command, &body, settings.bind_timeout).await {
        Ok(Response { status: CommandStatus::EsmeRok, is_nack: false, .. }) => Ok(()),
        Ok(Response { status, .. }) => Err(SessionError::Refused(status)),
        Err(RequestFailure::Unwritten(reason) | RequestFailure::Written(reason)) => {
            Err(SessionError::Unreachable(reason))
        }
    }
}

pub(super) fn encoded(pdu: &impl Encode) -> Vec<u8> {
    let mut octets = vec![0; pdu.length()];
    let written = pdu.encode(&mut octets);
    octets.truncate(written);
    octets
}

impl BoundSession {
    fn sessions(&self) -> impl Iterator<Item = &SmppSession> {
        self.receiver.iter().chain([&self.sender])
    }

    pub(super) fn is_open(&self) -> bool {
        self.sessions().all(SmppSession::is_open)
    }

    pub(super) async fn end_reason(&self) -> String {
        match &self.receiver {
            None => {
                self.sender.wait_for_end().await;
                self.sender.reason()
            }
            Some(receiver) => tokio::select! {
                () = self.sender.wait_for_end() => self.sender.reason(),
                () = receiver.wait_for_end() => receiver.reason(),
            },
        }
    }

    pub(super) async fn settle(&self, limit: Duration) {
        match &self.receiver {
            None => self.sender.settle(limit).await,
            Some(receiver) => drop(tokio::join!(self.sender.settle(limit), receiver.settle(limit))),
        }
    }

    pub(super) async fn unbind(&self) {
        for session in self.sessions() {
            session.unbind(self.goodbye).await;
        }
    }

    pub(super) async fn finish(&self) {
        for session in self.sessions() {
            session.finish(self.goodbye).await;
        }
    }

    /// Closes without an unbind, because the peer is gone or violates the protocol.
    pub(super) fn drop_now(&self, reason: &str) {
        for session in self.sessions() {
            session.end(reason);
        }
    }
}
