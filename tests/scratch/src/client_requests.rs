//! The requests of one client of PostgreSQL, read from its bytes (protocol 3.0). Each `Sync` and each simple `Query` is answered
//! by one `ReadyForQuery`, and the driver waits for it: one round trip.

use std::collections::HashMap;

/// The code that stands in place of a version in a request for TLS, which comes before the connection begins.
const TLS_WANTED: &[u8] = &80_877_103_u32.to_be_bytes();

/// The queries of a client so far.
#[derive(Default)]
pub(crate) struct Asked {
    /// Bytes of a message that is not complete.
    pending: Vec<u8>,
    /// The messages before this have no type.
    has_begun: bool,
    /// Statements by their names.
    prepared: HashMap<String, String>,
    /// The query of the messages since the last `Sync`.
    current: String,
}

impl Asked {
    /// Takes bytes as they come. Answers the statement of each of the round trips that begin with them, after `prepare` where it is only
    /// prepared.
    pub(crate) fn hear(&mut self, bytes: &[u8]) -> Vec<String> {
        self.pending.extend_from_slice(bytes);
        let mut trips = Vec::new();
        while let Some((kind, body)) = self.next_message() {
            match kind {
                b'P' => {
                    let (name, sql) = text_of_two(&body);
                    self.current = format!("prepare {sql}");
                    self.prepared.insert(name, sql);
                }
                b'B' => {
                    let (_portal, name) = text_of_two(&body);
                    self.current = self.prepared.get(&name).cloned().unwrap_or_default();
                }
                b'Q' => trips.push(text_of_two(&body).0),
                b'S' => trips.push(std::mem::take(&mut self.current)),
                _ => {}
            }
        }
        trips
    }

    /// Type and body of the next message, once all of it is there.
    fn next_message(&mut self) -> Option<(u8, Vec<u8>)> {
        let head = usize::from(self.has_begun);
        let length = self.pending.get(head..head + 4)?;
        let length = usize::try_from(u32::from_be_bytes(length.try_into().ok()?)).ok()?;
        let body = self.pending.get(head + 4..head + length)?.to_vec();
        let kind = if self.has_begun { *self.pending.first()? } else { 0 };
        self.has_begun |= !body.starts_with(TLS_WANTED);
        self.pending.drain(..head + length);
        Some((kind, body))
    }
}

/// The first two strings of a message, on one line each.
fn text_of_two(body: &[u8]) -> (String, String) {
    let mut strings = body.split(|byte| *byte == 0);
    let mut next = || {
        let text = String::from_utf8_lossy(strings.next().unwrap_or_default());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    (next(), next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: Option<u8>, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        kind.into_iter().chain(length).chain(body.iter().copied()).collect()
    }

    /// A connection that asks for TLS, prepares a statement, runs it twice, and says something simple.
    fn conversation() -> Vec<u8> {
        [
            message(None, TLS_WANTED),
            message(None, b"\0\x03\0\0user\0patchbay\0\0"),
            message(Some(b'P'), b"s1\0SELECT\n  $1\0\0\0"),
            message(Some(b'D'), b"Ss1\0"),
            message(Some(b'S'), b""),
            message(Some(b'B'), b"\0s1\0\0\0"),
            message(Some(b'E'), b"\0\0\0\0\0"),
            message(Some(b'S'), b""),
            message(Some(b'B'), b"\0s1\0\0\0"),
            message(Some(b'S'), b""),
            message(Some(b'Q'), b"COMMIT\0"),
            message(Some(b'S'), b""),
            message(Some(b'X'), b""),
        ]
        .concat()
    }

    #[test]
    fn a_round_trip_is_a_sync_or_a_simple_query() {
        let trips = Asked::default().hear(&conversation());
        assert_eq!(trips, ["prepare SELECT $1", "SELECT $1", "SELECT $1", "COMMIT", ""]);
    }

    #[test]
    fn messages_may_come_in_pieces() {
        let mut asked = Asked::default();
        let trips: Vec<String> = conversation().iter().flat_map(|byte| asked.hear(&[*byte])).collect();
        assert_eq!(trips, Asked::default().hear(&conversation()));
    }
}
