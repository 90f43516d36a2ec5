//! A small store that outlives the call. Writes take effect together with the answer, or not at all.

pub use crate::bindings::chatbot::patchbay::plugin::kv::Scope;
use crate::bindings::chatbot::patchbay::plugin::kv::{self, Error as Fault};
use crate::chatbot::Error;

/// The value of a key, if it has one.
pub fn get(scope: Scope, key: &str) -> Result<Option<Vec<u8>>, Error> {
    Ok(kv::get(scope, key)?)
}

/// The value of a key as text. Also `None` if it is not UTF-8.
pub fn get_text(scope: Scope, key: &str) -> Result<Option<String>, Error> {
    Ok(kv::get(scope, key)?.and_then(|value| String::from_utf8(value).ok()))
}

/// Sets the value of a key.
pub fn set(scope: Scope, key: &str, value: impl AsRef<[u8]>) -> Result<(), Error> {
    Ok(kv::set(scope, key, value.as_ref())?)
}

/// Sets a value that expires after this number of seconds.
pub fn set_expiring(scope: Scope, key: &str, value: impl AsRef<[u8]>, after_seconds: u32) -> Result<(), Error> {
    Ok(kv::set_expiring(scope, key, value.as_ref(), after_seconds)?)
}

/// All keys that begin with `prefix`, in byte order. Each hundred of them costs a host call.
pub fn keys(scope: Scope, prefix: &str) -> Result<Vec<String>, Error> {
    const AT_ONCE: u32 = 100;
    let mut keys: Vec<String> = Vec::new();
    loop {
        let more = kv::list_keys(scope, prefix, keys.last().map(String::as_str), AT_ONCE)?;
        let is_all = more.len() < AT_ONCE as usize;
        keys.extend(more);
        if is_all {
            return Ok(keys);
        }
    }
}

/// Removes a key. It is no error if the key does not exist.
pub fn delete(scope: Scope, key: &str) -> Result<(), Error> {
    Ok(kv::delete(scope, key)?)
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        let message = match fault {
            Fault::InvalidKey => "a key is 1 to 128 bytes long and holds no NUL character".to_owned(),
            Fault::ValueTooLarge(most) => format!("a value is at most {most} bytes long"),
            Fault::TooManyWrites(most) => format!("a call writes at most {most} keys"),
            Fault::Other(reason) => reason,
        };
        Self::new("key-value", message)
    }
}
