//! Clients, their users and keys, the audit trail, and settings of the whole database.

pub mod api_keys;
pub mod audit;
pub mod audit_chain;
pub mod blocklist;
pub mod clients;
pub mod contact_attributes;
pub mod contact_merges;
pub mod contact_tags;
pub mod contacts;
pub mod credits;
pub mod customer_notes;
pub mod disablement;
pub mod email_senders;
pub mod login_failures;
pub mod openid;
pub mod operator_keys;
pub mod profiles;
pub mod removal;
pub mod request_log;
pub mod rights;
pub mod sandboxes;
pub mod sealed_columns;
pub mod session_keys;
pub mod settings;
pub mod teams;
pub mod users;
