//! The keywords of the batch gateway (SPEC 2.15, 4.9) and the codes of their faults (SPEC 7).

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, NaiveDateTime, Utc};

use super::{
    boolean,
    cell::{self, Cell},
    source::{WHAT_IT_IS, source},
};
use crate::{
    dates,
    sandbox::{KeyMode, TEST_NUMBERS_ONLY},
    segments::{self, Encoding},
};

/// Longest `batchref`, in characters.
pub const BATCH_REF_MAX: usize = 80;
/// Longest `batchid`, in characters.
pub const BATCH_ID_MAX: usize = 20;
/// Most numbers of one request. The specification promises about 200.
pub const CELLS_MAX: usize = 250;
/// Most bytes of a number with its identifier, on average over the list. A longer list is refused unread.
const CELL_BYTES_MAX: usize = 1_024;
pub const PARTS_MAX: usize = 9;
/// Longest `virtualname` or identifier, in characters.
const NAME_MAX: usize = 80;

const KEYWORDS: [&str; 17] = [
    "batchref",
    "batchid",
    "message",
    "cell",
    "senderid",
    "rdr",
    "priority",
    "repliesperuserid",
    "manageownreplies",
    "virtualname",
    "concat",
    "unicode",
    "maxparts",
    "futuredatetime",
    "version",
    "creditcheck",
    "charge",
];

/// A status code of the batch gateway with its text. Codes 1000 to 1999 concern keywords, 2000 to 2999 functions, and
/// 3000 to 3999 the system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchFault {
    pub code: u16,
    pub said: String,
}

impl BatchFault {
    pub fn new(code: u16, said: impl Into<String>) -> Self {
        Self { code, said: said.into() }
    }

    pub fn no_credits() -> Self {
        Self::new(2012, "insufficient credits")
    }
}

#[derive(Debug, Clone, Default)]
pub struct Keywords(HashMap<String, String>);

impl Keywords {
    pub fn of(fields: impl IntoIterator<Item = (String, String)>) -> Result<Self, BatchFault> {
        let mut known = HashMap::new();
        for (name, value) in fields {
            let name = name.trim().to_ascii_lowercase();
            if !KEYWORDS.contains(&name.as_str()) {
                return Err(BatchFault::new(1001, format!("the keyword {name:?} is not known")));
            }
            if value.contains('\0') {
                return Err(BatchFault::new(1002, format!("the keyword {name} holds a NUL character")));
            }
            if known.insert(name.clone(), value).is_some() {
                return Err(BatchFault::new(1003, format!("the keyword {name} is given twice")));
            }
        }
        Ok(Self(known))
    }

