//! The address book in a real database.

use domain::{
    clock::IdSource,
    ids::{ClientId, ContactId, CustomerId},
    page::PageRequest,
    search,
};
use people::{Introduction, change_address};
use storage::{
    PgConnection,
    tenancy::contacts::{self, MaskedContactSearch},
    violates,
};
use uuid::Uuid;

use crate::fixtures::{self, CLIENT, STRANGER, bsuid, moment, phone, resolve};

const THANDI: ContactId = ContactId(Uuid::from_u128(700));

fn ids() -> IdSource {
    IdSource::new([5; 32])
}

async fn customer(db: &mut PgConnection, client: ClientId, digits: &str, seconds: i64) -> CustomerId {
    let address = phone(digits);
    let customers = people::resolve_many(db, client, &ids_of(digits), &[&address], moment(seconds)).await.unwrap();
    *customers.first().unwrap()
}

/// Each number has ids of its own: two sources of one seed would mint the same.
fn ids_of(digits: &str) -> IdSource {
    let mut seed = [7; 32];
    seed.iter_mut().zip(digits.bytes()).for_each(|(byte, digit)| *byte = digit);
    IdSource::new(seed)
}

async fn add(db: &mut PgConnection, id: u128, name: &str, digits: &str) -> ContactId {
    let of = customer(db, CLIENT, digits, 0).await;
    let contact = ContactId(Uuid::from_u128(id));
    let entry = contacts::NewEntry { contact, customer: of, name, phones: &[digits] };
    contacts::insert(db, CLIENT, entry, moment(0)).await.unwrap();
    contact
}

async fn found(db: &mut PgConnection, client: ClientId, name: &str, digits: &str) -> Vec<String> {
    let (page, total) =
        contacts::search(db, client, &search::fold(name), digits, PageRequest::first(10)).await.unwrap();
    assert_eq!(i64::try_from(page.len()).unwrap(), total);
    page.into_iter().map(|contact| contact.full_name).collect()
}

#[tokio::test]
async fn a_customer_has_one_entry() {
    let mut db = fixtures::database().await;
    add(&mut db, 700, "Thandi", "27820000001").await;
    let of = customer(&mut db, CLIENT, "27820000001", 1).await;
    let contact = ContactId(Uuid::from_u128(701));
    let second = contacts::NewEntry { contact, customer: of, name: "T", phones: &["27820000001"] };
    let taken = contacts::insert(&mut db, CLIENT, second, moment(1)).await.unwrap_err();
    assert!(violates(&taken, contacts::CUSTOMER_UNIQUE));
}

#[tokio::test]
async fn entries_are_found_by_part_of_name_or_number_in_any_case_and_script() {
    let mut db = fixtures::database().await;
    add(&mut db, 700, "Thandi Mokoena", "27820000001").await;
    add(&mut db, 701, "Юлия", "27820000002").await;
    add(&mut db, 702, "Straße 27", "27820000333").await;
    for (name, digits, expected) in [
        ("MOKO", "", vec!["Thandi Mokoena"]),
        ("i m", "", vec!["Thandi Mokoena"]),
        ("ЮЛИ", "", vec!["Юлия"]),
        ("STRASSE", "", vec!["Straße 27"]),
        ("mokoéna", "", vec!["Thandi Mokoena"]),
        ("2782000000", "2782000000", vec!["Thandi Mokoena", "Юлия"]),
        ("27", "27", vec!["Straße 27", "Thandi Mokoena", "Юлия"]),
        ("333", "333", vec!["Straße 27"]),
        ("tha moko", "", vec![]),
        ("%", "", vec![]),
    ] {
        assert_eq!(found(&mut db, CLIENT, name, digits).await, expected, "{name}");
    }
    assert!(found(&mut db, STRANGER, "Thandi", "").await.is_empty());
}

#[tokio::test]
async fn a_page_after_the_last_one_still_has_the_total() {
    let mut db = fixtures::database().await;
    add(&mut db, 700, "Thandi", "27820000001").await;
    let (page, total) =
        contacts::search(&mut db, CLIENT, "thandi", "", PageRequest { page: 1, size: 10 }).await.unwrap();
    assert_eq!((page.len(), total), (0, 1));
    let (page, total) = contacts::page(&mut db, CLIENT, PageRequest { page: 1, size: 10 }).await.unwrap();
    assert_eq!((page.len(), total), (0, 1));
}

#[tokio::test]
async fn a_renamed_entry_is_found_by_its_new_name_and_by_its_number_alone() {
    let mut db = fixtures::database().await;
    add(&mut db, 700, "Thandi", "27820000001").await;
    assert!(contacts::rename(&mut db, CLIENT, THANDI, "Nomsa", &["27820000001"]).await.unwrap());
    assert!(!contacts::rename(&mut db, STRANGER, THANDI, "Nomsa", &[]).await.unwrap());
    assert!(found(&mut db, CLIENT, "thandi", "").await.is_empty());
    assert_eq!(found(&mut db, CLIENT, "NOMSA", "").await, ["Nomsa"]);
    assert_eq!(found(&mut db, CLIENT, "0000001", "0000001").await, ["Nomsa"]);
}

