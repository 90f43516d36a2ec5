//! Limits of the plugin interface and of channels, in characters unless stated otherwise.

pub const MESSAGE_TEXT: usize = 4_096;
/// Text above up to three buttons.
pub const MENU_TEXT: usize = 1_024;
pub const ROW_DESCRIPTION: usize = 72;
/// Note for agents.
pub const NOTE: usize = 1_000;
/// Longest value of an attribute. Longer ones are cut, so that the state of a conversation stays within 16 KiB.
pub const LONGEST_STATE_VALUE: usize = 500;

const BUTTON_TITLE: usize = 20;
const ROW_TITLE: usize = 24;
/// Most options that are shown as buttons. More are a list.
const BUTTONS: usize = 3;

/// Longest title of an option in a menu with this number of options.
pub const fn title_limit(options: usize) -> usize {
    if options > BUTTONS { ROW_TITLE } else { BUTTON_TITLE }
}

/// Label of the button that opens a list.
pub const LIST_LABEL: usize = 20;
pub(crate) const OPTIONS: usize = 10;
pub(crate) const TAG: usize = 64;
pub(crate) const TEAM: usize = 128;
pub(crate) const NAME: usize = 64;
pub(crate) const LANGUAGES: usize = 10;
pub(crate) const ATTRIBUTES: usize = 32;
pub(crate) const KEPT: usize = 16;
pub(crate) const CONTACT_NAME: usize = 40;
pub(crate) const CONTACT_ATTRIBUTES: usize = 50;
pub(crate) const CONTACT_CHOICE: usize = 100;
/// Largest number of an attribute of the contact.
pub(crate) const CONTACT_NUMBER: f64 = 9_007_199_254_740_991.0;
/// Seconds: 30 days, the longest timer.
pub(crate) const LONGEST_WAIT: u32 = 2_592_000;
/// Nodes that a call may enter.
pub const NODES_IN_A_ROW: usize = 200;
/// A call may return 32 actions. Some are for the state, the timers and the node at the end.
pub(crate) const OUTPUTS_IN_A_ROW: usize = 26;
/// HTTP requests of one call.
pub(crate) const REQUESTS_IN_A_ROW: usize = 8;

/// Whether a menu with this number of options is shown as a list.
pub const fn is_list(options: usize) -> bool {
    options > BUTTONS
}
