//! Attributes of contacts in a real database.

use domain::{
    clock::IdSource,
    contact_attribute::{AttributeChange, AttributeDefinition, AttributeName, AttributeType, AttributeValue},
    ids::{ClientId, ContactId, CustomerId},
};
use people::Introduction;
use storage::{
    PgConnection,
    tenancy::{contact_attributes, contacts},
};
use uuid::Uuid;

use crate::fixtures::{self, CLIENT, STRANGER, bsuid, moment, phone, resolve};

fn name(name: &str) -> AttributeName {
    AttributeName::parse(name).unwrap()
}

async fn define(db: &mut PgConnection, client: ClientId, attribute: &str, kind: AttributeType) {
    let definition = AttributeDefinition { name: name(attribute), label: attribute.to_uppercase(), kind };
    contact_attributes::save(db, client, &definition).await.unwrap();
}

async fn customer(db: &mut PgConnection, digits: &str) -> CustomerId {
    let mut seed = [7; 32];
    seed.iter_mut().zip(digits.bytes()).for_each(|(byte, digit)| *byte = digit);
    let ids = IdSource::new(seed);
    let customers = people::resolve_many(db, CLIENT, &ids, &[&phone(digits)], moment(0)).await.unwrap();
    *customers.first().unwrap()
}

async fn set(db: &mut PgConnection, customer: CustomerId, attribute: &str, text: Option<&str>, seconds: i64) -> bool {
    let value = text.map(|text| AttributeValue::text(text.to_owned()).unwrap());
    let change = AttributeChange { name: name(attribute), value };
    contact_attributes::change(db, CLIENT, customer, &[change], moment(seconds)).await.unwrap()
}

async fn shown(db: &mut PgConnection, customer: CustomerId) -> Vec<String> {
    let values = contact_attributes::of_customer(db, CLIENT, customer).await.unwrap();
    values.into_iter().map(|(name, value)| format!("{}={}", name.as_str(), value.stored())).collect()
}

