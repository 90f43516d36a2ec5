//! Finds the id of a business number.

use serde::Deserialize;

use super::{RemoteServer, ServerAnswer, ServerError};

const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
const MOST_NUMBERS: usize = 10_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NumberRow {
    whats_app_number: BusinessNumber,
}

#[derive(Deserialize)]
struct BusinessNumber {
    id: String,
    number: String,
}

impl RemoteServer {
    /// An id, or the number in any spelling. The error lists the known ones.
    pub async fn number_id(&self, typed: &str) -> Result<String, ServerError> {
        if uuid::Uuid::parse_str(typed).is_ok() {
            return Ok(typed.to_owned());
        }
        let digits: String = typed.chars().filter(char::is_ascii_digit).collect();
        let numbers: Vec<ServerAnswer<NumberRow>> = self.items(NUMBERS, MOST_NUMBERS).await?;
        let numbers: Vec<BusinessNumber> = numbers.into_iter().map(|row| row.value.whats_app_number).collect();
        let found = numbers.iter().find(|known| known.number == digits);
        found.map(|known| known.id.clone()).ok_or_else(|| ServerError::UnknownNumber {
            typed: typed.to_owned(),
            known: numbers.iter().map(|known| known.number.clone()).collect(),
        })
    }

    pub async fn optional_number_id(&self, typed: Option<&str>) -> Result<Option<String>, ServerError> {
        match typed {
            Some(typed) => self.number_id(typed).await.map(Some),
            None => Ok(None),
        }
    }
}
