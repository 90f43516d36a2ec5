//! Finds the id of a business number.

use super::{
    RemoteServer, Scope, ServerAnswer, ServerError,
    listed_number::{ListedNumber, NumberRow},
};

const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
const MOST_NUMBERS: usize = 10_000;

impl RemoteServer {
    /// An id, or the number in any spelling. The error lists the known ones.
    pub async fn number_id(&self, typed: &str) -> Result<String, ServerError> {
        if uuid::Uuid::parse_str(typed).is_ok() {
            return Ok(typed.to_owned());
        }
        let digits: String = typed.chars().filter(char::is_ascii_digit).collect();
        let numbers = self.numbers().await?;
        let found = numbers.iter().find(|known| known.number == digits);
        found.map(|known| known.id.clone()).ok_or_else(|| ServerError::UnknownNumber {
            typed: typed.to_owned(),
            known: numbers.iter().map(|known| known.number.clone()).collect(),
        })
    }

    async fn numbers(&self) -> Result<&[ListedNumber], ServerError> {
        let ask = || async {
            let rows: Vec<ServerAnswer<NumberRow>> = self.items(NUMBERS, MOST_NUMBERS).await?;
            Ok(rows.into_iter().map(|row| row.value.whats_app_number).collect())
        };
        self.numbers.get_or_try_init(ask).await.map(Vec::as_slice)
    }

    /// Fills in the numbers of activations, which the server names by id. Without such an activation it asks nothing. If the
    /// server does not list the numbers, the ids stay, and it returns a warning: the answer about the activations counts.
    pub(super) async fn name_numbers<'s>(&self, scopes: impl IntoIterator<Item = &'s mut Scope>) -> Option<String> {
        let of_numbers: Vec<&mut Scope> =
            scopes.into_iter().filter(|scope| scope.whats_app_number_id.is_some()).collect();
        if of_numbers.is_empty() {
            return None;
        }
        let numbers = match self.numbers().await {
            Ok(numbers) => numbers,
            Err(error) => {
                return Some(format!("numbers are shown by their ids, because they cannot be listed: {error}"));
            }
        };
        for scope in of_numbers {
            let known = numbers.iter().find(|known| Some(&known.id) == scope.whats_app_number_id.as_ref());
            scope.number = known.map(|known| known.number.clone());
        }
        None
    }

    pub async fn optional_number_id(&self, typed: Option<&str>) -> Result<Option<String>, ServerError> {
        match typed {
            Some(typed) => self.number_id(typed).await.map(Some),
            None => Ok(None),
        }
    }
}
