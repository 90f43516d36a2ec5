//! The facts about a request that become known while it is handled, for the log of requests: its caller and its body.
//! A request without a known key is not in that log, because it has no client.

use std::{sync::Arc, time::Duration};

use axum::http::{Extensions, HeaderMap, Method, StatusCode, header};
use bytes::Bytes;
use domain::{
    ids::{ClientId, RequestId, UserId},
    sandbox::KeyMode,
};
use parking_lot::{Mutex, MutexGuard};
use tenancy::{
    accounts::Caller,
    request_log::{AnsweredRequest, BODY_BYTES, RequestBody},
};

use crate::media_kind::is_json;

/// Characters of a key that are logged. They tell the present key of a user from a replaced one.
const KEY_START: usize = 4;

/// The kind of a body, by its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    Json,
    Form,
    Other,
}

impl BodyKind {
    pub fn of(headers: &HeaderMap) -> Self {
        let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        match kind.split(';').next().unwrap_or_default().trim() {
            _ if is_json(headers) => Self::Json,
            form if form.eq_ignore_ascii_case("application/x-www-form-urlencoded") => Self::Form,
            _ => Self::Other,
        }
    }
}

/// Shared by the layers and the handler of one request.
#[derive(Clone, Default)]
pub struct RequestFacts(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    caller: Option<(ClientId, UserId, String)>,
    mode: KeyMode,
    body: Option<RequestBody>,
}

impl RequestFacts {
    /// The facts of the request with these extensions.
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_default()
    }

    pub fn set_caller(&self, caller: &Caller, key: &[u8]) {
        let start: String = key.iter().take(KEY_START).map(|byte| char::from(*byte)).collect();
        let mut known = self.lock_facts();
        known.caller = Some((caller.client, caller.user, start));
        known.mode = caller.mode;
    }

    /// For a caller without a key, such as the holder of a ticket.
    pub fn set_mode(&self, mode: KeyMode) {
        self.lock_facts().mode = mode;
    }

    /// The mode of the caller's key.
    pub fn mode(&self) -> KeyMode {
        self.lock_facts().mode
    }

    /// Keeps a small body until the answer is known. The bytes are shared.
    pub fn had_body(&self, kind: BodyKind, bytes: &Bytes) {
        let body = match kind {
            _ if bytes.is_empty() => return,
            _ if bytes.len() > BODY_BYTES => RequestBody::Other(bytes.len()),
            BodyKind::Json => RequestBody::Json(bytes.clone()),
            BodyKind::Form => RequestBody::Form(bytes.clone()),
            BodyKind::Other => RequestBody::Other(bytes.len()),
        };
        self.lock_facts().body = Some(body);
    }

    /// The client of the caller, if its key is known and [`Self::answered`] was not called.
    pub fn client(&self) -> Option<ClientId> {
        self.lock_facts().caller.as_ref().map(|(client, ..)| *client)
    }

    /// The entry of the log. `None` if no client is known.
    pub fn answered(
        &self,
        id: RequestId,
        method: &Method,
        path: &str,
        status: StatusCode,
        duration: Duration,
    ) -> Option<AnsweredRequest> {
        let mut known = self.lock_facts();
        let (client, user, key_start) = known.caller.take()?;
        let has_failed = status.is_client_error() || status.is_server_error();
        let body = known.body.take().filter(|_| has_failed);
        let (method, path) = (method.as_str().to_owned(), path.to_owned());
        Some(AnsweredRequest { client, id, user, key_start, method, path, status: status.as_u16(), duration, body })
    }

    fn lock_facts(&self) -> MutexGuard<'_, Known> {
        self.0.lock()
    }
}
