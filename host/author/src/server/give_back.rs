//! Gives the chat of a customer back to its chatbot.

use serde::Deserialize;
use serde_json::json;

use super::{RemoteServer, ServerError, TIMEOUT};

const RELEASE: &str = "/plugin-service/api/v1/chats/release";

/// A chat that is the chatbot's.
#[derive(Debug, Deserialize)]
pub struct ReturnedChat {
    /// The next message of the customer begins with the chatbot.
    pub closed: bool,
}

impl RemoteServer {
    /// `number`: of the business, in any spelling, or its id. `customer`: a phone number or a user id.
    pub async fn give_back(&self, number: &str, customer: &str) -> Result<ReturnedChat, ServerError> {
        let id = self.number_id(number).await?;
        let wanted = json!({ "whatsAppNumberId": id, "customer": customer });
        match self.json("POST", RELEASE.to_owned(), Some(&wanted), TIMEOUT).await {
            Err(ServerError::NotThere { .. }) => Err(ServerError::Refused(format!(
                "{customer} has no chat on {number}: check the number, or write a message from that phone first"
            ))),
            answer => answer,
        }
    }
}
