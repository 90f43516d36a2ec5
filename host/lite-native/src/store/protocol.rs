//! The devices of each user, the number of each hidden id, and messages that may be sent or taken once more.

use async_trait::async_trait;
use whatsapp_rust::{
    traits::{DeviceListRecord, LidPnMappingEntry, PendingInboundKey, PendingInboundRow, ProtocolStore, TcTokenEntry},
    wacore::{store::error::Result, time::now_secs},
};

use super::{DeviceMemory, delete_value, kept_since, key_of, last_part, read, serialize, set_value, tokens};

const GROUP_DEVICE: &str = "group_device";
const LID: &str = "lid";
const PHONE: &str = "phone";
const BASE_KEY: &str = "base_key";
const DEVICES: &str = "devices";
const GROUP: &str = "group";
const SENT: &str = "sent";
const PENDING: &str = "pending";

#[async_trait]
impl ProtocolStore for DeviceMemory {
    async fn get_sender_key_devices(&self, group_jid: &str) -> Result<Vec<(String, bool)>> {
        let found = self.starting(GROUP_DEVICE, &key_of(&[group_jid, ""])).await?;
        Ok(found.into_iter().map(|(key, has)| (last_part(&key).to_owned(), has == [1])).collect())
    }

    async fn set_sender_key_status(&self, group_jid: &str, entries: &[(&str, bool)]) -> Result<()> {
        let change =
            |(device, has): &(&str, bool)| set_value(GROUP_DEVICE, key_of(&[group_jid, device]), [u8::from(*has)]);
        self.write(entries.iter().map(change).collect()).await
    }

    async fn clear_sender_key_devices(&self, group_jid: &str) -> Result<()> {
        self.forget_starting(GROUP_DEVICE, &key_of(&[group_jid, ""])).await
    }

    async fn delete_sender_key_device_rows(&self, device_jids: &[&str]) -> Result<()> {
        let _turn = self.turn.lock().await;
        let all = self.starting(GROUP_DEVICE, "").await?;
        let gone = all.into_iter().map(|(key, _)| key).filter(|key| device_jids.contains(&last_part(key)));
        self.write(gone.map(|key| delete_value(GROUP_DEVICE, key)).collect()).await
    }

    async fn clear_all_sender_key_devices(&self) -> Result<()> {
        self.forget_starting(GROUP_DEVICE, "").await
    }

    async fn get_lid_mapping(&self, lid: &str) -> Result<Option<LidPnMappingEntry>> {
        self.get(LID, lid).await?.map(|entry| read(&entry)).transpose()
    }

    async fn get_pn_mapping(&self, phone: &str) -> Result<Option<LidPnMappingEntry>> {
        let Some(lid) = self.get(PHONE, phone).await? else { return Ok(None) };
        self.get_lid_mapping(&String::from_utf8_lossy(&lid)).await
    }

    async fn put_lid_mapping(&self, entry: &LidPnMappingEntry) -> Result<()> {
        self.put_lid_mappings(std::slice::from_ref(entry)).await
    }

    async fn put_lid_mappings(&self, entries: &[LidPnMappingEntry]) -> Result<()> {
        let _turn = self.turn.lock().await;
        let lids: Vec<String> = entries.iter().map(|entry| entry.lid.clone()).collect();
        let mut changes = Vec::with_capacity(entries.len() * 2);
        // A number that such an id had before is not its number any more. The present owner is written after that.
        for (lid, old) in self.get_all(LID, &lids).await? {
            let old: LidPnMappingEntry = read(&old)?;
            let moved = entries.iter().any(|entry| entry.lid == lid && entry.phone_number != old.phone_number);
            if moved {
                changes.push(delete_value(PHONE, old.phone_number));
            }
        }
        for entry in entries {
            changes.push(set_value(PHONE, entry.phone_number.as_str(), entry.lid.as_bytes()));
            changes.push(set_value(LID, entry.lid.as_str(), serialize(entry)?));
        }
        self.write(changes).await
    }

    async fn get_all_lid_mappings(&self) -> Result<Vec<LidPnMappingEntry>> {
        self.starting(LID, "").await?.iter().map(|(_, entry)| read(entry)).collect()
    }

    async fn save_base_key(&self, address: &str, message_id: &str, base_key: &[u8]) -> Result<()> {
        self.keep(BASE_KEY, key_of(&[address, message_id]), base_key).await
    }

    async fn has_same_base_key(&self, address: &str, message_id: &str, current_base_key: &[u8]) -> Result<bool> {
        let known = self.get(BASE_KEY, key_of(&[address, message_id])).await?;
        Ok(known.is_some_and(|known| known == current_base_key))
    }

