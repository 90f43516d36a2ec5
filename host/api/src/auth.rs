//! Who calls, and whether they may (SPEC part 5; `docs/roles.md`).

use std::marker::PhantomData;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, header, request::Parts},
};
use base::audit::Actor;
use tenancy::accounts::{Caller, Role};
use tracing::Span;

use crate::{
    error::{ApiError, ErrorKind},
    state::ApiState,
};

/// Length of a hyphenated UUID.
const KEY_LENGTH: usize = 36;

/// Something that only some roles may do.
pub(crate) trait Permission: Send + Sync {
    /// The line of `docs/roles.md`.
    const ROW: PermissionRow;
}

/// Who may do what.
#[derive(Debug, Clone, Copy)]
pub struct PermissionRow {
    /// In words.
    pub what: &'static str,
    /// Who may.
    pub roles: &'static [Role],
}

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident: $what:literal => [$($role:ident),+];)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy)]
            pub(crate) struct $name;

            impl Permission for $name {
                const ROW: PermissionRow = PermissionRow { what: $what, roles: &[$(Role::$role),+] };
            }
        )+

        /// The table of `docs/roles.md`.
        pub const PERMISSIONS: &[PermissionRow] = &[$($name::ROW),+];
    };
}

permissions! {
    /// Sending through the API.
    Sending: "send messages (`/whatsapp-api-service`)" => [Admin, Supervisor, Developer, Api];
    /// Looking at numbers, templates and configurations.
    Looking: "list numbers and templates, read the webhook configuration" => [Admin, Supervisor, Agent, Developer, Api];
    /// Changing webhooks.
    Webhooks: "change the webhook configuration, read and rotate its secret" => [Admin, Developer];
    /// Refreshing the catalogue.
    Templates: "fetch the template catalogue from the provider" => [Admin, Supervisor, Developer];
    /// Plugins.
    Plugins: "upload, activate, try out and delete plugins, read what they did" => [Admin, Developer];
    /// One's own key.
    OwnKey: "regenerate one's own API key" => [Admin, Supervisor, Agent, Developer, Api];
}

/// A caller with permission `P`. Missing or unknown key: 401; known key without permission: 403.
pub(crate) struct Allowed<P> {
    /// Who it is.
    pub caller: Caller,
    permission: PhantomData<P>,
}

impl<P> Allowed<P> {
    /// For the audit trail.
    pub fn actor(&self) -> Actor {
        Actor::User(self.caller.user)
    }
}

impl<P: Permission> FromRequestParts<ApiState> for Allowed<P> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let key = key(&parts.headers).ok_or_else(ApiError::unauthorized)?;
        let caller = state.authenticator.authenticate(key).await.map_err(ApiError::unavailable)?;
        let caller = caller.ok_or_else(ApiError::unauthorized)?;
        Span::current().record("client.id", tracing::field::display(caller.client));
        if P::ROW.roles.contains(&caller.role) {
            Ok(Self { caller, permission: PhantomData })
        } else {
            let said = format!("a user with the role {} may not {}", caller.role, P::ROW.what);
            Err(ApiError::new(ErrorKind::Forbidden, said))
        }
    }
}

/// The one header that carries the key and nothing else: no `Bearer`, nothing trimmed, no second header.
fn key(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let key = values.next()?.as_bytes();
    (values.next().is_none() && is_uuid(key)).then_some(key)
}

fn is_uuid(key: &[u8]) -> bool {
    key.len() == KEY_LENGTH
        && key.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e";

    fn accepted(values: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().unwrap());
        }
        key(&headers).is_some()
    }

    #[test]
    fn the_raw_key_is_taken() {
        assert!(accepted(&[KEY]));
    }

    #[test]
    fn anything_around_the_key_is_refused() {
        assert!(!accepted(&[&format!("Bearer {KEY}")]));
        assert!(!accepted(&[&format!("{KEY} ")]));
        assert!(!accepted(&[&format!(" {KEY}")]));
        assert!(!accepted(&[&KEY[..35]]));
        assert!(!accepted(&[""]));
        assert!(!accepted(&[]));
    }

    #[test]
    fn two_headers_are_refused_even_when_both_are_right() {
        assert!(!accepted(&[KEY, KEY]));
    }

    #[test]
    fn other_text_of_the_same_length_is_refused() {
        assert!(!accepted(&[&KEY.replace('-', "0")]));
        assert!(!accepted(&[&KEY.replace('b', "g")]));
    }
}
