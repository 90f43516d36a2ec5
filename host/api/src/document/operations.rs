//! Walks over the operations of the document.

use serde_json::{Map, Value};

pub(super) fn operations(document: &mut Value, mut f: impl FnMut(&mut Map<String, Value>)) {
    for part in ["paths", "webhooks"] {
        let items = document.get_mut(part).and_then(Value::as_object_mut);
        for item in items.into_iter().flat_map(|items| items.values_mut()) {
            let methods = item.as_object_mut().into_iter().flatten();
            methods.filter_map(|(_, operation)| operation.as_object_mut()).for_each(&mut f);
        }
    }
}
