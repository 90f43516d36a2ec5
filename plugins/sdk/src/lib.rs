//! Write Patchbay plugins in Rust. A plugin is a crate of type `cdylib`, built with
//! `cargo build --release --target wasm32-wasip2`. This is a whole chatbot:
//!
//! ```ignore
//! use patchbay_plugin_sdk::chatbot::*;
//!
//! struct Hello;
//!
//! impl Chatbot for Hello {
//!     fn handle(event: Event, _session: Session) -> Result<Vec<Action>, Error> {
//!         match event.text() {
//!             Some(text) => Ok(vec![Action::text(format!("You said: {text}"))]),
//!             None => Ok(vec![]),
//!         }
//!     }
//! }
//!
//! patchbay_plugin_sdk::export_chatbot!(Hello);
//! ```
//!
//! Every type carries the documentation of the interface in `wit/`.

pub mod chatbot;
pub mod config;
pub mod conversation;
pub mod files;
pub mod hours;
pub mod http;
pub mod json;
pub mod kv;
pub mod log;
pub mod router;
pub mod sms_fallback;
pub mod sms_router;
pub mod webhook_shaper;

/// The generated bindings. Plugins use the modules above instead.
#[doc(hidden)]
pub mod bindings {
    pub mod chatbot {
        wit_bindgen::generate!({
            path: "../../wit/plugin-0.3.0",
            world: "chatbot",
            pub_export_macro: true,
            export_macro_name: "export_bot",
            default_bindings_module: "patchbay_plugin_sdk::bindings::chatbot",
            additional_derives: [PartialEq],
        });
    }

    pub mod sms_fallback {
        wit_bindgen::generate!({
            path: "../../wit/plugin-0.3.0",
            world: "sms-fallback",
            pub_export_macro: true,
            export_macro_name: "export_fallback",
            default_bindings_module: "patchbay_plugin_sdk::bindings::sms_fallback",
            additional_derives: [PartialEq],
            with: {
                "patchbay:plugin/types@0.3.0": crate::bindings::chatbot::patchbay::plugin::types,
                "patchbay:plugin/log@0.3.0": crate::bindings::chatbot::patchbay::plugin::log,
                "patchbay:plugin/kv@0.3.0": crate::bindings::chatbot::patchbay::plugin::kv,
                "patchbay:plugin/config@0.3.0": crate::bindings::chatbot::patchbay::plugin::config,
            },
        });
    }

    pub mod webhook_shaper {
        wit_bindgen::generate!({
            path: "../../wit/plugin-0.3.0",
            world: "webhook-shaper",
            pub_export_macro: true,
            export_macro_name: "export_shaper",
            default_bindings_module: "patchbay_plugin_sdk::bindings::webhook_shaper",
            additional_derives: [PartialEq],
            with: {
                "patchbay:plugin/types@0.3.0": crate::bindings::chatbot::patchbay::plugin::types,
                "patchbay:plugin/log@0.3.0": crate::bindings::chatbot::patchbay::plugin::log,
                "patchbay:plugin/config@0.3.0": crate::bindings::chatbot::patchbay::plugin::config,
            },
        });
    }

    pub mod router {
        wit_bindgen::generate!({
            path: "../../wit/plugin-0.3.0",
            world: "router",
            pub_export_macro: true,
            export_macro_name: "export_routing",
            default_bindings_module: "patchbay_plugin_sdk::bindings::router",
            additional_derives: [PartialEq],
            with: {
                "patchbay:plugin/types@0.3.0": crate::bindings::chatbot::patchbay::plugin::types,
                "patchbay:plugin/log@0.3.0": crate::bindings::chatbot::patchbay::plugin::log,
                "patchbay:plugin/kv@0.3.0": crate::bindings::chatbot::patchbay::plugin::kv,
                "patchbay:plugin/config@0.3.0": crate::bindings::chatbot::patchbay::plugin::config,
            },
        });
    }

    pub mod sms_router {
        wit_bindgen::generate!({
            path: "../../wit/plugin-0.3.0",
            world: "sms-router",
            pub_export_macro: true,
            export_macro_name: "export_sms_routing",
            default_bindings_module: "patchbay_plugin_sdk::bindings::sms_router",
            additional_derives: [PartialEq],
            with: {
                "patchbay:plugin/types@0.3.0": crate::bindings::chatbot::patchbay::plugin::types,
                "patchbay:plugin/log@0.3.0": crate::bindings::chatbot::patchbay::plugin::log,
                "patchbay:plugin/config@0.3.0": crate::bindings::chatbot::patchbay::plugin::config,
            },
        });
    }

