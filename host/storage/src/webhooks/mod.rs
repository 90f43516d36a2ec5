//! Webhook configurations with their endpoints, and what is delivered to them.

pub mod config_changes;
pub mod configs;
pub mod deliveries;
pub mod history;
pub mod resend;
