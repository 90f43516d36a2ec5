//! Files of ours that Meta cannot download are uploaded, and messages name them by media id (PROVIDERS A.6).

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use domain::{carriage::SendFailure, content::OutboundContent, gif, inbox::InboxKind};
use parking_lot::{Mutex, MutexGuard};
use reqwest::{
    Body, Method,
    multipart::{Form, Part},
};
use serde_json::Value;
use tokio_util::io::ReaderStream;

use super::{
    CloudApi, CloudNumber,
    graph::{NoAnswer, answer},
    media_ids::MediaIds,
    send_failure::send_failure,
};
use crate::carrier::{FileUnavailable, OurFile, OurFiles, UnsupportedContent};

/// The largest file of any kind, in bytes. Meta accepts less for most kinds, and says so itself.
const FILE_MAX: u64 = 100 << 20;
/// How long an id is used: Meta keeps an upload for 30 days.
const USED_FOR: Duration = Duration::from_secs(29 * 24 * 60 * 60);
const REMEMBERED: usize = 10_000;

/// The media ids of a message, and if some are of an earlier upload.
pub(super) struct MessageMedia {
    pub(super) ids: MediaIds,
    pub(super) of_earlier: bool,
}

type Upload = (String, String);

/// Media ids that may be used again. A file of ours never changes.
#[derive(Default)]
pub(super) struct MediaCache(Mutex<HashMap<Upload, (String, Instant)>>);

impl MediaCache {
    /// Uploads every file of this content that Meta cannot download and does not have yet.
    pub(super) async fn of(
        &self,
        api: &CloudApi,
        number: &CloudNumber,
        content: &OutboundContent,
        files: &dyn OurFiles,
    ) -> Result<MessageMedia, SendFailure> {
        let mut named = MessageMedia { ids: MediaIds::new(), of_earlier: false };
        for url in addresses(content) {
            if named.ids.contains_key(url) {
                continue;
            }
            let media_type = files.media_type(url).await.unwrap_or_default();
            if let Some(fault) = gif::fault_of(InboxKind::WhatsappCloud, &media_type) {
                return Err(FileUnavailable::Ever(fault).into());
            }
            // Opened even if Meta has it, because a deleted file is not sent any more.
            let Some(file) = files.open(url).await? else { continue };
            let upload = upload_of(number, url);
            let id = match self.find(&upload, Instant::now()) {
                Some(id) => {
                    named.of_earlier = true;
                    id
                }
                None => {
                    let id = api.upload_media(number, file).await?;
                    self.keep(upload, id.clone(), Instant::now());
                    id
                }
            };
            named.ids.insert(url.to_owned(), id);
        }
        Ok(named)
    }

    /// Removes the ids of a message that Meta refused, so that its files are uploaded again.
    pub(super) fn forget(&self, number: &CloudNumber, named: &MessageMedia) {
        let mut known = self.lock_uploads();
        for url in named.ids.keys() {
            known.remove(&upload_of(number, url));
        }
    }

    fn find(&self, upload: &Upload, now: Instant) -> Option<String> {
        let known = self.lock_uploads();
        let (id, since) = known.get(upload)?;
        (now.saturating_duration_since(*since) < USED_FOR).then(|| id.clone())
    }

    fn keep(&self, upload: Upload, id: String, now: Instant) {
        let mut known = self.lock_uploads();
        if known.len() >= REMEMBERED {
            let oldest = known.iter().min_by_key(|(_, (_, since))| *since).map(|(upload, _)| upload.clone());
            oldest.map(|oldest| known.remove(&oldest));
        }
        known.insert(upload, (id, now));
    }

    fn lock_uploads(&self) -> MutexGuard<'_, HashMap<Upload, (String, Instant)>> {
        self.0.lock()
    }
}

/// A file has an address for each time at which it was named. They differ after the question mark.
fn upload_of(number: &CloudNumber, url: &str) -> Upload {
    let plain = url.split(['?', '#']).next().unwrap_or(url);
    (number.phone_number_id.clone(), plain.to_owned())
}

