//! Name resolution that keeps only allowed addresses, so that the checked address is the connected one.

use std::{
    future::Future,
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    vec::IntoIter,
};

use hyper_util::client::legacy::connect::dns::Name;
use tokio::net::lookup_host;
use tower::Service;

use super::{
    address_policy::{AddressPolicy, AddressRefused},
    lookups::Lookups,
};

pub type ResolveFuture = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

pub trait NameResolver: Send + Sync {
    fn resolve(&self, host: &str) -> ResolveFuture;
}

/// Names as the C library of this machine resolves them, each in its own thread: for names of the operator.
pub(super) struct MachineNames;

impl NameResolver for MachineNames {
    fn resolve(&self, host: &str) -> ResolveFuture {
        let host = host.to_owned();
        Box::pin(async move { Ok(lookup_host((host, 0)).await?.map(|address| address.ip()).collect()) })
    }
}

/// Every address of a name was refused. Carried through the HTTP client's error chain and found there by type.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct AddressesRefused(pub(super) AddressRefused);

/// Filters the addresses from `inner` by a policy. Look-ups of one client wait for each other, not for those of others.
#[derive(Clone)]
pub(super) struct PolicyResolver {
    /// `None`: the operator chose the name, so all addresses are allowed.
    pub(super) policy: Option<AddressPolicy>,
    pub(super) inner: Arc<dyn NameResolver>,
    pub(super) lookups: Arc<Lookups>,
}

impl Service<Name> for PolicyResolver {
    type Response = IntoIter<SocketAddr>;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let policy = self.policy;
        let host = name.as_str().to_owned();
        let inner = Arc::clone(&self.inner);
        let turn = self.lookups.turn();
        Box::pin(async move {
            let _turn = turn.await;
            let found = inner.resolve(name.as_str()).await?;
            let mut refused = None;
            let mut allowed = Vec::with_capacity(found.len());
            for address in found {
                match policy.map_or(Ok(()), |policy| policy.judge_address(address)) {
                    Ok(()) => allowed.push(SocketAddr::new(address, 0)),
                    Err(reason) => refused = Some(reason),
                }
            }
            match refused {
                Some(reason) if allowed.is_empty() => {
                    tracing::info!(host, %reason, "a name resolves to nothing that may be called");
                    Err(AddressesRefused(reason.of_name(host)).into())
                }
                _ => Ok(allowed.into_iter()),
            }
        })
    }
}
