//! Text messages: the parts of a leg, the directory that finds them by SMSC id, and messages of subscribers.

pub mod accepted_parts;
pub mod directory;
pub mod inbound;
pub mod parts;
pub mod products;
pub mod routes;
