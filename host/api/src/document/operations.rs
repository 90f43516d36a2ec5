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

/// Calls `f` with the media type and the content of each body, of requests and of answers.
pub(super) fn bodies(document: &mut Value, mut f: impl FnMut(&str, &mut Map<String, Value>)) {
    operations(document, |operation| {
        let (mut request, mut responses) = (Vec::new(), Vec::new());
        for (name, part) in operation {
            match name.as_str() {
                "requestBody" => request.push(part),
                "responses" => responses.extend(part.as_object_mut().into_iter().flatten().map(|(_, answer)| answer)),
                _ => {}
            }
        }
        for body in request.into_iter().chain(responses) {
            let contents = body.get_mut("content").and_then(Value::as_object_mut);
            for (media_type, content) in contents.into_iter().flatten() {
                if let Some(content) = content.as_object_mut() {
                    f(media_type, content);
                }
            }
        }
    });
}
