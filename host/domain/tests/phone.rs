//! Addresses: phone numbers, BSUIDs and recipients, from both sides of every rule of SPEC 2.2.

#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

use std::collections::HashSet;

use domain::{
    address::{Address, AddressKind},
    ids::InboxId,
    phone::{Bsuid, BsuidError, Msisdn, PhoneError},
    recipient::{Recipient, RecipientFault, order_key},
};
use serde_json::json;
use uuid::Uuid;

fn number(text: &str) -> Msisdn {
    Msisdn::parse(text).unwrap()
}

#[test]
fn a_phone_number_is_kept_as_digits() {
    assert_eq!(number("+27820000001").as_str(), "27820000001");
    assert_eq!(number("27820000001"), number("+27820000001"));
}

#[test]
fn a_phone_number_has_7_to_15_digits_and_no_leading_zero() {
    for good in ["1234567", "+1234567", "123456789012345", "+123456789012345"] {
        assert!(Msisdn::parse(good).is_ok(), "{good}");
    }
    let bad = [
        "",
        "+",
        "123456",
        "+123456",
        "1234567890123456",
        "0820000001",
        "+0820000001",
        "++27820000001",
        " 27820000001",
        "27820000001 ",
        "27820000001\n",
        "27 820000001",
        "27-820000001",
        "2782000000a",
        "٢٧٨٢٠٠٠٠٠٠١",
        "+٢٧٨٢٠٠٠٠٠٠١",
    ];
    for bad in bad {
        assert_eq!(Msisdn::parse(bad), Err(PhoneError), "{bad:?}");
    }
}

#[test]
fn a_bsuid_has_a_country_and_up_to_128_letters_or_digits() {
    let longest = format!("ZA.{}", "a".repeat(128));
    for good in
        ["ZA.13491208655302741918", "ZA.ENT.118157", "27.13491208655302741918", "1.5", "ZA.ENT", "US.aB9", &longest]
    {
        assert!(Bsuid::parse(good).is_ok(), "{good}");
    }
    let too_long = format!("ZA.{}", "a".repeat(129));
    let bad = [
        "",
        "ZA",
        "ZA.",
        ".123",
        "za.123",
        "ZAF.123",
        "Z.123",
        "1234.5",
        "ZA.12-3",
        "ZA.ENT.",
        "ZA.ENT.1.2",
        "ZA.X.1",
        "ZA 1",
        " ZA.1",
        "ZA.1 ",
        "ZA.é",
        &too_long,
    ];
    for bad in bad {
        assert_eq!(Bsuid::parse(bad), Err(BsuidError), "{bad:?}");
    }
    assert!(Bsuid::parse("ZA.ENT.118157").unwrap().is_parent());
    assert!(!Bsuid::parse("ZA.118157").unwrap().is_parent());
}

#[test]
fn the_phone_number_wins_and_the_bsuid_is_kept() {
    let both = Recipient::parse(Some("+27820000001"), Some("ZA.1")).unwrap();
    assert_eq!((both.address().kind(), both.address().value()), (AddressKind::Phone, "27820000001"));
    assert_eq!((both.phone(), both.bsuid()), (Some("27820000001"), Some("ZA.1")));
    assert_eq!(both.other().map(Address::value), Some("ZA.1"));
}

#[test]
fn a_malformed_bsuid_is_ignored() {
    let phone_only = Recipient::parse(Some("27820000001"), Some("nonsense")).unwrap();
    assert_eq!(phone_only.bsuid(), None);
    assert_eq!(Recipient::parse(None, Some("nonsense")), Err(RecipientFault::BadBsuid(BsuidError)));
    assert_eq!(Recipient::parse(Some(""), Some("nonsense")), Err(RecipientFault::BadBsuid(BsuidError)));
}

#[test]
fn a_malformed_phone_number_is_not_rescued_by_a_bsuid() {
    assert_eq!(Recipient::parse(Some("0820000001"), Some("ZA.1")), Err(RecipientFault::BadPhone(PhoneError)));
}

#[test]
fn a_bsuid_alone_is_enough_and_nothing_is_not() {
    let user = Recipient::parse(None, Some("ZA.1")).unwrap();
    assert_eq!((user.phone(), user.address().value()), (None, "ZA.1"));
    assert_eq!(Recipient::parse(None, None), Err(RecipientFault::NoAddress));
    assert_eq!(Recipient::parse(Some(""), Some("")), Err(RecipientFault::NoAddress));
    assert_eq!(user.other(), None);
}

#[test]
fn addresses_are_checked_when_they_are_read_back() {
    let both = Recipient::parse(Some("27820000001"), Some("ZA.1")).unwrap();
    let stored = serde_json::to_value(&both).unwrap();
    assert_eq!(
        stored,
        json!({
            "address": {"kind": "PHONE", "value": "27820000001"}, "other": {"kind": "BSUID", "value": "ZA.1"},
        })
    );
    assert_eq!(serde_json::from_value::<Recipient>(stored).unwrap(), both);
    assert!(serde_json::from_value::<Recipient>(json!({})).is_err());
    let broken = json!({"address": {"kind": "PHONE", "value": "0123456789"}});
    assert!(serde_json::from_value::<Recipient>(broken).is_err());
    assert!(serde_json::from_value::<Msisdn>(json!("0123456789")).is_err());
    assert!(serde_json::from_value::<Bsuid>(json!("x")).is_err());
}

#[test]
fn the_order_key_depends_on_number_and_address_and_never_changes() {
    let one = InboxId::from(Uuid::from_u128(1));
    let two = InboxId::from(Uuid::from_u128(2));
    // SHA-256 of fifteen zero bytes, 0x01 and "27820000001", computed with sha256sum.
    let zo = Address::from(number("27820000001"));
    assert_eq!(order_key(one, &zo), -4_666_200_036_442_378_011);
    assert_ne!(order_key(one, &zo), order_key(two, &zo));
    let keys: HashSet<i64> = (0..10_000).map(|at| order_key(one, &number(&format!("2782{at:07}")).into())).collect();
    assert_eq!(keys.len(), 10_000);
}
