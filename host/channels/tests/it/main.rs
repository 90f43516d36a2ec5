//! The adapters against servers: a scripted HTTP server, and a third-party SMSC.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on shall stop"
)]

mod address_policy;
mod callback_accounts;
mod callback_changes;
mod callback_checks;
mod callback_faults;
mod callback_messages;
mod callback_pages;
mod callback_statuses;
mod callback_unknown_content;
mod carrier_cloud;
mod carrier_lite;
mod carrier_messenger;
mod carrier_smpp;
mod carriers;
mod cloud_files;
mod documented_codes;
mod graph_media;
mod graph_reads;
mod graph_send_bodies;
mod graph_send_failures;
mod guarded_client;
mod hostile_addresses;
mod hostile_answers;
mod media_store;
mod messenger_files;
mod name_servers;
mod object_media;
mod object_media_peer;
mod odd_receivers;
mod smpp_binds;
mod smpp_deliveries;
mod smpp_hostile;
mod smpp_kannel;
mod smpp_peer;
mod smpp_python;
mod smpp_raw;
mod smpp_repetitions;
mod smpp_sessions;
mod smpp_submits;
mod support;
