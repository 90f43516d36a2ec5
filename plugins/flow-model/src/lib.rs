//! A flow is the configuration of the built-in plugin `flow`: nodes and the ways between them. This crate has its types and its
//! checks. The plugin parses a flow in each call. The host and the author's tools check it.

mod check;
mod contact;
mod finding;
mod flow;
mod limits;
mod node;
mod template;
mod text;

pub use check::check;
pub use contact::{FlowAttributeType, contact_boolean, contact_choice, contact_number};
pub use finding::Finding;
pub use flow::{Flow, FlowCommand, FlowEvent, IdleRule, Nodes};
pub use limits::{
    LIST_LABEL, LONGEST_STATE_VALUE, MENU_TEXT, MESSAGE_TEXT, NODES_IN_A_ROW, NOTE, ROW_DESCRIPTION, is_list,
    title_limit,
};
pub use node::{AcceptedAnswer, AnswerKind, ConditionCase, FlowNode, MenuOption, NodeKind, NodeMedia};
pub use template::{CONTACT, FACTS, Piece, Pieces, SECRET, pieces};
pub use text::FlowText;