    pub mod validating {
        wit_bindgen::generate!({
            path: "../../wit/plugin-0.3.0",
            world: "validating",
            pub_export_macro: true,
            export_macro_name: "export_validation",
            default_bindings_module: "patchbay_plugin_sdk::bindings::validating",
        });
    }

    pub mod configurable {
        wit_bindgen::generate!({
            path: "../../wit/plugin-0.3.0",
            world: "configurable",
            pub_export_macro: true,
            export_macro_name: "export_configuration",
            default_bindings_module: "patchbay_plugin_sdk::bindings::configurable",
        });
    }
}

/// Makes a type that implements [`chatbot::Chatbot`] the plugin.
#[macro_export]
macro_rules! export_chatbot {
    ($bot:ident) => {
        $crate::bindings::chatbot::export_bot!($bot with_types_in $crate::bindings::chatbot);
    };
}

/// Makes a type that implements [`sms_fallback::SmsFallback`] the plugin.
#[macro_export]
macro_rules! export_sms_fallback {
    ($rule:ident) => {
        $crate::bindings::sms_fallback::export_fallback!($rule with_types_in $crate::bindings::sms_fallback);
    };
}

/// Makes a type that implements [`webhook_shaper::WebhookShaper`] the plugin.
#[macro_export]
macro_rules! export_webhook_shaper {
    ($shaper:ident) => {
        $crate::bindings::webhook_shaper::export_shaper!($shaper with_types_in $crate::bindings::webhook_shaper);
    };
}

/// Makes a type that implements [`router::Router`] the plugin.
#[macro_export]
macro_rules! export_router {
    ($router:ident) => {
        $crate::bindings::router::export_routing!($router with_types_in $crate::bindings::router);
    };
}

/// Makes a type that implements [`sms_router::SmsRouter`] the plugin.
#[macro_export]
macro_rules! export_sms_router {
    ($router:ident) => {
        $crate::bindings::sms_router::export_sms_routing!($router with_types_in $crate::bindings::sms_router);
    };
}

/// Describes the configuration of a plugin of any world by a JSON Schema. The host then refuses an activation whose
/// configuration does not fit, and names the place. Use it next to the export of the plugin itself:
///
/// ```ignore
/// patchbay_plugin_sdk::export_config_schema!(r#"{
///     "type": "object",
///     "properties": { "greeting": { "type": "string", "maxLength": 200 } },
///     "additionalProperties": false
/// }"#);
/// ```
///
/// `include_str!("config.schema.json")` works too.
#[macro_export]
macro_rules! export_config_schema {
    ($schema:expr) => {
        struct PatchbayConfigSchema;

        impl $crate::bindings::configurable::exports::patchbay::plugin::configuration::Guest for PatchbayConfigSchema {
            fn schema() -> ::std::string::String {
                ::std::string::String::from($schema)
            }
        }

        $crate::bindings::configurable::export_configuration!(
            PatchbayConfigSchema with_types_in $crate::bindings::configurable
        );
    };
}

/// Judges the configuration of an activation with a function `fn(&str) -> Vec<(String, String)>`: the place, such as
/// `topics/0/title`, and the fault in one sentence. The host refuses an activation with findings.
#[macro_export]
macro_rules! export_config_check {
    ($check:path) => {
        struct PatchbayConfigCheck;

        impl $crate::bindings::validating::exports::patchbay::plugin::validation::Guest for PatchbayConfigCheck {
            fn validate(
                config: ::std::string::String,
            ) -> ::std::vec::Vec<$crate::bindings::validating::exports::patchbay::plugin::validation::Finding> {
                let findings: ::std::vec::Vec<(::std::string::String, ::std::string::String)> = $check(&config);
                let finding = |(field, message)| {
                    $crate::bindings::validating::exports::patchbay::plugin::validation::Finding { field, message }
                };
                findings.into_iter().map(finding).collect()
            }
        }

        $crate::bindings::validating::export_validation!(
            PatchbayConfigCheck with_types_in $crate::bindings::validating
        );
    };
}
