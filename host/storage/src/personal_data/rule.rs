//! The rule of a table: how its rows are tied to a person, and how an erasure treats them.

#[derive(Debug, Clone, Copy)]
pub struct PersonalTable {
    pub name: &'static str,
    pub columns: &'static [&'static str],
    pub rule: TableRule,
}

#[derive(Debug, Clone, Copy)]
pub enum TableRule {
    /// No row is about a customer: settings, figures, leases, hashes.
    Unrelated,
    /// The rows are about users of the client, who have no customer address.
    OfUsers,
    /// Parts of files. The store of files removes them, because it also knows the folder and the bucket.
    OfFiles,
    /// The rows that at least one tie finds are about the person.
    Tied(&'static [PersonLink], RowTreatment, RowScope),
}

#[derive(Debug, Clone, Copy)]
pub enum PersonLink {
    /// The column has the id of one of the person's objects: customer, chat, message, file, delivery.
    Id(&'static str),
    /// The column has an address of the person.
    Value(&'static str),
    /// The column has a tracking id of one of the person's messages.
    Name(&'static str),
    /// The column has the order key of the person with an inbox (`domain::recipient::order_key`).
    Order(&'static str),
    /// The text of the column contains an address of the person, or the id of its customer or chat.
    Mention(&'static str, ColumnForm),
    /// As `Mention`, but only ids: words of another person never contain them.
    Subject(&'static str, ColumnForm),
    /// The text of the column names the person as sender or recipient: a field of JSON, or of an encoded form.
    Party(&'static str, ColumnForm),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnForm {
    Text,
    Json,
    /// `bytea` that is mostly text.
    Bytes,
}

#[derive(Debug, Clone, Copy)]
pub enum RowTreatment {
    Delete,
    /// Like `Delete`, and the client's use of its key-value store shrinks.
    DeleteMetered,
    /// The columns get these values, each an SQL expression. The rest of the row is a figure that stays.
    Blank(&'static [(&'static str, &'static str)]),
    /// The row is the wish of the person to get no messages. It stays, with blank columns as in `Blank`, unless the erasure
    /// includes such wishes ([`StopEntries`], ADR 0064).
    KeepStop(&'static [(&'static str, &'static str)]),
    /// Mentions of the person in these columns become `erased`. The row belongs to other persons, too.
    Redact(&'static [(&'static str, ColumnForm)]),
}

/// The treatment of blocklist entries and opt-outs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StopEntries {
    /// They stay, so that the person gets no messages in the future either.
    #[default]
    Keep,
    Erase,
}

/// The rows of a table that can be about a person of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowScope {
    Client,
    /// SMS to a source of the client, or answers to one of its messages.
    SmsSource,
    /// All, because no row names its client. Such rows are erased and not exported.
    Anywhere,
}

impl ColumnForm {
    pub(super) fn text(self, column: &str) -> String {
        match self {
            Self::Text => column.to_owned(),
            Self::Json => format!("{column}::text"),
            Self::Bytes => format!("encode({column}, 'escape')"),
        }
    }

    pub(super) fn value(self, text: &str, column: &str) -> String {
        match self {
            Self::Text => text.to_owned(),
            Self::Json => format!("CASE WHEN {column} IS NOT NULL THEN ({text})::jsonb END"),
            Self::Bytes => format!("decode({text}, 'escape')"),
        }
    }
}

impl PersonLink {
    /// The condition on a row. `$2` to `$8` are the lists and the patterns of the person.
    pub(super) fn condition(self) -> String {
        match self {
            Self::Id(column) => format!("{column} = ANY ($2)"),
            Self::Value(column) => format!("{column} = ANY ($3)"),
            Self::Name(column) => format!("{column} = ANY ($4)"),
            Self::Order(column) => format!("{column} = ANY ($5)"),
            Self::Mention(column, form) => format!("{} ~ $6", form.text(column)),
            Self::Subject(column, form) => format!("{} ~ $7", form.text(column)),
            Self::Party(column, form) => format!("{} ~ $8", form.text(column)),
        }
    }
}

impl PersonLink {
    pub(super) fn bytes(self) -> Option<&'static str> {
        match self {
            Self::Mention(column, ColumnForm::Bytes) | Self::Subject(column, ColumnForm::Bytes) => Some(column),
            Self::Mention(..) | Self::Subject(..) | Self::Party(..) => None,
            Self::Id(_) | Self::Value(_) | Self::Name(_) | Self::Order(_) => None,
        }
    }
}

impl RowScope {
    pub(super) fn condition(self) -> &'static str {
        match self {
            Self::Client => "client_id = $1",
            Self::SmsSource => {
                "(EXISTS (SELECT FROM inbox WHERE inbox.client_id = $1 AND inbox.channel = 'SMS'
                                             AND inbox.address = receiver)
                  OR EXISTS (SELECT FROM sms_correspondent known
                             WHERE known.source = receiver AND known.subscriber = sender AND known.client_id = $1))"
            }
            Self::Anywhere => "$1::uuid IS NOT NULL",
        }
    }
}

impl PersonalTable {
    pub(super) fn condition(&self) -> Option<String> {
        let TableRule::Tied(ties, _, scope) = self.rule else { return None };
        let ties: Vec<String> = ties.iter().map(|tie| tie.condition()).collect();
        Some(format!("{} AND ({})", scope.condition(), ties.join(" OR ")))
    }
}