fn addresses(content: &OutboundContent) -> Vec<&str> {
    match content {
        OutboundContent::Media(media) => vec![media.url.as_str()],
        OutboundContent::Template(template) => {
            let cards = template.cards.iter().filter_map(|card| card.header.as_ref());
            template.header.iter().chain(cards).map(|header| header.url.as_str()).collect()
        }
        OutboundContent::Text { .. }
        | OutboundContent::Sms(_)
        | OutboundContent::Buttons(_)
        | OutboundContent::List(_)
        | OutboundContent::Location(_)
        | OutboundContent::Reaction(_) => Vec::new(),
    }
}

impl CloudApi {
    /// The id is valid for 30 days. The file is not visible before a message names it, so a failed upload may be repeated.
    pub async fn upload_media(&self, number: &CloudNumber, file: OurFile) -> Result<String, SendFailure> {
        let OurFile { content, mime_type, filename } = file;
        if content.bytes > FILE_MAX {
            let reason = format!("a file of WhatsApp has at most {FILE_MAX} bytes, and this one {}", content.bytes);
            return Err(UnsupportedContent { reason }.into());
        }
        let unusable = |_| UnsupportedContent { reason: format!("the file has no MIME type but `{mime_type}`") };
        let bytes = Body::wrap_stream(ReaderStream::new(content.reader));
        let part = Part::stream_with_length(bytes, content.bytes).file_name(filename);
        let part = part.mime_str(&mime_type).map_err(unusable)?;
        let form = Form::new().text("messaging_product", "whatsapp").text("type", mime_type.clone()).part("file", part);
        let path = [number.phone_number_id.as_str(), "media"];
        let call = self.call(Method::POST, &path, &number.access_token).timeout(self.timeout * 2).multipart(form);
        let again = |reason| SendFailure::NotSent { reason, after: None };
        let failed = |failure| match failure {
            SendFailure::Unknown { reason } => again(reason),
            failure => failure,
        };
        let response = self.client.send(call).await.map_err(|error| failed(error.into()))?;
        let value = answer(response).await.map_err(|none| match none {
            NoAnswer::Lost(reason) => again(reason),
            NoAnswer::Error(error) => failed(send_failure(error)),
        })?;
        let id = match value.get("id") {
            Some(Value::String(id)) => Some(id.clone()),
            Some(Value::Number(id)) => Some(id.to_string()),
            _ => None,
        };
        let id = id.filter(|id| !id.is_empty());
        id.ok_or_else(|| again("the upload was answered without an id".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upload(address: &str) -> Upload {
        let number = CloudNumber { phone_number_id: "PN1".to_owned(), access_token: "T".to_owned() };
        upload_of(&number, address)
    }

    #[test]
    fn an_id_is_used_again_for_29_days_and_no_longer() {
        let (uploads, began) = (MediaCache::default(), Instant::now());
        uploads.keep(upload("http://h/media/1/2?expires=3"), "4711".to_owned(), began);
        let found = |after| uploads.find(&upload("http://h/media/1/2?expires=9&signature=8"), began + after);
        assert_eq!(found(Duration::ZERO).as_deref(), Some("4711"));
        assert_eq!(found(USED_FOR - Duration::from_secs(1)).as_deref(), Some("4711"));
        assert_eq!(found(USED_FOR), None);
    }

    #[test]
    fn an_id_is_that_of_one_number_and_one_file() {
        let uploads = MediaCache::default();
        uploads.keep(upload("http://h/media/1/2"), "4711".to_owned(), Instant::now());
        let other = ("PN2".to_owned(), "http://h/media/1/2".to_owned());
        assert_eq!(uploads.find(&other, Instant::now()), None);
        assert_eq!(uploads.find(&upload("http://h/media/1/3"), Instant::now()), None);
    }

    #[test]
    fn the_oldest_entry_is_dropped_above_the_limit() {
        let (uploads, began) = (MediaCache::default(), Instant::now());
        for count in 0..=REMEMBERED {
            let at = began + Duration::from_millis(u64::try_from(count).unwrap());
            uploads.keep(upload(&count.to_string()), count.to_string(), at);
        }
        assert_eq!(uploads.lock_uploads().len(), REMEMBERED);
        assert_eq!(uploads.find(&upload("0"), began), None);
        assert!(uploads.find(&upload("1"), began).is_some());
    }
}
