//! A chatbot whose configuration is a flow: nodes and the ways between them (`flow_model`). Each call parses the flow and the nodes
//! that it enters.

mod answer;
mod condition;
mod contact;
mod conversation;
mod day;
mod input;
mod message;
mod request;
mod state;
mod template;

use conversation::Conversation;
use flow_model::Flow;
use patchbay_plugin_sdk::{chatbot::*, config};

/// Timer of a wait node.
const WAIT: &str = "wait";
/// Timer for the silence of the customer.
const IDLE: &str = "idle";

struct FlowBot;

impl Chatbot for FlowBot {
    fn handle(event: Event, session: Session) -> Result<Vec<Action>, Error> {
        let config = config::text();
        let flow = Flow::read(&config).map_err(|fault| bad_config(format!("the flow cannot be read: {fault}")))?;
        let mut conversation = Conversation::open(&flow, &session)?;
        match &event.kind {
            EventKind::Message(message) => conversation.receive(message)?,
            EventKind::Timer(name) if name == WAIT => conversation.end_wait()?,
            EventKind::Timer(name) if name == IDLE => conversation.end_silence()?,
            EventKind::ConversationStarted if session.channel == Channel::Web => conversation.go(&flow.start)?,
            EventKind::AgentReleased => conversation.resume()?,
            EventKind::Custom(custom) => conversation.react(custom)?,
            EventKind::Timer(_)
            | EventKind::ConversationStarted
            | EventKind::Rating(_)
            // A flow waits for its requests (`http.send`).
            | EventKind::HttpFinished(_) => {}
        }
        conversation.finish()
    }
}

patchbay_plugin_sdk::export_chatbot!(FlowBot);
patchbay_plugin_sdk::export_config_schema!(include_str!("../config.schema.json"));

/// An error for the author of the flow.
fn bad_config(message: String) -> Error {
    Error::new("bad-config", message)
}
