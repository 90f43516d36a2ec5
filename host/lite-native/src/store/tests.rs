use std::sync::Arc;

use bytes::Bytes;
use channels::whatsapp_lite::{LiteNumber, values::DeviceHolder};
use domain::{
    ids::{ClientId, InboxId},
    phone::Msisdn,
};
use uuid::Uuid;
use whatsapp_rust::{
    traits::{
        AppStateSyncKey, AppSyncStore, Backend, DeviceInfo, DeviceListRecord, DeviceStore, LidPnMappingEntry,
        MsgSecretEntry, MsgSecretStore, ProtocolStore, SignalStore,
    },
    wacore::{
        appstate::{hash::HashState, processor::AppStateMutationMAC},
        time::now_secs,
    },
};

use super::{DeviceMemory, memory_store::MemoryValues};

fn memory() -> DeviceMemory {
    let number = LiteNumber {
        client: ClientId(Uuid::from_u128(1)),
        inbox: InboxId(Uuid::from_u128(2)),
        msisdn: Msisdn::parse("27820001002").unwrap(),
    };
    DeviceMemory::new(Arc::new(MemoryValues::default()), DeviceHolder { number, holder: "here".to_owned() })
}

#[tokio::test]
async fn the_store_implements_the_whole_backend_of_the_library() {
    let backend: Arc<dyn Backend> = Arc::new(memory());
    assert!(!backend.exists().await.unwrap());
}

#[tokio::test]
async fn a_device_comes_back_with_its_keys() {
    let memory = memory();
    memory.create().await.unwrap();
    assert!(memory.exists().await.unwrap());
    let mut device = memory.load().await.unwrap().unwrap();
    device.pn = Some("27820001002:7@s.whatsapp.net".parse().unwrap());
    device.push_name = "Shop".to_owned();
    device.next_pre_key_id = 813;
    memory.save(&device).await.unwrap();
    let again = memory.load().await.unwrap().unwrap();
    assert_eq!((again.pn, again.push_name, again.next_pre_key_id), (device.pn, device.push_name, 813));
    assert_eq!(again.registration_id, device.registration_id);
    assert_eq!(again.noise_key.public_key.serialize(), device.noise_key.public_key.serialize());
    assert_eq!(again.identity_key.private_key.serialize(), device.identity_key.private_key.serialize());
    assert_eq!(again.signed_pre_key_signature, device.signed_pre_key_signature);
}

#[tokio::test]
async fn identities_and_sessions_are_stored_and_deleted() {
    let memory = memory();
    memory.put_identities_batch(&[(Arc::from("1@lid"), [1; 32]), (Arc::from("1:2@lid"), [2; 32])]).await.unwrap();
    assert_eq!(memory.load_identity("1:2@lid").await.unwrap(), Some([2; 32]));
    memory.delete_identity("1:2@lid").await.unwrap();
    assert_eq!(memory.load_identity("1:2@lid").await.unwrap(), None);
    memory.put_sessions_batch(&[(Arc::from("5@lid"), Bytes::from_static(b"s"))]).await.unwrap();
    assert_eq!(memory.get_session("5@lid").await.unwrap().as_deref(), Some(&b"s"[..]));
    assert!(memory.has_session("5@lid").await.unwrap());
    memory.delete_session("5@lid").await.unwrap();
    assert!(!memory.has_session("5@lid").await.unwrap());
}

#[tokio::test]
async fn values_of_a_user_are_not_those_of_a_user_with_the_same_prefix() {
    let memory = memory();
    memory.put_session("2782:3@s.whatsapp.net", b"s").await.unwrap();
    assert!(memory.has_signal_state_for_user("2782").await.unwrap());
    assert!(!memory.has_signal_state_for_user("278").await.unwrap());
    memory.put_identity("99@lid", [0; 32]).await.unwrap();
    assert!(memory.has_signal_state_for_user("99").await.unwrap());
}

#[tokio::test]
async fn prekeys_are_found_by_number_and_the_highest_is_known() {
    let memory = memory();
    assert_eq!(memory.get_max_prekey_id().await.unwrap(), 0);
    let keys = [(9, Bytes::from_static(b"nine")), (100, Bytes::from_static(b"hundred"))];
    memory.store_prekeys_batch(&keys, false).await.unwrap();
    assert_eq!(memory.get_max_prekey_id().await.unwrap(), 100);
    assert_eq!(memory.load_prekeys_batch(&[9, 10]).await.unwrap(), [keys[0].clone()]);
    memory.remove_prekey(9).await.unwrap();
    memory.mark_prekeys_uploaded(&[9]).await.unwrap();
    assert_eq!(memory.load_prekey(9).await.unwrap(), None, "one that was used does not come back");
}

