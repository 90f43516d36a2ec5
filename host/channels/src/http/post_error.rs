//! Reasons why a guarded call got no answer.

use std::{error::Error, io};

use domain::carriage::SendFailure;
use hyper_util::client::legacy;

use super::{address_policy::AddressRefused, excess::Excess, resolver::AddressesRefused};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostError {
    /// The address policy refused the URL, or all addresses of its name. A retry is useless until it changes.
    #[error("the URL {0}")]
    Refused(AddressRefused),
    /// The call itself is impossible: a malformed header or method.
    #[error("the request cannot be made: {0}")]
    Invalid(String),
    /// No connection: the name did not resolve, no server listens, or TLS failed. Nothing was sent.
    #[error("no connection: {0}")]
    Connect(String),
    /// The time ran out after the connection was made.
    #[error("no answer in time")]
    Timeout,
    #[error("the answer is larger than {limit} bytes")]
    BodyTooLarge { limit: usize },
    #[error("the answer was not read to its end: {0}")]
    Excessive(#[from] Excess),
    /// The connection broke, or the peer does not speak HTTP.
    #[error("the call failed: {0}")]
    Other(String),
}

/// The outcome of a send without an answer. Only a failed connection proves that nothing was written.
impl From<PostError> for SendFailure {
    fn from(error: PostError) -> Self {
        let reason = error.to_string();
        if error.is_not_written() { Self::NotSent { reason, after: None } } else { Self::Unknown { reason } }
    }
}

impl PostError {
    /// Sorts an error of the guarded client. The verdict of the address policy is found by type in the chain of causes.
    pub(super) fn from_transport(error: &legacy::Error) -> Self {
        if let Some(AddressesRefused(reason)) = find_cause::<AddressesRefused>(error) {
            return Self::Refused(reason.clone());
        }
        if let Some(excess) = find_cause::<Excess>(error) {
            return Self::Excessive(*excess);
        }
        if error.is_connect() { Self::Connect(chain(error)) } else { Self::Other(chain(error)) }
    }

    pub(super) fn from_client(error: reqwest::Error) -> Self {
        if let Some(excess) = find_cause::<Excess>(&error) {
            return Self::Excessive(*excess);
        }
        if error.is_timeout() {
            return Self::Timeout;
        }
        if error.is_builder() {
            return Self::Invalid(describe(error));
        }
        Self::Other(describe(error))
    }

    pub(crate) fn is_not_written(&self) -> bool {
        match self {
            Self::Refused(_) | Self::Invalid(_) | Self::Connect(_) => true,
            Self::Timeout | Self::BodyTooLarge { .. } | Self::Excessive(_) | Self::Other(_) => false,
        }
    }
}

fn find_cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(current) = next {
        // An I/O error hides the error that it was made from.
        let within = || current.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref::<E>();
        if let Some(found) = current.downcast_ref::<E>().or_else(within) {
            return Some(found);
        }
        next = current.source();
    }
    None
}

/// The chain of causes in one line, without the URL (its query may hold a secret).
pub(crate) fn describe(error: reqwest::Error) -> String {
    chain(&error.without_url())
}

pub(super) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
