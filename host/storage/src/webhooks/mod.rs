pub mod config_changes;
pub mod configs;
pub mod copies;
pub mod deliveries;
pub mod history;
pub mod resend;
