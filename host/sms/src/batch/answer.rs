//! Answers of the batch gateway.

use base::Error;
use chrono::{DateTime, Utc};
use domain::sms_products::batch::BatchFault;

use super::xml::Xml;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchAnswer {
    pub code: u16,
    pub recipients: u32,
    pub(super) xml: String,
}

impl BatchAnswer {
    /// The XML document. `testing`: the call used a method that is for testing only.
    pub fn document(&self, testing: bool) -> String {
        const END: &str = "</response>";
        const NOTICE: &str = "<notice>GET is for testing only: send with POST</notice>";
        let notice = if testing { NOTICE } else { "" };
        let inner = self.xml.strip_suffix(END).unwrap_or(&self.xml);
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{inner}{notice}{END}")
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum BatchRefusal {
    #[error("{}", .0.said)]
    Fault(BatchFault),
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<BatchFault> for BatchRefusal {
    fn from(fault: BatchFault) -> Self {
        Self::Fault(fault)
    }
}

base::fails_with!(BatchRefusal: storage::Error);

/// An answer with its result and the elements of `inner`.
pub(super) fn write_answer(
    code: u16,
    said: &str,
    namespace: &str,
    now: DateTime<Utc>,
    inner: impl FnOnce(&mut Xml),
) -> BatchAnswer {
    let mut xml = Xml::new();
    xml.element("response", Some(("xmlns", namespace)), |xml| {
        xml.element("result", None, |xml| {
            xml.element("status", Some(("code", &code.to_string())), |xml| xml.text(said));
            xml.time("completiontime", now);
        });
        inner(xml);
    });
    BatchAnswer { code, recipients: 0, xml: xml.finish() }
}

pub(super) fn batch(xml: &mut Xml, batch_ref: &str, batch_id: &str) {
    xml.element("batch", None, |xml| {
        xml.leaf("batchref", batch_ref);
        xml.leaf("batchid", batch_id);
    });
}
