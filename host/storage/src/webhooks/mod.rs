//! Webhook configurations with their endpoints, and what is delivered to them.

pub mod configs;
pub mod deliveries;