#[tokio::test]
async fn signed_prekeys_and_sender_keys_come_back() {
    let memory = memory();
    memory.store_signed_prekey(2, b"two").await.unwrap();
    memory.store_signed_prekey(1, b"one").await.unwrap();
    let all = memory.load_all_signed_prekeys().await.unwrap();
    assert_eq!(all, [(1, b"one".to_vec()), (2, b"two".to_vec())]);
    memory.remove_signed_prekey(1).await.unwrap();
    assert_eq!(memory.load_signed_prekey(1).await.unwrap(), None);
    memory.put_sender_key("g:1", b"k").await.unwrap();
    assert_eq!(memory.get_sender_key("g:1").await.unwrap().as_deref(), Some(&b"k"[..]));
    memory.delete_sender_key("g:1").await.unwrap();
    assert_eq!(memory.get_sender_key("g:1").await.unwrap(), None);
}

#[tokio::test]
async fn shared_state_keeps_its_keys_versions_and_digests() {
    let memory = memory();
    let key = AppStateSyncKey { key_data: vec![1], fingerprint: vec![2], timestamp: 3 };
    memory.set_sync_key(&[0, 255], key).await.unwrap();
    assert_eq!(memory.get_sync_key(&[0, 255]).await.unwrap().unwrap().timestamp, 3);
    assert_eq!(memory.get_latest_sync_key_id().await.unwrap(), Some(vec![0, 255]));
    assert_eq!(memory.get_version("regular").await.unwrap().version, 0, "of a collection that was never fetched");
    let state = HashState { version: 7, hash: [9; 128], ..HashState::default() };
    memory.set_version("regular", state).await.unwrap();
    let again = memory.get_version("regular").await.unwrap();
    assert_eq!((again.version, again.hash), (7, [9; 128]));
    let digest = |index: u8| AppStateMutationMAC { index_mac: vec![index; 32], value_mac: vec![index] };
    memory.put_mutation_macs("regular", 7, &[digest(1), digest(2)]).await.unwrap();
    memory.put_mutation_macs("regular_low", 7, &[digest(1)]).await.unwrap();
    let found = memory.get_mutation_macs("regular", &[[1; 32], [3; 32]]).await.unwrap();
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [([1; 32], vec![1])]);
    memory.delete_mutation_macs("regular", &[vec![1; 32]]).await.unwrap();
    assert_eq!(memory.get_mutation_mac("regular", &[1; 32]).await.unwrap(), None);
    memory.clear_mutation_macs("regular").await.unwrap();
    assert_eq!(memory.get_mutation_mac("regular", &[2; 32]).await.unwrap(), None);
    assert!(memory.get_mutation_mac("regular_low", &[1; 32]).await.unwrap().is_some(), "of another collection");
}

fn mapping(lid: &str, phone: &str) -> LidPnMappingEntry {
    LidPnMappingEntry {
        lid: lid.to_owned(),
        phone_number: phone.to_owned(),
        created_at: 1,
        updated_at: 2,
        learning_source: "usync".to_owned(),
    }
}

#[tokio::test]
async fn a_hidden_id_that_changes_its_number_leaves_the_old_one() {
    let memory = memory();
    memory.put_lid_mapping(&mapping("100", "2782")).await.unwrap();
    assert_eq!(memory.get_pn_mapping("2782").await.unwrap().unwrap().lid, "100");
    memory.put_lid_mappings(&[mapping("100", "2783"), mapping("200", "2782")]).await.unwrap();
    assert_eq!(memory.get_lid_mapping("100").await.unwrap().unwrap().phone_number, "2783");
    assert_eq!(memory.get_pn_mapping("2782").await.unwrap().unwrap().lid, "200", "the present owner of the number");
    assert_eq!(memory.get_all_lid_mappings().await.unwrap().len(), 2);
    memory.put_lid_mapping(&mapping("200", "2784")).await.unwrap();
    assert!(memory.get_pn_mapping("2782").await.unwrap().is_none());
}

#[tokio::test]
async fn devices_of_users_and_of_groups_are_stored_and_deleted() {
    let memory = memory();
    let devices = vec![DeviceInfo::new(0, None), DeviceInfo::new(3, Some(1))];
    let record = DeviceListRecord { user: "100".to_owned(), devices, timestamp: 5, phash: None, raw_id: Some(8) };
    memory.update_device_list(record).await.unwrap();
    let again = memory.get_devices("100").await.unwrap().unwrap();
    assert_eq!((again.devices.len(), again.raw_id), (2, Some(8)));
    memory.delete_devices("100").await.unwrap();
    assert!(memory.get_devices("100").await.unwrap().is_none());
    memory.set_sender_key_status("g1", &[("a", true), ("b", false)]).await.unwrap();
    memory.set_sender_key_status("g2", &[("a", true)]).await.unwrap();
    memory.delete_sender_key_device_rows(&["a"]).await.unwrap();
    assert_eq!(memory.get_sender_key_devices("g1").await.unwrap(), [("b".to_owned(), false)]);
    assert_eq!(memory.get_sender_key_devices("g2").await.unwrap(), []);
    memory.clear_sender_key_devices("g1").await.unwrap();
    assert_eq!(memory.get_sender_key_devices("g1").await.unwrap(), []);
}

