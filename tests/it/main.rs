//! End-to-end tests with the real binary, a real PostgreSQL and the simulated providers.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests: a failure here is a failed test"
)]

mod accounts;
mod admin_lists;
mod bad_input;
mod batches;
mod bots_on_channels;
mod bucket;
mod callbacks;
mod chat_window;
mod chatbot;
mod clients;
mod contacts;
mod conversations;
mod corpus;
mod delivery;
mod dependencies;
mod email;
mod failure_codes;
mod fallback;
mod hygiene;
mod idempotency;
mod inbound;
mod inbound_media;
mod interfaces;
mod isolation;
mod isolation_rows;
mod kill;
mod layers;
mod lite;
mod live_chat;
mod live_events;
mod live_messages;
mod messenger;
mod mutations;
mod nodes;
mod number_registration;
mod numbers_and_templates;
mod one_connection;
mod one_time_codes;
mod operations;
mod overload;
mod partner_events;
mod plugin_activations;
mod plugin_canaries;
mod plugin_commands;
mod plugin_http;
mod plugin_interface;
mod plugin_limits;
mod plugin_modes;
mod plugin_requests;
mod plugin_secrets;
mod plugin_swaps;
mod plugin_trials;
mod plugin_uploads;
mod plugin_uploads_unawaited;
mod popia;
mod popia_desk;
mod promises;
mod routing;
mod rules;
mod schema;
mod sending;
mod sms_bad_input;
mod sms_batch;
mod sms_chats;
mod sms_engine;
mod sms_gateway;
mod sms_kannel;
mod sms_kill;
mod sms_replies;
mod sms_routing;
mod sms_sending;
mod sms_sources;
mod sms_stops;
mod sms_tls;
mod sms_together;
mod standing;
mod status;
mod story;
mod teams;
mod template_faults;
mod templates;
mod unread;
mod users;
mod web_chat;
mod webhook_attempts;
mod webhook_configuration;
mod webhook_configuration_changes;
mod webhook_listener;
mod webhooks;
