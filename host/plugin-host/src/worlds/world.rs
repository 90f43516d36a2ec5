//! The worlds: the kinds of plugins.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of a plugin, by the interface that it exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum World {
    /// Answers the events of a conversation; exports `bot`.
    Chatbot,
    /// Decides about the SMS fallback; exports `fallback`.
    SmsFallback,
    /// Makes webhook bodies; exports `shaper`.
    WebhookShaper,
    /// Decides the route of a conversation; exports `routing`.
    Router,
    /// Decides how each SMS is sent; exports `sms-routing`.
    SmsRouter,
}

impl World {
    pub const ALL: [Self; 5] = [Self::Chatbot, Self::SmsFallback, Self::WebhookShaper, Self::Router, Self::SmsRouter];

    /// The name in `wit/`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chatbot => "chatbot",
            Self::SmsFallback => "sms-fallback",
            Self::WebhookShaper => "webhook-shaper",
            Self::Router => "router",
            Self::SmsRouter => "sms-router",
        }
    }

    /// The world with this name in `wit/`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|world| world.as_str() == name)
    }

    pub(crate) fn exported_interface(self) -> &'static str {
        match self {
            Self::Chatbot => "bot",
            Self::SmsFallback => "fallback",
            Self::WebhookShaper => "shaper",
            Self::Router => "routing",
            Self::SmsRouter => "sms-routing",
        }
    }

    pub(crate) fn exported_function(self) -> &'static str {
        match self {
            Self::Chatbot => "handle",
            Self::SmsFallback => "decide",
            Self::WebhookShaper => "shape",
            Self::Router => "route",
            Self::SmsRouter => "decide-sms",
        }
    }

    /// The interfaces of `patchbay:plugin` that a plugin of this world may import.
    pub(crate) fn granted_interfaces(self) -> &'static [&'static str] {
        match self {
            Self::Chatbot => &["types", "log", "kv", "config", "http"],
            Self::SmsFallback | Self::WebhookShaper | Self::SmsRouter => &["types", "log", "config"],
            Self::Router => &["types", "log", "kv", "config"],
        }
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