#[tokio::test]
async fn a_definition_is_stored_replaced_and_deleted_with_its_values() {
    let mut db = fixtures::database().await;
    define(&mut db, CLIENT, "plan", AttributeType::Choice(vec!["silver".to_owned()])).await;
    let choices = AttributeType::Choice(vec!["gold".to_owned(), "silver".to_owned()]);
    define(&mut db, CLIENT, "plan", choices.clone()).await;
    define(&mut db, CLIENT, "city", AttributeType::Text).await;
    define(&mut db, STRANGER, "plan", AttributeType::Text).await;
    let known = contact_attributes::definitions(&mut db, CLIENT).await.unwrap();
    let names: Vec<&str> = known.iter().map(|one| one.name.as_str()).collect();
    assert_eq!((names, &known[1].kind), (vec!["city", "plan"], &choices));

    let thandi = customer(&mut db, "27820000001").await;
    assert!(set(&mut db, thandi, "city", Some("Durban"), 1).await);
    assert_eq!(contact_attributes::delete_values(&mut db, CLIENT, &name("city"), 10).await.unwrap(), 1);
    assert!(set(&mut db, thandi, "city", Some("Durban"), 1).await);
    assert!(contact_attributes::delete(&mut db, CLIENT, &name("city")).await.unwrap());
    assert!(!contact_attributes::delete(&mut db, CLIENT, &name("city")).await.unwrap());
    assert!(shown(&mut db, thandi).await.is_empty());
    assert_eq!(contact_attributes::definitions(&mut db, STRANGER).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_value_of_a_missing_attribute_or_of_another_type_is_not_stored() {
    let mut db = fixtures::database().await;
    define(&mut db, CLIENT, "visits", AttributeType::Number).await;
    let thandi = customer(&mut db, "27820000001").await;
    assert!(!set(&mut db, thandi, "visits", Some("seven"), 1).await);
    assert!(!set(&mut db, thandi, "city", Some("Durban"), 1).await);
    assert!(shown(&mut db, thandi).await.is_empty());
}

#[tokio::test]
async fn each_type_comes_back_as_it_was_stored() {
    let mut db = fixtures::database().await;
    let thandi = customer(&mut db, "27820000001").await;
    let values = [
        ("a", AttributeType::Text, AttributeValue::text("two\nlines".to_owned()).unwrap()),
        ("b", AttributeType::Number, AttributeValue::number(-0.1).unwrap()),
        ("c", AttributeType::Boolean, AttributeValue::Boolean(true)),
        ("d", AttributeType::Date, AttributeValue::date("1990-05-31").unwrap()),
        ("e", AttributeType::Choice(vec!["x".to_owned()]), AttributeValue::choice("x".to_owned()).unwrap()),
    ];
    let mut changes = Vec::new();
    for (attribute, kind, value) in values.clone() {
        define(&mut db, CLIENT, attribute, kind).await;
        changes.push(AttributeChange { name: name(attribute), value: Some(value) });
    }
    assert!(contact_attributes::change(&mut db, CLIENT, thandi, &changes, moment(1)).await.unwrap());
    let stored = contact_attributes::of_customer(&mut db, CLIENT, thandi).await.unwrap();
    let expected: Vec<_> = values.into_iter().map(|(attribute, _, value)| (name(attribute), value)).collect();
    assert_eq!(stored, expected);
    assert!(contact_attributes::of_customer(&mut db, STRANGER, thandi).await.unwrap().is_empty());
}

#[tokio::test]
async fn values_of_one_person_become_one_and_the_newer_one_of_a_name_stays() {
    let mut db = fixtures::database().await;
    for attribute in ["city", "plan", "team"] {
        define(&mut db, CLIENT, attribute, AttributeType::Text).await;
    }
    let source = IdSource::new([5; 32]);
    let by_id = Introduction { addresses: vec![bsuid("ZA.1")], ..Introduction::default() };
    let first = resolve(&mut db, CLIENT, &source, by_id, moment(0)).await.unwrap();
    let second = customer(&mut db, "27820000001").await;
    for (of, attribute, text, at) in [
        (first, "city", "Durban", 5),
        (second, "city", "Pretoria", 1),
        (first, "plan", "silver", 1),
        (second, "plan", "gold", 5),
        (second, "team", "red", 1),
    ] {
        assert!(set(&mut db, of, attribute, Some(text), at).await);
    }
    let both = Introduction { addresses: vec![bsuid("ZA.1"), phone("27820000001")], ..Introduction::default() };
    let one = resolve(&mut db, CLIENT, &source, both, moment(9)).await.unwrap();
    assert_eq!(shown(&mut db, one).await, ["city=Durban", "plan=gold", "team=red"]);
    let absorbed = if one == first { second } else { first };
    assert!(set(&mut db, absorbed, "team", Some("blue"), 10).await, "a late writer finds the remaining customer");
    assert_eq!(shown(&mut db, one).await, ["city=Durban", "plan=gold", "team=blue"]);
}

#[tokio::test]
async fn a_removal_takes_the_value_of_each_customer_of_a_contact() {
    let mut db = fixtures::database().await;
    define(&mut db, CLIENT, "city", AttributeType::Text).await;
    let (kept, merged) = (customer(&mut db, "27820000001").await, customer(&mut db, "27820000002").await);
    for (id, of) in [(700, kept), (701, merged)] {
        let entry =
            contacts::NewEntry { contact: ContactId(Uuid::from_u128(id)), customer: of, name: "Thandi", phones: &[] };
        contacts::insert(&mut db, CLIENT, entry, moment(0)).await.unwrap();
    }
    sqlx::query(
        "INSERT INTO contact_merge (client_id, contact_id, kept_id, id, customer_id, tags_added, merged_by, created_at)
         VALUES ($1, $2, $3, $2, $4, '{}', $1, now())",
    )
    .bind(CLIENT.0)
    .bind(Uuid::from_u128(701))
    .bind(Uuid::from_u128(700))
    .bind(merged.0)
    .execute(&mut db)
    .await
    .unwrap();
    assert!(set(&mut db, kept, "city", Some("Durban"), 1).await);
    assert!(set(&mut db, merged, "city", Some("Pretoria"), 2).await);
    for customer in [kept, merged] {
        assert_eq!(shown(&mut db, customer).await, ["city=Pretoria"]);
    }
    assert!(set(&mut db, kept, "city", None, 3).await);
    for customer in [kept, merged] {
        assert!(shown(&mut db, customer).await.is_empty());
    }
}
