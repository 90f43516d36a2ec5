//! One session with an SMSC: connecting and binding (PROVIDERS C.1, with the traps of C.5).

use std::{pin::Pin, time::Duration};

use futures::{Stream, StreamExt, stream};
use rusmpp::{
    CommandStatus,
    pdus::{BindReceiver, BindTransceiver, BindTransmitter},
    types::COctetString,
    values::InterfaceVersion,
};
use rusmppc::{Client, ConnectionBuilder, Event, error::Error};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};

use super::{
    SmppSettings,
    driver::{Counted, Driver},
    status_name::status_name,
    tls,
    url::{BindMode, SmppUrl},
};

/// What comes in, with the connection to answer on.
pub(super) type Incoming = Pin<Box<dyn Stream<Item = (Client, Event)> + Send>>;

/// A bound session: one connection, or one for each direction.
#[derive(Clone)]
pub(super) struct Link {
    /// Submits go here.
    pub sender: Client,
    /// The receiver, when it is a connection of its own.
    receiver: Option<Client>,
}

/// No session.
#[derive(Debug)]
pub(super) enum OpenError {
    /// No connection, or it broke.
    Unreachable(String),
    /// The SMSC refused the bind.
    Refused(CommandStatus),
}

impl OpenError {
    /// Whether trying again soon would be hammering: credentials, or a session that is still open elsewhere.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_))
    }

    pub(super) fn describe(&self) -> String {
        match self {
            Self::Unreachable(reason) => reason.clone(),
            Self::Refused(status) => status_name(*status),
        }
    }
}

/// Refusals that say nothing against a pair of connections instead of a transceiver.
fn may_take_a_pair(status: CommandStatus) -> bool {
    !matches!(status, CommandStatus::EsmeRinvpaswd | CommandStatus::EsmeRinvsysid | CommandStatus::EsmeRalybnd)
}

/// Connects and binds.
pub(super) async fn open(url: &SmppUrl, settings: &SmppSettings) -> Result<(Link, Incoming), OpenError> {
    if url.mode != BindMode::Pair {
        match open_one(url, settings, Role::Transceiver).await {
            Err(OpenError::Refused(status)) if url.mode == BindMode::Auto && may_take_a_pair(status) => {
                tracing::info!(bind = %url.name, status = %status_name(status), "transceiver refused, binding both ways");
            }
            Err(error) => return Err(error),
            Ok((sender, incoming)) => return Ok((Link { sender, receiver: None }, incoming)),
        }
    }
    let (sender, from_sender) = open_one(url, settings, Role::Transmitter).await?;
    match open_one(url, settings, Role::Receiver).await {
        Ok((receiver, from_receiver)) => {
            // Either connection's end must end the session.
            let ended = stream::select(ends(from_sender), ends(from_receiver));
            let incoming = ended.take_while(|item| std::future::ready(item.is_some())).filter_map(std::future::ready);
            Ok((Link { sender, receiver: Some(receiver) }, Box::pin(incoming)))
        }
        Err(error) => {
            close(&sender).await;
            Err(error)
        }
    }
}

/// The items of a stream, then one `None`.
fn ends(incoming: Incoming) -> impl Stream<Item = Option<(Client, Event)>> + Send {
    incoming.map(Some).chain(stream::once(std::future::ready(None)))
}

#[derive(Clone, Copy)]
enum Role {
    Transceiver,
    Transmitter,
    Receiver,
}

async fn open_one(url: &SmppUrl, settings: &SmppSettings, role: Role) -> Result<(Client, Incoming), OpenError> {
    let (client, incoming) = connect(url, settings).await?;
    match bind(&client, url, role).await {
        Ok(()) => Ok((client, incoming)),
        Err(error) => {
            close(&client).await;
            Err(error)
        }
    }
}

