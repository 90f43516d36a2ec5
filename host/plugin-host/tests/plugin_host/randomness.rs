//! The random numbers of a call.

use std::sync::Arc;

use domain::split_mix::split_mix;
use plugin_host::{CallSeed, NoKeyValues, PluginCall, PluginRef, Recording};

use crate::network::{Does, Outside, texts};
use crate::support::{call_of, says, session};

/// The numbers that the dice draw: a secure one, an insecure one, and the insecure seed.
async fn drawn(test: &Outside, seed: CallSeed) -> String {
    let plugin = PluginRef::shipped("dice");
    let call = PluginCall { seed, ..call_of(&plugin) };
    let outcome = test.host.chatbot(call, &says("random"), &session(), Arc::new(NoKeyValues)).await;
    texts(&outcome.unwrap()).concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_interface_of_random_numbers_follows_from_the_seed() {
    let test = Outside::that(Does::Counts).await;
    let (first, other) = (CallSeed::Key([1; 32]), CallSeed::Key([2; 32]));
    let numbers = drawn(&test, first).await;
    assert_eq!(drawn(&test, first).await, numbers);
    let others = drawn(&test, other).await;
    for (one, of_other) in numbers.split(' ').zip(others.split(' ')) {
        assert_ne!(one, of_other, "{numbers}, {others}");
    }
    let distinct: std::collections::BTreeSet<&str> =
        numbers.split(|sign: char| !sign.is_ascii_hexdigit()).filter(|number| !number.is_empty()).collect();
    assert_eq!(distinct.len(), 4, "{numbers}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_secure_numbers_are_the_key_stream_of_chacha20() {
    let test = Outside::that(Does::Counts).await;
    // The stream of the key 0 begins with these bytes (draft-agl-tls-chacha20poly1305-04, section 7).
    let begin = u64::from_le_bytes([0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
    let numbers = drawn(&test, CallSeed::Key([0; 32])).await;
    assert_eq!(numbers.split(' ').next(), Some(format!("{begin:x}").as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_number_of_a_seed_is_one_of_split_mix() {
    let test = Outside::that(Does::Counts).await;
    let numbers = drawn(&test, CallSeed::from_number(7)).await;
    for predicted in [split_mix(7), split_mix(!7), 7] {
        assert!(!numbers.split([' ', '(', ',']).any(|number| number == format!("{predicted:x}")), "{numbers}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_of_an_earlier_release_replays_with_its_own_numbers() {
    let test = Outside::that(Does::Counts).await;
    let (_, recording) = test.roll("random").await;
    let mut stored = serde_json::to_value(&recording).unwrap();
    assert!(stored.as_object_mut().unwrap().remove("seedKey").is_some());
    stored["seed"] = 7.into();
    let older: Recording = serde_json::from_value(stored).unwrap();
    let replay = test.replay("dice", &older).await;
    let numbers = format!("{:x} {:x} (7, 0)", split_mix(7), split_mix(!7));
    assert!(replay.result_now.contains(&numbers), "{} lacks {numbers}", replay.result_now);
}

#[test]
fn a_seed_hides_its_key() {
    assert_eq!(format!("{:?}", CallSeed::Key([171; 32])), "CallSeed");
}
