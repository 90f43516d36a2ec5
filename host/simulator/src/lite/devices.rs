use std::collections::BTreeMap;

use super::device::Device;

#[derive(Debug, Default)]
pub(crate) struct Devices {
    pub(super) by_number: BTreeMap<String, Device>,
}

impl Devices {
    pub(crate) fn get(&mut self, number: &str) -> &mut Device {
        self.by_number.entry(number.to_owned()).or_insert_with(|| Device::new(number))
    }

    pub(crate) fn knows(&self, number: &str) -> bool {
        self.by_number.contains_key(number)
    }

    pub(crate) fn numbers(&self) -> Vec<&str> {
        self.by_number.keys().map(String::as_str).collect()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Device> {
        self.by_number.values()
    }
}