    /// The value of a keyword. `None` if it is empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|text| !text.trim().is_empty())
    }

    /// The value of a yes-or-no keyword. An absent keyword is a no.
    pub fn truth(&self, name: &str) -> Result<bool, BatchFault> {
        let said = self.text(name).map_or(Some(false), boolean::of);
        said.ok_or_else(|| BatchFault::new(1005, format!("the keyword {name} must be true or false")))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchName {
    pub batch_ref: Option<String>,
    pub batch_id: Option<String>,
}

impl BatchName {
    pub fn of(keywords: &Keywords) -> Result<Self, BatchFault> {
        let short = |name: &str, most: usize, code: u16| match keywords.text(name).map(str::trim) {
            Some(text) if text.chars().count() > most => {
                Err(BatchFault::new(code, format!("{name} may have {most} characters at most")))
            }
            text => Ok(text.map(str::to_owned)),
        };
        let batch_ref = short("batchref", BATCH_REF_MAX, 1031)?;
        let batch_id = short("batchid", BATCH_ID_MAX, 1032)?;
        Ok(Self { batch_ref, batch_id })
    }

    /// Both parts. A query about a batch needs both.
    pub fn whole(self) -> Result<(String, String), BatchFault> {
        self.batch_ref.zip(self.batch_id).ok_or_else(|| BatchFault::new(1033, "batchref and batchid are required"))
    }
}

/// The reply model of a batch (SPEC 4.9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyModel {
    /// The batch goes out from this sender. Replies are not stored.
    Sender(String),
    /// The batch goes out with priority from a number of ours. The client can query replies.
    Replies {
        /// The `virtualname` of a client that manages its own replies.
        virtual_name: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FutureTime {
    /// A time in the client's time zone.
    Local(NaiveDateTime),
    At(DateTime<Utc>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchSend {
    /// The text, cut to `maxparts`.
    pub text: BatchText,
    pub cells: BatchCells,
    pub replies: ReplyModel,
    pub wants_receipts: bool,
    /// `None`: send now.
    pub future: Option<FutureTime>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchCells {
    /// The valid numbers in order, without duplicates. At least one.
    pub recipients: Vec<Cell>,
    pub total: usize,
    pub correct: usize,
}

impl BatchCells {
    /// With a test key, only test numbers are valid.
    pub fn of(keywords: &Keywords, mode: KeyMode) -> Result<Self, BatchFault> {
        const NUMBERS: &str = "numbers have 10 to 11 digits, with commas between them";
        let given = keywords.text("cell");
        let given = given.ok_or_else(|| BatchFault::new(1071, format!("the keyword cell is missing: {NUMBERS}")))?;
        let too_many =
            || BatchFault::new(1072, format!("cell has more than {CELLS_MAX} numbers; send about 200 at a time"));
        // A list of megabytes is refused unread.
        if given.len() > CELLS_MAX * CELL_BYTES_MAX {
            return Err(too_many());
        }
        let entries: Vec<&str> = cell::entries(given).take(CELLS_MAX + 1).collect();
        if entries.len() > CELLS_MAX {
            return Err(too_many());
        }
        let mut recipients: Vec<Cell> = entries.iter().filter_map(|entry| cell::parse(entry)).collect();
        recipients.retain(|cell| mode.admits(&cell.number));
        let (total, correct) = (entries.len(), recipients.len());
        if recipients.iter().filter_map(|cell| cell.identifier.as_ref()).any(|name| name.chars().count() > NAME_MAX) {
            return Err(BatchFault::new(1073, format!("an identifier may have {NAME_MAX} characters at most")));
        }
        if recipients.is_empty() {
            let valid = if mode.is_test() { TEST_NUMBERS_ONLY } else { NUMBERS };
            return Err(BatchFault::new(1071, format!("all numbers are invalid: {valid}")));
        }
        let mut seen = HashSet::new();
        recipients.retain(|cell| seen.insert(cell.number.clone()));
        Ok(Self { recipients, total, correct })
    }

    /// 1 if an entry is invalid, otherwise 0.
    pub fn code(&self) -> u16 {
        u16::from(self.correct < self.total)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchText {
    pub text: String,
    /// Forces UTF-16.
    pub unicode: bool,
    /// A long text becomes several numbered messages instead of one message of joined parts.
    pub numbered: bool,
    pub parts: usize,
}

impl BatchText {
    pub fn of(keywords: &Keywords) -> Result<Self, BatchFault> {
        let text = keywords.text("message").ok_or_else(|| BatchFault::new(1021, "the keyword message is missing"))?;
        let (unicode, concat) = (keywords.truth("unicode")?, keywords.truth("concat")?);
        let most =
            match keywords.text("maxparts") {
                None => None,
                Some(given) => {
                    Some(given.trim().parse().ok().filter(|most| (1..=PARTS_MAX).contains(most)).ok_or_else(|| {
                        BatchFault::new(1051, format!("maxparts must be a number from 1 to {PARTS_MAX}"))
                    })?)
                }
            };
        let numbered = !concat;
        let too_long = |_| BatchFault::new(1022, format!("the message needs more than {PARTS_MAX} parts: shorten it"));
        let count = |text: &str| split(text, unicode, numbered).map(|segmented| segmented.parts.len());
        // A character takes at least one septet, so a longer text cannot fit and is not split.
        let could_fit = text.chars().nth(Encoding::Gsm7.single_limit() * PARTS_MAX).is_none();
        let parts = could_fit.then(|| count(text).ok()).flatten();
        let parts = parts.filter(|parts| *parts <= most.unwrap_or(PARTS_MAX));
        let (text, parts) = match (parts, most) {
            (Some(parts), _) => (text.to_owned(), parts),
            (None, None) => return Err(too_long(())),
            (None, Some(most)) => cut(text, most, count),
        };
        Ok(Self { text, unicode, numbered, parts })
    }
}

fn split(text: &str, unicode: bool, numbered: bool) -> Result<segments::SegmentedText, segments::TooManySegments> {
    if numbered { segments::split_numbered(text, unicode) } else { segments::split(text, unicode) }
}

fn cut(text: &str, most: usize, count: impl Fn(&str) -> Result<usize, segments::TooManySegments>) -> (String, usize) {
    let fits = |text: &str| count(text).ok().filter(|parts| *parts <= most);
    // A character takes at least one septet or UTF-16 unit, so a longer text cannot fit.
    let longest = Encoding::Gsm7.single_limit() * most;
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(1).take(longest).collect();
    let whole = ends.partition_point(|end| text.get(..*end).is_some_and(|text| fits(text).is_some()));
    let end = whole.checked_sub(1).and_then(|at| ends.get(at)).copied().unwrap_or(0);
    let beginning = text.get(..end).unwrap_or_default();
    (beginning.to_owned(), fits(beginning).unwrap_or(1))
}

impl BatchSend {
    /// Checks the keywords of `/smsbatch/sms`, except the name of the batch.
    pub fn of(keywords: &Keywords, mode: KeyMode) -> Result<Self, BatchFault> {
        let text = BatchText::of(keywords)?;
        let replies = reply_model(keywords)?;
        let wants_receipts = keywords.truth("rdr")?;
        let future = keywords.text("futuredatetime").map(future).transpose()?;
        Ok(Self { text, cells: BatchCells::of(keywords, mode)?, replies, wants_receipts, future })
    }
}

fn reply_model(keywords: &Keywords) -> Result<ReplyModel, BatchFault> {
    let priority = keywords.truth("priority")?;
    let per_user = keywords.text("repliesperuserid").is_some_and(|said| boolean::of(said) != Some(false));
    let own = keywords.truth("manageownreplies")?;
    let virtual_name = keywords.text("virtualname").map(str::trim);
    if virtual_name.is_some_and(|name| name.chars().count() > NAME_MAX) {
        return Err(BatchFault::new(1104, format!("virtualname may have {NAME_MAX} characters at most")));
    }
    let replies = per_user || own;
    match keywords.text("senderid").map(str::trim) {
        Some(_) if priority || replies => {
            let said = "choose one reply model: senderid, or priority with repliesperuserid or manageownreplies";
            Err(BatchFault::new(1101, said))
        }
        Some(sender) => match source(sender) {
            Some(sender) => Ok(ReplyModel::Sender(sender.to_owned())),
            None => Err(BatchFault::new(1102, format!("senderid must be {WHAT_IT_IS}"))),
        },
        None if !(priority && replies) => Err(BatchFault::new(
            1100,
            "a senderid is required, or priority=true with repliesperuserid or manageownreplies",
        )),
        None if own && virtual_name.is_none() => Err(BatchFault::new(1103, "manageownreplies needs a virtualname")),
        None => Ok(ReplyModel::Replies { virtual_name: virtual_name.map(str::to_owned) }),
    }
}

/// `YYYY-MM-DD hh:mm:ss` in the client's time zone, or ISO 8601 with an offset (CONTRACT 7).
fn future(text: &str) -> Result<FutureTime, BatchFault> {
    let text = text.trim();
    let local = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"];
    let local = dates::wall(text, &local).map(FutureTime::Local);
    // In a form, an unescaped `+` is a blank.
    let anywhere = || dates::with_offset(&dates::restored(text)).map(FutureTime::At);
    local.or_else(anywhere).ok_or_else(|| BatchFault::new(1310, "futuredatetime must be YYYY-MM-DD hh:mm:ss"))
}
