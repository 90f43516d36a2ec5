//! Those whom nobody knows yet: which door they come to, where they come from, and how much room that gives them.
//!
//! Together they have what one client may have. Half of the places and a quarter of the bytes are for callbacks of providers, so
//! that neither they nor those who log in or chat are kept out by the others; files of visitors need the rest of the bytes. Of
//! either part one source has a quarter, and room for a whole body.

use std::net::IpAddr;

use axum::extract::Request;
use domain::{source::source_of, web_chat::largest_file};

use super::{
    AdmissionSettings,
    share::{Owner, Room},
};
use crate::{
    https,
    providers::{self, MAX_CALLBACK_BYTES},
    state::ApiSettings,
};

/// Where requests without a key come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Door {
    /// What providers call.
    Providers,
    /// Everything else: logins, web chat, and all that turns out to be nobody's.
    Everybody,
}

/// Parts of a door's room of which one source has one.
const SOURCES: u64 = 4;

impl Door {
    /// Bytes of the largest body that it takes: one source has room for one at least.
    fn largest_body(self) -> u64 {
        let bytes = match self {
            Self::Providers => MAX_CALLBACK_BYTES,
            Self::Everybody => largest_file(),
        };
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// Somebody who has shown no key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stranger {
    pub door: Door,
    /// `None`: somebody who may speak for many.
    pub source: Option<IpAddr>,
}

impl Stranger {
    pub fn of(request: &Request, settings: &ApiSettings) -> Self {
        let door = if providers::is_callback(request.uri().path()) { Door::Providers } else { Door::Everybody };
        let speaks_for_many =
            |from: &IpAddr| from.is_loopback() || settings.trusted_proxies.iter().any(|network| network.contains(from));
        let source = https::source_of_request(settings, request.extensions(), request.headers())
            .filter(|from| !speaks_for_many(from))
            .map(source_of);
        Self { door, source }
    }
}

impl Owner {
    /// How much may be in flight of its.
    pub fn room(self, settings: &AdmissionSettings) -> Room {
        let client = Room { requests: settings.requests_per_client, bytes: settings.bytes_per_client };
        let at = match self {
            Self::Client(_) => return client,
            Self::Door(at) | Self::Source(at, _) => at,
        };
        let bytes = match at {
            Door::Providers => client.bytes / 4,
            Door::Everybody => client.bytes / 4 * 3,
        };
        let door = Room { requests: (client.requests / 2).max(1), bytes };
        if matches!(self, Self::Door(_)) {
            return door;
        }
        let bytes = (door.bytes / SOURCES).max(at.largest_body()).min(door.bytes);
        Room { requests: (door.requests / SOURCES).max(1), bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_together_have_the_room_of_a_client_and_one_source_a_quarter_of_its_door() {
        let settings = AdmissionSettings {
            requests_per_second: 1,
            recipients_per_second: 1,
            requests: 2_048,
            requests_per_client: 512,
            bytes: 128 << 20,
            bytes_per_client: 64 << 20,
        };
        let room = |owner: Owner, settings: &AdmissionSettings| {
            let room = owner.room(settings);
            (room.requests, room.bytes >> 20)
        };
        let (providers, everybody) = (Owner::Door(Door::Providers), Owner::Door(Door::Everybody));
        assert_eq!((room(providers, &settings), room(everybody, &settings)), ((256, 16), (256, 48)));
        let one = |door| Owner::Source(door, "192.0.2.1".parse().unwrap());
        assert_eq!(room(one(Door::Providers), &settings), (64, 4));
        assert_eq!(room(one(Door::Everybody), &settings), (64, 32), "the largest file of a visitor");
        let small = AdmissionSettings { requests_per_client: 1, bytes_per_client: 8 << 20, ..settings };
        assert_eq!((room(providers, &small), room(everybody, &small)), ((1, 2), (1, 6)));
        assert_eq!((room(one(Door::Providers), &small), room(one(Door::Everybody), &small)), ((1, 2), (1, 6)));
    }
}