async fn connect(url: &SmppUrl, settings: &SmppSettings) -> Result<(Client, Incoming), OpenError> {
    let builder = ConnectionBuilder::new()
        .enquire_link_interval(settings.enquire_link)
        .enquire_link_response_timeout(Duration::from_secs(10))
        .response_timeout(settings.response_timeout)
        .max_command_length(64 * 1024)
        // Without this the library refuses every bind that is not 5.0.
        .disable_interface_version_check();
    let unreachable = |reason: String| OpenError::Unreachable(reason);
    let connecting = async {
        // The system's resolver, not the library's own: it knows the hosts file and search domains.
        let stream =
            TcpStream::connect((url.host.as_str(), url.port)).await.map_err(|error| unreachable(error.to_string()))?;
        stream.set_nodelay(true).map_err(|error| unreachable(error.to_string()))?;
        Ok(if url.tls {
            let stream = tls::handshake(stream, &url.host, url.ca.as_deref()).await;
            speak(builder, stream.map_err(|error| unreachable(error.to_string()))?, url.window)
        } else {
            speak(builder, stream, url.window)
        })
    };
    match timeout(settings.connect_timeout, connecting).await {
        Ok(outcome) => outcome,
        Err(_) => Err(unreachable("the connection took too long".to_owned())),
    }
}

/// Speaks SMPP over a connection.
fn speak<S>(builder: ConnectionBuilder, stream: S, window: usize) -> (Client, Incoming)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (stream, written) = Counted::new(stream);
    let (client, events, connection) = builder.no_spawn().connected(stream);
    tokio::spawn(Driver::new(connection, written, window));
    (client.clone(), tagged(client, events))
}

fn tagged(client: Client, events: impl Stream<Item = Event> + Send + 'static) -> Incoming {
    Box::pin(events.map(move |event| (client.clone(), event)))
}

async fn bind(client: &Client, url: &SmppUrl, role: Role) -> Result<(), OpenError> {
    // Lengths and characters were checked when the URL was read.
    let unusable = |_| OpenError::Unreachable("the credentials cannot be said in SMPP".to_owned());
    let system_id = COctetString::from_string(url.system_id.clone()).map_err(unusable)?;
    let password = COctetString::from_string(url.password.clone()).map_err(unusable)?;
    let system_type = COctetString::from_string(url.system_type.clone()).map_err(unusable)?;
    let version = InterfaceVersion::Smpp3_4;
    let outcome = match role {
        Role::Transceiver => {
            let pdu = BindTransceiver::builder()
                .system_id(system_id)
                .password(password)
                .system_type(system_type)
                .interface_version(version);
            client.bind_transceiver(pdu.build()).await.map(drop)
        }
        Role::Transmitter => {
            let pdu = BindTransmitter::builder()
                .system_id(system_id)
                .password(password)
                .system_type(system_type)
                .interface_version(version);
            client.bind_transmitter(pdu.build()).await.map(drop)
        }
        Role::Receiver => {
            let pdu = BindReceiver::builder()
                .system_id(system_id)
                .password(password)
                .system_type(system_type)
                .interface_version(version);
            client.bind_receiver(pdu.build()).await.map(drop)
        }
    };
    match outcome {
        Ok(()) => Ok(()),
        // A bind that is answered without a body is bound all the same when the status says so.
        Err(Error::UnexpectedResponse { response }) if response.status() == CommandStatus::EsmeRok => Ok(()),
        Err(Error::UnexpectedResponse { response }) => Err(OpenError::Refused(response.status())),
        Err(other) => Err(OpenError::Unreachable(other.to_string())),
    }
}

impl Link {
    /// Says goodbye and closes. Peers often hang up first: that is as good.
    pub(super) async fn unbind(&self) {
        for client in self.receiver.iter().chain([&self.sender]) {
            let _ = timeout(Duration::from_secs(2), client.unbind()).await;
            close(client).await;
        }
    }

    /// Closes without a word: the other side is gone or misbehaves.
    pub(super) async fn drop_now(&self) {
        for client in self.receiver.iter().chain([&self.sender]) {
            close(client).await;
        }
    }
}

async fn close(client: &Client) {
    // An error says that it is closed already.
    let _ = timeout(Duration::from_secs(2), client.close_and_wait()).await;
}
