//! The only place that makes HTTP clients: a guarded one for addresses of clients, and a plain one for addresses of the
//! operator (DESIGN ground rule 8). Both use the same connections (`connector`), which bound the cost of an answer.

mod address_policy;
mod answer;
mod api_client;
mod connector;
mod excess;
mod guarded;
mod lookups;
mod operator;
mod operator_call;
mod paced;
mod post_error;
mod resolver;
mod retry_after;
mod system_resolver;
mod transport;
mod webhook;

pub use address_policy::{AddressPolicy, AddressRefused};
pub use answer::{Described, Fetched, GuardedAnswer, PostAnswer};
pub use api_client::{ApiAnswer, ApiCall, ApiClient};
pub use excess::Excess;
pub use guarded::{GuardedClient, GuardedRequest, GuardedSettings};
pub use operator::ClientNotBuilt;
pub use post_error::PostError;
pub use resolver::{NameResolver, Resolving};
pub use system_resolver::SystemResolver;
pub use webhook::{WebhookAddress, WebhookPost};

pub(crate) use operator::{OperatorClient, operator_client, streaming_client};
pub(crate) use operator_call::body_within;
pub(crate) use post_error::describe;
pub(crate) use retry_after::retry_after;
