//! A store of values for tests.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
};

use async_trait::async_trait;
use channels::whatsapp_lite::{
    LiteNumber,
    values::{DeviceHolder, DeviceValues, ValueChange, ValuesFailed},
};

type ValuesBySpace = BTreeMap<(String, String), (Vec<u8>, Option<i64>)>;

#[derive(Default)]
pub(crate) struct MemoryValues {
    kept: Mutex<ValuesBySpace>,
}

impl MemoryValues {
    fn lock_values(&self) -> MutexGuard<'_, ValuesBySpace> {
        self.kept.lock().unwrap()
    }
}

#[async_trait]
impl DeviceValues for MemoryValues {
    async fn get(&self, _: &LiteNumber, space: &str, keys: &[String]) -> Result<Vec<(String, Vec<u8>)>, ValuesFailed> {
        let kept = self.lock_values();
        let find = |key: &String| Some((key.clone(), kept.get(&(space.to_owned(), key.clone()))?.0.clone()));
        Ok(keys.iter().filter_map(find).collect())
    }

    async fn starting(
        &self,
        _: &LiteNumber,
        space: &str,
        prefix: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, ValuesFailed> {
        let kept = self.lock_values();
        let here = kept.iter().filter(|((in_space, key), _)| in_space == space && key.starts_with(prefix));
        Ok(here.map(|((_, key), (value, _))| (key.clone(), value.clone())).collect())
    }

    async fn write(&self, _: &DeviceHolder, changes: Vec<ValueChange>) -> Result<(), ValuesFailed> {
        let mut kept = self.lock_values();
        for ValueChange { space, key, value, moment } in changes {
            match value {
                Some(value) => kept.insert((space.to_owned(), key), (value, moment)),
                None => kept.remove(&(space.to_owned(), key)),
            };
        }
        Ok(())
    }

    async fn take(&self, _: &DeviceHolder, space: &str, key: &str) -> Result<Option<Vec<u8>>, ValuesFailed> {
        Ok(self.lock_values().remove(&(space.to_owned(), key.to_owned())).map(|(value, _)| value))
    }

    async fn forget_starting(&self, _: &DeviceHolder, space: &str, prefix: &str) -> Result<u64, ValuesFailed> {
        let mut kept = self.lock_values();
        let before = kept.len();
        kept.retain(|(in_space, key), _| in_space != space || !key.starts_with(prefix));
        Ok((before - kept.len()) as u64)
    }

    async fn forget_before(&self, _: &DeviceHolder, space: &str, moment: i64) -> Result<u64, ValuesFailed> {
        let mut kept = self.lock_values();
        let before = kept.len();
        kept.retain(|(in_space, _), (_, at)| in_space != space || at.is_none_or(|at| at >= moment));
        Ok((before - kept.len()) as u64)
    }

    async fn forget(&self, _: &LiteNumber) -> Result<(), ValuesFailed> {
        self.lock_values().clear();
        Ok(())
    }
}
