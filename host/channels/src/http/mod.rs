//! The only place that makes HTTP clients: a guarded one for addresses of clients, a plain one for the operator's
//! (DESIGN ground rule 8).

mod address_policy;
mod answer;
mod api_client;
mod client_error;
mod client_settings;
mod connector;
mod excess;
mod lookups;
mod operator;
mod operator_call;
mod outside_client;
mod pace;
mod paced_executor;
mod post_error;
mod resolver;
mod retry_after;
mod shared_processors;
mod system_resolver;
mod transport;
mod webhook;

pub use address_policy::{AddressPolicy, AddressRefused};
pub use answer::{FetchedFile, FileDescription, GuardedAnswer, PostAnswer};
pub use api_client::{ApiAnswer, ApiCall, ApiClient};
pub use client_error::ClientBuildError;
pub use excess::Excess;
pub(crate) use operator::streaming_client;
pub use operator::{OperatorClient, operator_client};
pub(crate) use operator_call::body_within;
pub use outside_client::{GuardedClient, GuardedRequest, GuardedSettings};
pub use pace::Pace;
pub use paced_executor::{MeasuredTask, PacedTask};
pub use post_error::PostError;
pub(crate) use post_error::describe;
pub use resolver::{NameResolver, ResolveFuture};
pub(crate) use retry_after::retry_after;
pub use shared_processors::SharedProcessors;
pub use system_resolver::SystemResolver;
pub use webhook::{WebhookAddress, WebhookPost};
