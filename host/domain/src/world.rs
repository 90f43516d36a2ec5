//! The worlds: the kinds of plugins, one row each (ADR 0054).

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorldRow {
    pub name: &'static str,
    /// The interface that its plugins export.
    pub interface: &'static str,
    pub function: &'static str,
    /// The interfaces of `patchbay:plugin` that its plugins may import.
    pub grants: &'static [&'static str],
    /// The places that its calls take.
    pub budget: CallBudget,
    /// The built-in plugin whose types are those of the world.
    pub built_in: &'static str,
    /// Whether a built-in plugin answers where a client has activated none.
    pub answers_by_default: bool,
    pub answer: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallBudget {
    /// Those of chatbots, routers and other decisions.
    Turn,
    /// Those of webhook bodies.
    Body,
}

macro_rules! worlds {
    ($($(#[$doc:meta])* $world:ident = $name:literal { $($field:ident: $value:expr),+ $(,)? })+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum World {
            $($(#[$doc])* #[serde(rename = $name)] $world,)+
        }

        impl World {
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$world),+];

            pub fn row(self) -> &'static WorldRow {
                match self {
                    $(Self::$world => {
                        const { &WorldRow { name: $name, $($field: $value),+ } }
                    })+
                }
            }
        }
    };
}

worlds! {
    /// Answers the events of a conversation.
    Chatbot = "chatbot" {
        interface: "bot",
        function: "handle",
        grants: &["types", "log", "kv", "config", "http", "conversation", "files"],
        budget: CallBudget::Turn,
        built_in: "default-chatbot",
        answers_by_default: false,
        answer: "actions",
    }

    /// Decides which failed messages are sent as SMS.
    SmsFallback = "sms-fallback" {
        interface: "fallback",
        function: "decide",
        grants: &["types", "log", "kv", "config"],
        budget: CallBudget::Turn,
        built_in: "sms-fallback",
        answers_by_default: true,
        answer: "decision",
    }

    /// Makes the bodies of webhooks.
    WebhookShaper = "webhook-shaper" {
        interface: "shaper",
        function: "shape",
        grants: &["types", "log", "config"],
        budget: CallBudget::Body,
        built_in: "webhook-standard",
        answers_by_default: true,
        answer: "payload",
    }

    /// Decides which team, agent or chatbot gets a chat.
    Router = "router" {
        interface: "routing",
        function: "route",
        grants: &["types", "log", "kv", "config"],
        budget: CallBudget::Turn,
        built_in: "router",
        answers_by_default: false,
        answer: "route",
    }

    /// Decides how SMS are sent.
    SmsRouter = "sms-router" {
        interface: "sms-routing",
        function: "decide-sms",
        grants: &["types", "log", "config"],
        budget: CallBudget::Turn,
        built_in: "sms-router",
        answers_by_default: false,
        answer: "decisions",
    }
}

impl World {
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|world| world.as_str() == name)
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_of_a_world_is_its_name_and_no_two_worlds_share_an_interface() {
        for world in World::ALL {
            assert_eq!(serde_json::to_value(world).unwrap(), world.as_str());
            assert_eq!(World::from_name(world.as_str()), Some(world));
            let same = World::ALL.into_iter().filter(|other| other.row().interface == world.row().interface);
            assert_eq!(same.count(), 1, "{world}");
        }
    }
}
