//! The form of an upload with a signature or a source (RFC 7578).

use bytes::{BufMut, Bytes, BytesMut};

use crate::oci::OciManifest;

/// Bytes around the parts of a form, about.
const FRAME: usize = 1024;

/// A component with the texts that go with it.
#[derive(Debug, Clone)]
pub struct UploadParts {
    pub component: Bytes,
    /// The signature file of minisign over the component.
    pub signature: Option<String>,
    pub source: Option<OciManifest>,
}

impl UploadParts {
    /// The type and the bytes of the request: the bare component if nothing goes with it.
    pub(super) fn into_body(self) -> (String, Bytes) {
        let Self { component, signature, source } = self;
        let mut texts: Vec<(&str, Bytes)> = signature.map(|text| ("signature", text.into())).into_iter().collect();
        if let Some(OciManifest { reference, manifest }) = source {
            texts.extend([("source", reference.into()), ("manifest", manifest)]);
        }
        if texts.is_empty() {
            return ("application/wasm".to_owned(), component);
        }
        // No component contains its own hash.
        let boundary = format!("patchbay-{}", plugin_host::sha256(&component));
        let mut body = BytesMut::with_capacity(component.len() + FRAME);
        for (name, text) in texts {
            body.put_slice(head(&boundary, name, "").as_bytes());
            body.put_slice(&text);
            body.put_slice(b"\r\n");
        }
        body.put_slice(head(&boundary, "file", "; filename=\"plugin.wasm\"").as_bytes());
        body.put_slice(&component);
        body.put_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        (format!("multipart/form-data; boundary={boundary}"), body.freeze())
    }
}

fn head(boundary: &str, name: &str, rest: &str) -> String {
    format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"{rest}\r\n\r\n")
}
