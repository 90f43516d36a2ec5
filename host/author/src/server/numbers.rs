//! Finds the id of a business number.

use super::{
    RemoteServer, Scope, ServerAnswer, ServerError,
    listed_number::{ListedNumber, NumberRow},
};

const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
const MOST_NUMBERS: usize = 10_000;
/// The word before an id in texts of the server.
const BEFORE_ID: &str = "number ";

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

    /// Fills in the numbers of activations, which the server names by id. If the server does not list the numbers, the ids stay,
    /// and it returns a warning: the answer about the activations counts.
    pub(super) async fn name_numbers<'s>(&self, scopes: impl IntoIterator<Item = &'s mut Scope>) -> Option<String> {
        self.name_places(scopes.into_iter().map(|scope| (scope.whats_app_number_id.as_deref(), &mut scope.number)))
            .await
    }

    /// Fills in the numbers of these ids, or returns a warning. Without an id it asks the server nothing.
    pub(super) async fn name_places<'s>(
        &self,
        places: impl IntoIterator<Item = (Option<&'s str>, &'s mut Option<String>)>,
    ) -> Option<String> {
        let of_numbers: Vec<(&str, &mut Option<String>)> =
            places.into_iter().filter_map(|(id, number)| Some((id?, number))).collect();
        if of_numbers.is_empty() {
            return None;
        }
        let numbers = match self.numbers().await {
            Ok(numbers) => numbers,
            Err(error) => {
                return Some(format!("numbers are shown by their ids, because they cannot be listed: {error}"));
            }
        };
        for (id, number) in of_numbers {
            *number = numbers.iter().find(|known| known.id == id).map(|known| known.number.clone());
        }
        None
    }

    /// Puts numbers in place of their ids. If the server does not list the numbers, the ids stay.
    pub(super) async fn name_in_texts<'s>(&self, texts: impl IntoIterator<Item = &'s mut String>) {
        let texts: Vec<&mut String> = texts.into_iter().filter(|text| text.contains(BEFORE_ID)).collect();
        if texts.is_empty() {
            return;
        }
        let Ok(numbers) = self.numbers().await else { return };
        for text in texts {
            for known in numbers.iter().filter(|known| !known.id.is_empty()) {
                if text.contains(&known.id) {
                    *text = text.replace(&known.id, &known.number);
                }
            }
        }
    }

    pub async fn optional_number_id(&self, typed: Option<&str>) -> Result<Option<String>, ServerError> {
        match typed {
            Some(typed) => self.number_id(typed).await.map(Some),
            None => Ok(None),
        }
    }
}
