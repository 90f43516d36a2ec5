use std::collections::{BTreeMap, HashMap, VecDeque};

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use crate::mailbox::MessageState;
use crate::phones::Rejection;
use crate::{clock, identity};

const KEPT: usize = 2_000;

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SimulatedPage {
    pub(crate) page_id: String,
    pub(crate) name: String,
    /// The only valid token. If unset, any token is valid.
    #[serde(skip)]
    pub(crate) access_token: Option<String>,
    /// The app gets the messages of the page (`message_echoes`).
    pub(crate) echoes: bool,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageVisitor {
    pub(crate) psid: String,
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    /// Pages may read the name.
    pub(crate) named: bool,
    pub(crate) available: bool,
    pub(crate) auto_deliver: bool,
    pub(crate) auto_read: bool,
    pub(crate) reject_with: Option<Rejection>,
    pub(crate) timeout: bool,
    pub(crate) typing: bool,
    pub(crate) seen: bool,
}

impl PageVisitor {
    fn new(psid: &str) -> Self {
        let (first_name, last_name) = identity::person_name(psid);
        Self {
            psid: psid.to_owned(),
            first_name: first_name.to_owned(),
            last_name: last_name.to_owned(),
            named: true,
            available: true,
            auto_deliver: true,
            auto_read: false,
            reject_with: None,
            timeout: false,
            typing: false,
            seen: false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct QuickReplyButton {
    pub(crate) title: String,
    pub(crate) payload: String,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadEntry {
    pub(crate) id: String,
    #[serde(skip)]
    pub(crate) psid: String,
    pub(crate) page_id: String,
    pub(crate) mine: bool,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) buttons: Vec<QuickReplyButton>,
    /// The `message` object as received.
    pub(crate) body: Value,
    pub(crate) time: DateTime<Utc>,
    pub(crate) status: MessageState,
    #[serde(flatten)]
    pub(crate) reactions: ThreadReactions,
}

/// The emojis of both sides under a message.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadReactions {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reaction: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page_reaction: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Attachment {
    pub(crate) page_id: String,
    pub(crate) kind: String,
    pub(crate) url: String,
}

#[derive(Debug, Default)]
pub(crate) struct MessengerState {
    attachments: HashMap<String, Attachment>,
    pages: BTreeMap<String, SimulatedPage>,
    people: BTreeMap<String, PageVisitor>,
    messages: HashMap<String, ThreadEntry>,
    by_person: HashMap<String, VecDeque<String>>,
    /// Time of the last message of a person to a page, the start of the windows.
    wrote: HashMap<(String, String), DateTime<Utc>>,
}

impl MessengerState {
    pub(crate) fn page(&self, page_id: &str) -> Option<&SimulatedPage> {
        self.pages.get(page_id)
    }

    pub(crate) fn page_mut(&mut self, page_id: &str) -> &mut SimulatedPage {
        self.pages.entry(page_id.to_owned()).or_insert_with(|| SimulatedPage {
            page_id: page_id.to_owned(),
            name: "Patchbay Sample Page".to_owned(),
            access_token: None,
            echoes: true,
        })
    }

    pub(crate) fn pages(&self) -> Vec<SimulatedPage> {
        self.pages.values().cloned().collect()
    }

    /// The page for a token: the one with this token, or the only one without a token.
    pub(crate) fn page_of_token(&self, token: &str) -> Option<&SimulatedPage> {
        let own = self.pages.values().find(|page| page.access_token.as_deref() == Some(token));
        own.or_else(|| {
            let mut open = self.pages.values().filter(|page| page.access_token.is_none());
            open.next().filter(|_| open.next().is_none())
        })
    }

    pub(crate) fn person(&self, psid: &str) -> Option<&PageVisitor> {
        self.people.get(psid)
    }

    /// A person as it is. An unknown one is not stored.
    pub(crate) fn view(&self, psid: &str) -> PageVisitor {
        self.people.get(psid).cloned().unwrap_or_else(|| PageVisitor::new(psid))
    }

    pub(crate) fn person_mut(&mut self, psid: &str) -> &mut PageVisitor {
        self.people.entry(psid.to_owned()).or_insert_with(|| PageVisitor::new(psid))
    }

    pub(crate) fn people(&self) -> Vec<PageVisitor> {
        self.people.values().cloned().collect()
    }

    pub(crate) fn put(&mut self, message: ThreadEntry) {
        if message.mine {
            self.wrote.insert((message.page_id.clone(), message.psid.clone()), message.time);
            self.person_mut(&message.psid).seen = false;
        }
        let order = self.by_person.entry(message.psid.clone()).or_default();
        order.push_back(message.id.clone());
        if order.len() > KEPT
            && let Some(oldest) = order.pop_front()
        {
            self.messages.remove(&oldest);
        }
        self.messages.insert(message.id.clone(), message);
    }

    pub(crate) fn message(&self, id: &str) -> Option<&ThreadEntry> {
        self.messages.get(id)
    }

    pub(crate) fn message_mut(&mut self, id: &str) -> Option<&mut ThreadEntry> {
        self.messages.get_mut(id)
    }

    pub(crate) fn of(&self, psid: &str) -> impl DoubleEndedIterator<Item = &ThreadEntry> {
        self.by_person.get(psid).into_iter().flatten().filter_map(|id| self.messages.get(id))
    }

    pub(crate) fn add_attachment(&mut self, id: String, attachment: Attachment) {
        self.attachments.insert(id, attachment);
    }

    pub(crate) fn attachment(&self, page_id: &str, id: &str) -> Option<&Attachment> {
        self.attachments.get(id).filter(|attachment| attachment.page_id == page_id)
    }

    pub(crate) fn wrote_at(&self, page_id: &str, psid: &str) -> Option<DateTime<Utc>> {
        self.wrote.get(&(page_id.to_owned(), psid.to_owned())).copied()
    }

    pub(crate) fn age(&mut self, psid: &str, wrote: DateTime<Utc>) {
        for ((_, person), at) in &mut self.wrote {
            if person == psid {
                *at = wrote;
            }
        }
    }

    pub(crate) fn usual_page(&self, psid: &str) -> Option<String> {
        let last = self.of(psid).next_back().map(|message| message.page_id.clone());
        last.or_else(|| {
            let mut all = self.pages.keys();
            all.next().filter(|_| all.next().is_none()).cloned()
        })
    }
}

pub(crate) fn mid() -> String {
    format!("m_{}", identity::trace_id().replace('=', "")) + &hex::encode(clock::random_bytes::<12>())
}
