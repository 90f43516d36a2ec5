use std::collections::BTreeMap;

/// The uploaded files of one message: media ids by address. Meta downloads files at other addresses.
pub type MediaIds = BTreeMap<String, String>;
