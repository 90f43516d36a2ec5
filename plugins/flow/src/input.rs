//! The customer's choice in a menu.

use flow_model::{FlowNode, MenuOption};
use patchbay_plugin_sdk::chatbot::Content;

/// The id of an option of a menu in a message.
pub fn payload(node: &str, option: &MenuOption) -> String {
    format!("{node}/{}", option.id)
}

/// The option of this menu that was tapped.
pub fn tapped<'n>(id: &str, node: &'n FlowNode, content: &Content) -> Option<&'n MenuOption> {
    let Content::Choice(choice) = content else { return None };
    node.options().iter().find(|option| payload(id, option) == choice.payload)
}

/// The option that a text names: by its title, its id, one of its words, or its number.
pub fn named<'n>(node: &'n FlowNode, text: &str) -> Option<&'n MenuOption> {
    let text = text.trim().to_lowercase();
    let is_named = |option: &&MenuOption| {
        option.title.all().into_iter().any(|title| title.to_lowercase() == text)
            || option.id.to_lowercase() == text
            || option.words.contains(&text)
    };
    let options = node.options();
    let by_number = || options.get(text.parse::<usize>().ok()?.checked_sub(1)?);
    options.iter().find(is_named).or_else(by_number)
}
