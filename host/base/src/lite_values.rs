//! Stored values of the devices of Lite numbers, in the database. All processes can read them, and the process that
//! holds the device writes them (ADR 0037).

use std::collections::BTreeMap;

use async_trait::async_trait;
use channels::whatsapp_lite::{
    LiteNumber,
    values::{DeviceHolder, DeviceValues, ValueChange, ValuesFailed},
};
use domain::ids::{ClientId, NodeId};
use storage::{
    Db, Transaction,
    inboxes::lite_values::{self, LiteValueChange},
};

use crate::secrets::{Sealer, SecretPurpose};

#[derive(Clone)]
pub struct DatabaseDeviceValues {
    db: Db,
    sealer: Sealer,
}

impl DatabaseDeviceValues {
    pub fn new(db: Db, sealer: Sealer) -> Self {
        Self { db, sealer }
    }

    async fn begin(&self, holding: &DeviceHolder) -> Result<Transaction<'static>, ValuesFailed> {
        let node: NodeId = holding.holder.parse().map_err(store_error)?;
        let mut tx = self.db.begin().await.map_err(store_error)?;
        let number = &holding.number;
        match lite_values::hold(&mut tx, number.client, number.inbox, node).await.map_err(store_error)? {
            true => Ok(tx),
            false => Err(ValuesFailed::NotHeld),
        }
    }

    fn open(&self, client: ClientId, sealed: Vec<(String, Vec<u8>)>) -> Result<Vec<(String, Vec<u8>)>, ValuesFailed> {
        let open = |(key, value): (String, Vec<u8>)| Ok((key, self.open_one(client, &value)?));
        sealed.into_iter().map(open).collect()
    }

    fn open_one(&self, client: ClientId, sealed: &[u8]) -> Result<Vec<u8>, ValuesFailed> {
        self.sealer.open(client, SecretPurpose::LiteDevice, sealed).map_err(store_error)
    }

    fn seal(&self, client: ClientId, changes: Vec<ValueChange>) -> Result<Vec<LiteValueChange>, ValuesFailed> {
        // Sorted, so that two transactions lock the same keys in the same order.
        let last: BTreeMap<_, ValueChange> =
            changes.into_iter().map(|change| ((change.space, change.key.clone()), change)).collect();
        let seal = |value: Vec<u8>| self.sealer.seal(client, SecretPurpose::LiteDevice, &value).map_err(store_error);
        let sealed = |ValueChange { space, key, value, moment }| {
            Ok(LiteValueChange { space: space.to_owned(), key, value: value.map(seal).transpose()?, moment })
        };
        last.into_values().map(sealed).collect()
    }
}

fn store_error(source: impl std::error::Error + Send + Sync + 'static) -> ValuesFailed {
    ValuesFailed::Store(Box::new(source))
}

#[async_trait]
impl DeviceValues for DatabaseDeviceValues {
    async fn get(
        &self,
        number: &LiteNumber,
        space: &str,
        keys: &[String],
    ) -> Result<Vec<(String, Vec<u8>)>, ValuesFailed> {
        let mut db = self.db.acquire().await.map_err(store_error)?;
        let sealed = lite_values::get(&mut db, number.client, number.inbox, space, keys).await.map_err(store_error)?;
        self.open(number.client, sealed)
    }

    async fn starting(
        &self,
        number: &LiteNumber,
        space: &str,
        prefix: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, ValuesFailed> {
        let mut db = self.db.acquire().await.map_err(store_error)?;
        let sealed =
            lite_values::starting(&mut db, number.client, number.inbox, space, prefix).await.map_err(store_error)?;
        self.open(number.client, sealed)
    }

    async fn write(&self, holding: &DeviceHolder, changes: Vec<ValueChange>) -> Result<(), ValuesFailed> {
        let number = &holding.number;
        let changes = self.seal(number.client, changes)?;
        let mut tx = self.begin(holding).await?;
        lite_values::write(&mut tx, number.client, number.inbox, &changes).await.map_err(store_error)?;
        tx.commit().await.map_err(store_error)
    }

    async fn take(&self, holding: &DeviceHolder, space: &str, key: &str) -> Result<Option<Vec<u8>>, ValuesFailed> {
        let number = &holding.number;
        let mut tx = self.begin(holding).await?;
        let sealed = lite_values::take(&mut tx, number.client, number.inbox, space, key).await.map_err(store_error)?;
        tx.commit().await.map_err(store_error)?;
        sealed.map(|sealed| self.open_one(number.client, &sealed)).transpose()
    }

    async fn forget_starting(&self, holding: &DeviceHolder, space: &str, prefix: &str) -> Result<u64, ValuesFailed> {
        let number = &holding.number;
        let mut tx = self.begin(holding).await?;
        let forgotten = lite_values::forget_starting(&mut tx, number.client, number.inbox, space, prefix).await;
        let forgotten = forgotten.map_err(store_error)?;
        tx.commit().await.map_err(store_error)?;
        Ok(forgotten)
    }

    async fn forget_before(&self, holding: &DeviceHolder, space: &str, moment: i64) -> Result<u64, ValuesFailed> {
        let number = &holding.number;
        let mut tx = self.begin(holding).await?;
        let forgotten = lite_values::forget_before(&mut tx, number.client, number.inbox, space, moment).await;
        let forgotten = forgotten.map_err(store_error)?;
        tx.commit().await.map_err(store_error)?;
        Ok(forgotten)
    }

    async fn forget(&self, number: &LiteNumber) -> Result<(), ValuesFailed> {
        let mut db = self.db.acquire().await.map_err(store_error)?;
        lite_values::forget(&mut db, number.client, number.inbox).await.map_err(store_error)
    }
}
