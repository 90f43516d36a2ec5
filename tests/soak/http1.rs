//! HTTP/1.1 by hand: requests that no client library would make.

use std::time::Duration;

use futures::FutureExt;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{sources::Source, stage::Ground};

/// The head of a request, without its last empty line.
pub fn head(ground: &Ground, source: Source, method: &str, path: &str, more: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n{}{more}", ground.http, source.line())
}

/// Opens a connection and sends bytes. `None` if the program does not take them.
pub async fn sent(ground: &Ground, source: Source, bytes: &[u8]) -> Option<TcpStream> {
    let mut connection = source.connect(ground.http).await.ok()?;
    connection.write_all(bytes).await.ok()?;
    Some(connection)
}

/// The same over a connection with a small receive buffer, whose answer is never read.
pub async fn unread(ground: &Ground, source: Source, bytes: &[u8]) -> Option<TcpStream> {
    let mut connection = source.connect_narrow(ground.http).await.ok()?;
    connection.write_all(bytes).await.ok()?;
    Some(connection)
}

/// Holds a connection without reading from it until it ends, or for 40 s: longer than any time limit of an answer. An end that
/// comes behind unread bytes cannot be seen.
pub async fn hold(connection: &TcpStream) {
    for _ in 0..80 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let ended = matches!(connection.peek(&mut [0]).now_or_never(), Some(Ok(0) | Err(_)));
        if ended || connection.take_error().is_ok_and(|error| error.is_some()) {
            return;
        }
    }
}

/// Reads everything until the end.
pub async fn drain(connection: &mut TcpStream) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(1..) = connection.read(&mut buffer).await {}
}
