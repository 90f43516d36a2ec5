//! The state of a conversation: the node and the attributes. It is the state that the host stores (`set-state`).

use std::collections::BTreeMap;

use flow_model::Flow;
use patchbay_plugin_sdk::{
    chatbot::{AttributeValue, Error},
    kv::{self, Scope},
};
use serde::{Deserialize, Serialize};

/// Most bytes of a state at the host.
const MOST_BYTES: usize = 16 * 1024;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Id of the node at which the conversation is. Empty = before the first one.
    #[serde(default)]
    pub at: String,
    /// Answers to this node that were not understood.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tries: u32,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
    /// Attributes of the contact that this call sets. `None` = its value is removed.
    #[serde(skip)]
    pub contact: BTreeMap<String, Option<AttributeValue>>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl State {
    /// The stored state. A text of another bot or of a new conversation gives a new state, with the kept attributes.
    pub fn read(text: &str, flow: &Flow<'_>) -> Result<Self, Error> {
        match serde_json::from_str::<Self>(text) {
            Ok(state) if !state.at.is_empty() => Ok(state),
            _ => Self::with_kept_values(flow),
        }
    }

    fn with_kept_values(flow: &Flow<'_>) -> Result<Self, Error> {
        let mut state = Self::default();
        for name in &flow.kept {
            if let Some(value) = kv::get_text(Scope::Participant, &key(name))? {
                state.values.insert(name.clone(), value);
            }
        }
        Ok(state)
    }

    pub fn write(&self) -> Result<String, Error> {
        if self.at.is_empty() {
            return Ok(String::new());
        }
        let text = serde_json::to_string(self).map_err(|fault| fault.to_string())?;
        match text.len() > MOST_BYTES {
            true => {
                Err(Error::new("state-too-large", format!("the attributes have more than {MOST_BYTES} bytes together")))
            }
            false => Ok(text),
        }
    }

    /// Sets an attribute, or removes it.
    pub fn set(&mut self, flow: &Flow<'_>, name: &str, value: Option<String>) -> Result<(), Error> {
        let is_kept = flow.kept.iter().any(|kept| kept == name);
        match value {
            Some(value) => {
                if is_kept {
                    kv::set(Scope::Participant, &key(name), &value)?;
                }
                self.values.insert(name.to_owned(), value);
            }
            None => {
                if is_kept {
                    kv::delete(Scope::Participant, &key(name))?;
                }
                self.values.remove(name);
            }
        }
        Ok(())
    }
}

fn key(name: &str) -> String {
    format!("attribute/{name}")
}
