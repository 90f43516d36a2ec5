use base::Error;
use domain::{
    chat::ChatScope,
    ids::ParticipantId,
    page::{Page, PageRequest},
    privacy::{CustomerVisibility, MaskedSearch},
    search::SearchText,
};
use storage::{
    Db, PgConnection,
    chat::{
        list_counts,
        lists::{self, ChatList, ListSearch},
        participants,
    },
};

use super::{ActingUser, DeskError, view, view::ChatView};

/// A page of a list of the caller. `search`: part of a number or name, or the exact id of the customer. Blank finds
/// all. A role that sees masked customers can search only the visible parts.
pub async fn list(
    db: &Db,
    acting: ActingUser,
    scope: ChatScope,
    search: &str,
    page: PageRequest,
) -> Result<Page<ChatView>, Error> {
    let mut db = db.acquire().await?;
    let search = resolve(&mut db, acting, search).await?;
    let found = lists::page(&mut db, acting.client, ChatList { scope, caller: acting.user }, &search, page).await?;
    let items = view::of(&mut db, acting.client, found.items).await?;
    Ok(Page { items, total: found.total })
}

/// The chats that a search finds, at most `most`, those with the latest messages first. `None` if the text is blank.
pub(super) async fn chats_of_customers(
    db: &mut PgConnection,
    acting: ActingUser,
    text: &str,
    most: u32,
) -> Result<Option<Vec<ParticipantId>>, Error> {
    let search = resolve(db, acting, text).await?;
    if search == ListSearch::Everything {
        return Ok(None);
    }
    Ok(Some(lists::find_ids(db, acting.client, &search, most).await?))
}

async fn resolve(db: &mut PgConnection, acting: ActingUser, text: &str) -> Result<ListSearch, Error> {
    Ok(match sought(acting.sight, text) {
        ListSearch::Everything => ListSearch::Everything,
        otherwise => match lists::customer_by_user_id(db, acting.client, text.trim()).await? {
            Some(customer) => ListSearch::Customer(customer),
            None => otherwise,
        },
    })
}

pub async fn one(db: &Db, acting: ActingUser, id: ParticipantId) -> Result<ChatView, DeskError> {
    let mut db = db.acquire().await?;
    let chat = participants::find(&mut db, acting.client, id).await?.ok_or(DeskError::NotFound)?;
    view::of_one(&mut db, acting.client, chat).await?.ok_or(DeskError::NotFound)
}

/// The sizes of all lists of the caller, each counted up to a bound.
pub async fn counts(db: &Db, acting: ActingUser) -> Result<[(ChatScope, u64); 9], Error> {
    let mut db = db.acquire().await?;
    Ok(list_counts::counts(&mut db, acting.client, acting.user).await?)
}

fn sought(sight: CustomerVisibility, text: &str) -> ListSearch {
    match sight {
        CustomerVisibility::Whole => match SearchText::parse(text) {
            None => ListSearch::Everything,
            Some(sought) => ListSearch::Words(sought.digits.unwrap_or(sought.words)),
        },
        CustomerVisibility::Masked => match MaskedSearch::parse(text) {
            None => ListSearch::Everything,
            Some(MaskedSearch::Initial(letter)) => ListSearch::Initial(letter),
            Some(MaskedSearch::Ending(digits)) => ListSearch::Ending(digits),
            Some(MaskedSearch::Nothing) => ListSearch::Nothing,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(search: &str) -> String {
        match sought(CustomerVisibility::Whole, search) {
            ListSearch::Words(words) => words,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_number_is_found_however_it_is_written() {
        for written in ["+27 82 000-0001", "(27) 82.000.0001", "27\u{a0}82\u{a0}000\u{a0}0001", "0027820000001"] {
            assert_eq!(words(written), "27820000001", "{written}");
        }
        for written in ["(082) 000 0001", "082-000-0001"] {
            assert_eq!(words(written), "820000001", "{written}");
        }
        assert_eq!(words("82000"), "82000");
    }

    #[test]
    fn a_name_is_looked_for_folded() {
        assert_eq!(words(" ЖАННА "), "жанна");
        assert_eq!(words("STRASSE"), words("Straße"));
        assert_eq!(words("ÁLVARO"), "alvaro");
        assert_eq!(words("50-Cent"), "50-cent", "not a number");
        assert_eq!(words("+"), "+");
        for nothing in ["", "  ", "\u{200B}"] {
            assert_eq!(sought(CustomerVisibility::Whole, nothing), ListSearch::Everything);
            assert_eq!(sought(CustomerVisibility::Masked, nothing), ListSearch::Everything);
        }
    }

    #[test]
    fn a_masked_search_looks_for_the_parts_that_are_shown() {
        assert_eq!(sought(CustomerVisibility::Masked, "Á"), ListSearch::Initial("a".to_owned()));
        assert_eq!(sought(CustomerVisibility::Masked, "001"), ListSearch::Ending("001".to_owned()));
        for hidden in ["0001", "2782", "al", "+27820000001"] {
            assert_eq!(sought(CustomerVisibility::Masked, hidden), ListSearch::Nothing, "{hidden}");
        }
    }
}