#[tokio::test]
async fn a_base_key_is_compared_with_the_one_that_was_kept() {
    let memory = memory();
    memory.save_base_key("1@lid", "M", b"k").await.unwrap();
    assert!(memory.has_same_base_key("1@lid", "M", b"k").await.unwrap());
    assert!(!memory.has_same_base_key("1@lid", "M", b"other").await.unwrap());
    memory.delete_base_key("1@lid", "M").await.unwrap();
    assert!(!memory.has_same_base_key("1@lid", "M", b"k").await.unwrap());
}

#[tokio::test]
async fn tokens_only_move_forward_and_each_half_keeps_the_other() {
    let memory = memory();
    memory.touch_tc_token_sender_timestamp("1@lid", 10).await.unwrap();
    memory.store_received_tc_token("1@lid", b"new", 20).await.unwrap();
    memory.store_received_tc_token("1@lid", b"old", 19).await.unwrap();
    memory.touch_tc_token_sender_timestamp("1@lid", 5).await.unwrap();
    let token = memory.get_tc_token("1@lid").await.unwrap().unwrap();
    assert_eq!((token.token.as_slice(), token.token_timestamp, token.sender_timestamp), (&b"new"[..], 20, Some(10)));
    assert_eq!(memory.delete_expired_tc_tokens(21, 10).await.unwrap(), 0, "ours is young enough");
    assert_eq!(memory.delete_expired_tc_tokens(20, 11).await.unwrap(), 0, "theirs is");
    assert_eq!(memory.delete_expired_tc_tokens(21, 11).await.unwrap(), 1);
    assert_eq!(memory.get_all_tc_token_jids().await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn a_sent_message_is_taken_once_and_old_ones_go() {
    let memory = memory();
    memory.store_sent_message("1@lid", "M", b"payload").await.unwrap();
    assert_eq!(memory.take_sent_message("1@lid", "M").await.unwrap().as_deref(), Some(&b"payload"[..]));
    assert_eq!(memory.take_sent_message("1@lid", "M").await.unwrap(), None);
    memory.store_sent_message("1@lid", "N", b"payload").await.unwrap();
    assert_eq!(memory.delete_expired_sent_messages(now_secs() - 60).await.unwrap(), 0);
    assert_eq!(memory.delete_expired_sent_messages(now_secs() + 60).await.unwrap(), 1);
}

#[tokio::test]
async fn a_pending_message_is_kept_until_it_is_deleted() {
    let memory = memory();
    memory.store_pending_inbound("c", "s", "M", b"m").await.unwrap();
    assert_eq!(memory.get_pending_inbound("c", "s", "M").await.unwrap().as_deref(), Some(&b"m"[..]));
    assert_eq!(memory.get_pending_inbound("c", "other", "M").await.unwrap(), None);
    memory.delete_pending_inbound("c", "s", "M").await.unwrap();
    assert_eq!(memory.get_pending_inbound("c", "s", "M").await.unwrap(), None);
}

fn secret(expires_at: i64, message_ts: i64) -> MsgSecretEntry {
    MsgSecretEntry {
        chat: Arc::from("c"),
        sender: Arc::from("s"),
        msg_id: Arc::from("M"),
        secret: [5; 32],
        expires_at,
        message_ts,
    }
}

#[tokio::test]
async fn the_secret_of_a_message_has_the_longest_requested_lifetime() {
    let memory = memory();
    assert_eq!(memory.put_msg_secrets(vec![secret(50, 9), secret(40, 0)]).await.unwrap(), 2);
    assert_eq!(memory.get_msg_secret_with_ts("c", "s", "M").await.unwrap(), Some((vec![5; 32], 9)));
    assert_eq!(memory.delete_expired_msg_secrets(49).await.unwrap(), 0);
    assert_eq!(memory.delete_expired_msg_secrets(50).await.unwrap(), 1);
    memory.put_msg_secrets(vec![secret(50, 9)]).await.unwrap();
    memory.put_msg_secrets(vec![secret(0, 9)]).await.unwrap();
    assert_eq!(memory.delete_expired_msg_secrets(i64::MAX).await.unwrap(), 0, "for ever");
}
