//! Asks the server of a link once per round for the file type. Without an answer the file is sent as a document.

use std::{borrow::Cow, collections::HashMap, sync::Arc, time::Duration};

use base::Context;
use channels::http::{FileDescription, GuardedClient};
use domain::{
    content::{HeaderParameter, MediaKind, OutboundContent, OutboundMedia, TemplateSend},
    file_name,
    ids::ClientId,
    inbox::InboxKind,
};
use parking_lot::Mutex;
use storage::tenancy::clients;
use tokio::sync::OnceCell;

use super::files::ClientFiles;

/// Longest wait for the server of a link. The message waits for it.
const LINK_TIMEOUT: Duration = Duration::from_secs(4);
/// Links that are remembered. When there are more, all are forgotten.
const REMEMBERED: usize = 1_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Known {
    media_type: Option<String>,
    name: Option<String>,
}

pub(super) struct LinkTypes {
    client: ClientId,
    http: GuardedClient,
    files: Arc<ClientFiles>,
    allow_private: bool,
    known: Mutex<HashMap<String, Arc<OnceCell<Known>>>>,
}

impl LinkTypes {
    pub(super) fn new(ctx: &Context, client: ClientId, files: Arc<ClientFiles>) -> Self {
        let (http, allow_private) = (ctx.http.on_behalf_of(client), ctx.settings.webhooks.allow_private_targets);
        Self { client, http, files, allow_private, known: Mutex::default() }
    }

    /// Returns the content with the missing types of its links filled in, for an inbox of this kind.
    pub(super) async fn fill_in<'c>(
        &self,
        kind: InboxKind,
        content: Cow<'c, OutboundContent>,
    ) -> Cow<'c, OutboundContent> {
        if matches!(kind, InboxKind::Web | InboxKind::Sms) {
            return content;
        }
        match content.as_ref() {
            OutboundContent::Media(media) if media.is_type_unknown() => {
                Cow::Owned(OutboundContent::Media(self.media(media).await))
            }
            OutboundContent::Template(template) if headers(template).any(is_nameless) => {
                let mut named = template.clone();
                let cards = named.cards.iter_mut().filter_map(|card| card.header.as_mut());
                for header in named.header.iter_mut().chain(cards).filter(|header| is_nameless(header)) {
                    header.filename = Some(self.name_of(&header.url).await);
                }
                Cow::Owned(OutboundContent::Template(named))
            }
            _ => content,
        }
    }

    async fn media(&self, media: &OutboundMedia) -> OutboundMedia {
        let known = self.ask(&media.url).await;
        media.of_type(known.media_type.as_deref(), known.name.as_deref())
    }

    async fn name_of(&self, link: &str) -> String {
        let known = self.ask(link).await;
        let name = known.name.or_else(|| file_name::of_link_end(link));
        file_name::of_type(name.as_deref(), known.media_type.as_deref().unwrap_or_default())
    }

    async fn ask(&self, link: &str) -> Known {
        let cell = {
            let mut known = self.known.lock();
            if known.len() >= REMEMBERED && !known.contains_key(link) {
                known.clear();
            }
            Arc::clone(known.entry(link.to_owned()).or_default())
        };
        cell.get_or_init(|| self.look(link)).await.clone()
    }

    async fn look(&self, link: &str) -> Known {
        if let Some((media_type, name)) = self.files.describe(link).await {
            return Known { media_type: Some(media_type), name: Some(name) };
        }
        match self.http.describe(link, self.may_reach_private().await, LINK_TIMEOUT).await {
            Ok(Some(FileDescription { content_type, disposition })) => {
                Known { media_type: content_type, name: disposition.as_deref().and_then(file_name::of_disposition) }
            }
            Ok(None) => Known::default(),
            Err(error) => {
                tracing::info!(client.id = %self.client, error = &error as &dyn std::error::Error,
                    "the server of a link does not name the type of the file; it is sent as a document");
                Known::default()
            }
        }
    }

    async fn may_reach_private(&self) -> bool {
        if self.allow_private {
            return true;
        }
        let client = async {
            let mut db = self.files.db().acquire().await?;
            clients::get(&mut db, self.client).await
        };
        client.await.ok().flatten().is_some_and(|client| client.allow_private_targets)
    }
}

fn headers(template: &TemplateSend) -> impl Iterator<Item = &HeaderParameter> {
    template.header.iter().chain(template.cards.iter().filter_map(|card| card.header.as_ref()))
}

fn is_nameless(header: &HeaderParameter) -> bool {
    header.kind == MediaKind::Document && header.filename.is_none()
}