#[tokio::test]
async fn merged_customers_keep_the_older_entry_found_by_all_their_numbers() {
    let mut db = fixtures::database().await;
    let source = ids();
    let by_id = Introduction { addresses: vec![bsuid("ZA.1")], ..Introduction::default() };
    let known = resolve(&mut db, CLIENT, &source, by_id, moment(0)).await.unwrap();
    let entry = contacts::NewEntry { contact: THANDI, customer: known, name: "Thandi", phones: &[] };
    contacts::insert(&mut db, CLIENT, entry, moment(0)).await.unwrap();
    add(&mut db, 701, "T. from work", "27820000001").await;

    let both = Introduction { addresses: vec![bsuid("ZA.1"), phone("27820000001")], ..Introduction::default() };
    let one = resolve(&mut db, CLIENT, &source, both, moment(5)).await.unwrap();

    let (page, total) = contacts::page(&mut db, CLIENT, PageRequest::first(10)).await.unwrap();
    assert_eq!(total, 1);
    assert_eq!(
        (page[0].customer, page[0].phone.as_deref(), page[0].bsuid.as_deref()),
        (one, Some("27820000001"), Some("ZA.1"))
    );
    assert_eq!(found(&mut db, CLIENT, "0000001", "0000001").await.len(), 1);
    assert_eq!(contacts::names(&mut db, CLIENT, &[one]).await.unwrap(), [(one, page[0].full_name.clone())]);
}

#[tokio::test]
async fn an_entry_follows_its_customer_to_another_number() {
    let mut db = fixtures::database().await;
    add(&mut db, 700, "Thandi", "27820000001").await;
    let moved = Introduction { addresses: vec![phone("27830000009")], ..Introduction::default() };
    let old = phone("27820000001");
    change_address(&mut db, CLIENT, &ids(), &old, moved, moment(9)).await.unwrap().who.unwrap();
    let contact = contacts::get(&mut db, CLIENT, THANDI).await.unwrap().unwrap();
    assert_eq!(contact.phone.as_deref(), Some("27830000009"));
    assert_eq!(found(&mut db, CLIENT, "0000009", "0000009").await, ["Thandi"]);
    assert!(found(&mut db, CLIENT, "27820000001", "27820000001").await.is_empty());
}

#[tokio::test]
async fn another_clients_entry_is_neither_seen_nor_removed() {
    let mut db = fixtures::database().await;
    add(&mut db, 700, "Thandi", "27820000001").await;
    assert_eq!(contacts::get(&mut db, STRANGER, THANDI).await.unwrap(), None);
    assert!(!contacts::delete(&mut db, STRANGER, THANDI).await.unwrap());
    assert!(contacts::delete(&mut db, CLIENT, THANDI).await.unwrap());
    assert_eq!(contacts::page(&mut db, CLIENT, PageRequest::first(10)).await.unwrap().1, 0);
}

#[tokio::test]
async fn masked_entries_are_found_and_ordered_by_the_parts_that_are_shown() {
    let mut db = fixtures::database().await;
    for (id, name, digits) in [
        (700, "Thabo", "27820000001"),
        (701, "Álvaro", "27820000012"),
        (702, "Adaeze", "27820001234"),
        (703, "tandi", "27820000999"),
        (704, "5551234567", "27820000777"),
    ] {
        add(&mut db, id, name, digits).await;
    }
    for (initial, ending, expected) in [
        // Within a letter the names do not tell the order, and of digits nothing is shown that it could tell.
        (None, None, vec!["5551234567", "Álvaro", "Adaeze", "Thabo", "tandi"]),
        (Some("a"), None, vec!["Álvaro", "Adaeze"]),
        (Some("t"), None, vec!["Thabo", "tandi"]),
        (Some("h"), None, vec![]),
        (None, Some("001"), vec!["Thabo"]),
        (None, Some("12"), vec!["Álvaro"]),
        (None, Some("9"), vec!["tandi"]),
        (None, Some("820"), vec![]),
    ] {
        let sought = MaskedContactSearch { initial, ending };
        let (page, total) = contacts::page_masked(&mut db, CLIENT, sought, PageRequest::first(10)).await.unwrap();
        let names: Vec<&str> = page.iter().map(|contact| contact.full_name.as_str()).collect();
        assert_eq!((names, total), (expected.clone(), i64::try_from(expected.len()).unwrap()), "{sought:?}");
    }
    let strangers =
        contacts::page_masked(&mut db, STRANGER, MaskedContactSearch::default(), PageRequest::first(10)).await.unwrap();
    assert_eq!(strangers.1, 0);
}
