//! Lists of chats, and one chat.

use base::Error;
use domain::{
    chat::ChatScope,
    ids::ParticipantId,
    page::{Page, PageRequest},
    phone,
    search::fold,
};
use storage::{
    PgPool,
    chat::{
        lists::{self, Search},
        participants,
    },
};

use super::{Acting, DeskError, view, view::ChatView};

/// A page of a list of the caller. `search`: part of a number or a name, or exactly the customer's id; blank = everything.
pub async fn list(
    db: &PgPool,
    acting: Acting,
    scope: ChatScope,
    search: &str,
    page: PageRequest,
) -> Result<Page<ChatView>, Error> {
    let mut db = db.acquire().await?;
    let search = sought(search);
    let search = match search {
        None => Search::Everything,
        Some(Sought { exact, words }) => match lists::customer_by_user_id(&mut db, acting.client, &exact).await? {
            Some(customer) => Search::Customer(customer),
            None => Search::Words(words),
        },
    };
    let found = lists::page(&mut db, acting.client, (scope, acting.user), &search, page).await?;
    let items = view::of(&mut db, acting.client, found.items).await?;
    Ok(Page { items, total: found.total })
}

/// A chat.
pub async fn one(db: &PgPool, acting: Acting, id: ParticipantId) -> Result<ChatView, DeskError> {
    let mut db = db.acquire().await?;
    let chat = participants::find(&mut db, acting.client, id).await?.ok_or(DeskError::NotFound)?;
    view::of_one(&mut db, acting.client, chat).await?.ok_or(DeskError::NotFound)
}

/// What is looked for, in the two ways in which it may be meant.
#[derive(Debug, PartialEq, Eq)]
struct Sought {
    /// As the id of a customer.
    exact: String,
    /// As part of a name or number: folded, and a number in digits as numbers are stored.
    words: String,
}

fn sought(search: &str) -> Option<Sought> {
    let exact = search.trim();
    if exact.is_empty() {
        return None;
    }
    let digits = phone::as_searched(exact);
    let is_number = !digits.is_empty() && digits.chars().all(|one| one.is_ascii_digit());
    let words = if is_number { digits } else { fold(exact) };
    Some(Sought { exact: exact.to_owned(), words })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(search: &str) -> String {
        sought(search).unwrap().words
    }

    #[test]
    fn a_number_is_found_however_it_is_written() {
        for written in ["+27 82 000-0001", "(27) 82.000.0001", "27\u{a0}82\u{a0}000\u{a0}0001", "27820000001"] {
            assert_eq!(words(written), "27820000001", "{written}");
        }
        assert_eq!(words("82000"), "82000");
    }

    #[test]
    fn a_name_is_looked_for_folded_and_an_id_as_it_is() {
        assert_eq!(words(" ЖАННА "), "жанна");
        assert_eq!(words("STRASSE"), words("Straße"));
        assert_eq!(words("50-Cent"), "50-cent", "not a number");
        assert_eq!(sought(" ZA.Abc ").unwrap().exact, "ZA.Abc");
        assert_eq!((sought(""), sought("  ")), (None, None));
        assert_eq!(words("+"), "+");
    }
}