    async fn delete_base_key(&self, address: &str, message_id: &str) -> Result<()> {
        self.forget(BASE_KEY, key_of(&[address, message_id])).await
    }

    async fn update_device_list(&self, record: DeviceListRecord) -> Result<()> {
        self.update_device_lists(vec![record]).await
    }

    async fn update_device_lists(&self, records: Vec<DeviceListRecord>) -> Result<()> {
        let changes = records.iter().map(|record| Ok(set_value(DEVICES, record.user.as_str(), serialize(record)?)));
        self.write(changes.collect::<Result<_>>()?).await
    }

    async fn get_devices(&self, user: &str) -> Result<Option<DeviceListRecord>> {
        self.get(DEVICES, user).await?.map(|record| read(&record)).transpose()
    }

    async fn delete_devices(&self, user: &str) -> Result<()> {
        self.forget(DEVICES, user).await
    }

    async fn get_group_metadata(&self, group_jid: &str) -> Result<Option<Vec<u8>>> {
        self.get(GROUP, group_jid).await
    }

    async fn put_group_metadata(&self, group_jid: &str, blob: &[u8]) -> Result<()> {
        self.keep(GROUP, group_jid, blob).await
    }

    async fn delete_group_metadata(&self, group_jid: &str) -> Result<()> {
        self.forget(GROUP, group_jid).await
    }

    async fn get_tc_token(&self, jid: &str) -> Result<Option<TcTokenEntry>> {
        self.token(jid).await
    }

    async fn put_tc_token(&self, jid: &str, entry: &TcTokenEntry) -> Result<()> {
        let _turn = self.turn.lock().await;
        self.keep_token(jid, entry).await
    }

    async fn delete_tc_token(&self, jid: &str) -> Result<()> {
        self.forget(tokens::TOKEN, jid).await
    }

    async fn get_all_tc_token_jids(&self) -> Result<Vec<String>> {
        Ok(self.starting(tokens::TOKEN, "").await?.into_iter().map(|(jid, _)| jid).collect())
    }

    async fn delete_expired_tc_tokens(&self, token_cutoff: i64, sender_cutoff: i64) -> Result<u32> {
        self.forget_stale_tokens(token_cutoff, sender_cutoff).await
    }

    async fn touch_tc_token_sender_timestamp(&self, jid: &str, sender_timestamp: i64) -> Result<()> {
        self.token_issued(jid, sender_timestamp).await
    }

    async fn store_received_tc_token(&self, jid: &str, token: &[u8], token_timestamp: i64) -> Result<()> {
        self.token_received(jid, token, token_timestamp).await
    }

    async fn store_sent_message(&self, chat_jid: &str, message_id: &str, payload: &[u8]) -> Result<()> {
        self.write(vec![kept_since(SENT, key_of(&[chat_jid, message_id]), payload, now_secs())]).await
    }

    async fn take_sent_message(&self, chat_jid: &str, message_id: &str) -> Result<Option<Vec<u8>>> {
        self.take(SENT, &key_of(&[chat_jid, message_id])).await
    }

    async fn delete_expired_sent_messages(&self, cutoff_timestamp: i64) -> Result<u32> {
        self.forget_before(SENT, cutoff_timestamp).await
    }

    async fn store_pending_inbound(&self, chat: &str, sender: &str, id: &str, message: &[u8]) -> Result<()> {
        self.store_pending_inbound_batch(&[PendingInboundRow { chat, sender, id, message }]).await
    }

    async fn get_pending_inbound(&self, chat: &str, sender: &str, id: &str) -> Result<Option<Vec<u8>>> {
        self.get(PENDING, key_of(&[chat, sender, id])).await
    }

    async fn delete_pending_inbound(&self, chat: &str, sender: &str, id: &str) -> Result<()> {
        self.delete_pending_inbound_batch(&[PendingInboundKey { chat, sender, id }]).await
    }

    async fn delete_expired_pending_inbound(&self, cutoff_timestamp: i64) -> Result<u32> {
        self.forget_before(PENDING, cutoff_timestamp).await
    }

    async fn store_pending_inbound_batch(&self, rows: &[PendingInboundRow<'_>]) -> Result<()> {
        let now = now_secs();
        let change = |row: &PendingInboundRow<'_>| {
            kept_since(PENDING, key_of(&[row.chat, row.sender, row.id]), row.message, now)
        };
        self.write(rows.iter().map(change).collect()).await
    }

    async fn delete_pending_inbound_batch(&self, keys: &[PendingInboundKey<'_>]) -> Result<()> {
        let change = |key: &PendingInboundKey<'_>| delete_value(PENDING, key_of(&[key.chat, key.sender, key.id]));
        self.write(keys.iter().map(change).collect()).await
    }
}
