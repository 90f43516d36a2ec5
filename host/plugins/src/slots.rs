//! The activations in force for a world of a client on one of its inboxes. Every event reads them with one statement.
//! The table is the only source, so a swap is one committed row, takes effect on all nodes at once, and each event has
//! exactly one version.

use std::{borrow::Cow, time::Duration};

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, InboxId},
    split_mix::split_mix,
};
use plugin_host::{HttpLimits, PluginRef, World};
use serde_json::Value;
use storage::{
    PgConnection,
    plugins::activations::{self, ActivatedHttpLimits, ActivatedUpload, RecordingTerms as StoredTerms},
};
use uuid::Uuid;

use base::{Error, Result};

use crate::shared_secrets::{self, GrantedSecrets};

/// Activated on an inbox that has no chatbot although the client has one. It is not a plugin, and nothing runs.
pub const NO_CHATBOT: &str = "no-chatbot";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    Live,
    /// Gets the same questions as the live version. Its answers are compared and dropped.
    Shadow,
    /// Answers for a share of the subjects, until it fails too often.
    Canary,
}

impl Mode {
    pub const ALL: [Self; 3] = [Self::Live, Self::Shadow, Self::Canary];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Shadow => "shadow",
            Self::Canary => "canary",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }
}

/// An activation that is or was in force.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotActivation {
    pub id: Uuid,
    pub world: World,
    /// `None` = all inboxes without an activation of their own.
    pub inbox: Option<InboxId>,
    pub mode: Mode,
    pub plugin: PluginRef,
    /// The configuration of the plugin, with its secrets sealed, and references to shared secrets.
    pub config: Value,
    /// The shared secrets of the configuration. Only calls need them; see [`read_shared_secrets`].
    pub(crate) shared: GrantedSecrets,
    pub allowed_hosts: Vec<String>,
    pub http_limits: HttpLimits,
    pub percent: u8,
    /// If more than this percentage of a canary's calls fail, the canary is withdrawn.
    pub error_threshold: u8,
    /// Calls of a canary before its failures are judged.
    pub minimum_calls: u32,
    pub previous: Option<Uuid>,
    pub recording: Option<SlotRecordingTerms>,
    pub activated_at: DateTime<Utc>,
}

/// The terms of a recording of an activation's calls.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotRecordingTerms {
    pub sample: f64,
    pub max_calls: u32,
    pub max_bytes: u64,
    /// Recordings with this id or a later one count towards both limits.
    pub first: Uuid,
    pub until: DateTime<Utc>,
    /// Why the recording stopped early; `None` = it continues until `until`.
    pub stopped: Option<String>,
}

impl SlotRecordingTerms {
    /// Whether a call is recorded. `chance` is that of the event, so a repetition gets the same decision.
    pub fn take(&self, now: DateTime<Utc>, chance: u64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
        let place = (split_mix(chance) >> 11) as f64 / (1_u64 << 53) as f64;
        self.stopped.is_none() && now < self.until && place < self.sample
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slots {
    pub live: Option<SlotActivation>,
    pub shadow: Option<SlotActivation>,
    pub canary: Option<SlotActivation>,
}

impl Slots {
    /// The activation that answers about `subject` (a participant or a message): the canary for its share, otherwise
    /// the live one. The share is sticky: a subject in it stays in it while the share grows, across versions of the
    /// plugin.
    pub fn answering(&self, subject: Uuid) -> Option<&SlotActivation> {
        self.canary.as_ref().filter(|canary| canary.is_for(subject)).or(self.live.as_ref())
    }

    fn each_mut(&mut self) -> impl Iterator<Item = &mut SlotActivation> {
        [&mut self.live, &mut self.shadow, &mut self.canary].into_iter().flatten()
    }
}

impl SlotActivation {
    /// The configuration for a call: sealed values in place of the references to shared secrets.
    pub fn call_config(&self) -> Cow<'_, Value> {
        self.shared.put_into(&self.config)
    }

    fn is_for(&self, subject: Uuid) -> bool {
        let seed = self.plugin.name().bytes().fold(0, |hash, byte| split_mix(hash ^ u64::from(byte)));
        let (high, low) = subject.as_u64_pair();
        split_mix(split_mix(seed ^ high) ^ low) % 100 < u64::from(self.percent)
    }
}

pub fn is_no_chatbot(plugin: &PluginRef) -> bool {
    matches!(plugin, PluginRef::Shipped(name) if name == NO_CHATBOT)
}

pub fn stored_version(plugin: &PluginRef) -> Option<i32> {
    plugin.version().map(|version| i32::try_from(version).unwrap_or(i32::MAX))
}

/// The activations in force for `world` on an inbox. Each slot has the inbox's own activation, otherwise that of the
/// client. If an inbox has a live plugin of its own, the client's shadows and canaries do not apply to it.
pub async fn in_force(db: &mut PgConnection, client: ClientId, world: World, inbox: InboxId) -> Result<Slots> {
    let [slots] = in_force_of_each(db, client, [world], inbox).await?;
    Ok(slots)
}

pub async fn in_force_of_each<const COUNT: usize>(
    db: &mut PgConnection,
    client: ClientId,
    worlds: [World; COUNT],
    inbox: InboxId,
) -> Result<[Slots; COUNT]> {
    let rows = activations::in_force(db, client, &worlds.map(World::as_str), inbox).await?;
    let mut of_each = [const { Vec::new() }; COUNT];
    for row in rows {
        let place = worlds.iter().zip(&mut of_each).find(|(world, _)| world.as_str() == row.world);
        if let Some((_, rows)) = place {
            rows.push(row);
        }
    }
    let mut slots = [const { Slots { live: None, shadow: None, canary: None } }; COUNT];
    for (slots, rows) in slots.iter_mut().zip(of_each) {
        *slots = of_rows(rows)?;
    }
    read_shared_secrets(db, client, slots.iter_mut().flat_map(Slots::each_mut).collect()).await?;
    Ok(slots)
}

/// Reads the shared secrets that activations name, as of now, for a call.
pub async fn read_shared_secrets(
    db: &mut PgConnection,
    client: ClientId,
    activations: Vec<&mut SlotActivation>,
) -> Result<()> {
    let configs: Vec<(&str, &Value)> =
        activations.iter().map(|activation| (activation.plugin.name(), &activation.config)).collect();
    let granted = shared_secrets::granted(db, client, &configs).await?;
    for (activation, granted) in activations.into_iter().zip(granted) {
        activation.shared = granted;
    }
    Ok(())
}

fn of_rows(rows: Vec<activations::Activation>) -> Result<Slots> {
    let mut slots = Slots::default();
    let own_live = rows.iter().any(|row| row.inbox.is_some() && row.mode == activations::LIVE);
    // Rows of the inbox come before rows of the client.
    for row in rows {
        if own_live && row.inbox.is_none() {
            continue;
        }
        let activation = SlotActivation::try_from(row)?;
        let slot = match activation.mode {
            Mode::Live => &mut slots.live,
            Mode::Shadow => &mut slots.shadow,
            Mode::Canary => &mut slots.canary,
        };
        slot.get_or_insert(activation);
    }
    slots.live = slots.live.filter(|live| !is_no_chatbot(&live.plugin));
    Ok(slots)
}

fn inconsistent(column: &'static str, value: String) -> Error {
    storage::Error::Inconsistent { table: "plugin_activation", column, value }.into()
}

fn http_limits(stored: ActivatedHttpLimits) -> HttpLimits {
    HttpLimits {
        timeout: stored.timeout_ms.map(|millis| Duration::from_millis(millis.unsigned_abs().into())),
        response_bytes: stored.response_bytes.map(|bytes| usize::try_from(bytes).unwrap_or_default()),
        requests: stored.requests.map(i32::unsigned_abs),
    }
}

/// The limits fit, because those of the operator do.
fn stored_http_limits(limits: HttpLimits) -> ActivatedHttpLimits {
    ActivatedHttpLimits {
        timeout_ms: limits.timeout.map(|time| i32::try_from(time.as_millis()).unwrap_or(i32::MAX)),
        response_bytes: limits.response_bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
        requests: limits.requests.map(|count| i32::try_from(count).unwrap_or(i32::MAX)),
    }
}

impl TryFrom<activations::Activation> for SlotActivation {
    type Error = Error;

    fn try_from(row: activations::Activation) -> Result<Self> {
        let world = World::ALL.into_iter().find(|world| world.as_str() == row.world);
        Ok(Self {
            id: row.id,
            world: world.ok_or_else(|| inconsistent("world", row.world))?,
            inbox: row.inbox,
            mode: Mode::parse(&row.mode).ok_or_else(|| inconsistent("mode", row.mode))?,
            plugin: match row.upload {
                Some(ActivatedUpload { version, sha256 }) => {
                    PluginRef::uploaded(row.plugin, version.unsigned_abs(), sha256)
                }
                None => PluginRef::shipped(row.plugin),
            },
            config: row.config.0,
            shared: GrantedSecrets::default(),
            allowed_hosts: row.allowed_hosts,
            http_limits: http_limits(row.http_limits),
            percent: u8::try_from(row.percent).unwrap_or(100),
            error_threshold: u8::try_from(row.error_threshold).unwrap_or(100),
            minimum_calls: row.minimum_calls.unsigned_abs(),
            previous: row.previous,
            recording: row.recording.map(|terms| SlotRecordingTerms {
                sample: terms.sample,
                max_calls: terms.max_calls.unsigned_abs(),
                max_bytes: terms.max_bytes.unsigned_abs(),
                first: terms.first,
                until: terms.until,
                stopped: terms.stopped,
            }),
            activated_at: row.activated_at,
        })
    }
}

impl From<&SlotRecordingTerms> for StoredTerms {
    fn from(terms: &SlotRecordingTerms) -> Self {
        Self {
            sample: terms.sample,
            max_calls: i32::try_from(terms.max_calls).unwrap_or(i32::MAX),
            max_bytes: i64::try_from(terms.max_bytes).unwrap_or(i64::MAX),
            first: terms.first,
            until: terms.until,
            stopped: terms.stopped.clone(),
        }
    }
}

impl From<&SlotActivation> for activations::Activation {
    fn from(activation: &SlotActivation) -> Self {
        let upload = match &activation.plugin {
            PluginRef::Shipped(_) => None,
            PluginRef::Uploaded { version, sha256, .. } => {
                Some(ActivatedUpload { version: i32::try_from(*version).unwrap_or(i32::MAX), sha256: sha256.clone() })
            }
        };
        Self {
            id: activation.id,
            world: activation.world.as_str().to_owned(),
            inbox: activation.inbox,
            mode: activation.mode.as_str().to_owned(),
            plugin: activation.plugin.name().to_owned(),
            upload,
            config: activation.config.clone().into(),
            allowed_hosts: activation.allowed_hosts.clone(),
            http_limits: stored_http_limits(activation.http_limits),
            percent: i16::from(activation.percent),
            error_threshold: i16::from(activation.error_threshold),
            minimum_calls: i32::try_from(activation.minimum_calls).unwrap_or(i32::MAX),
            previous: activation.previous,
            recording: activation.recording.as_ref().map(StoredTerms::from),
            activated_at: activation.activated_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn active(mode: Mode, percent: u8) -> SlotActivation {
        SlotActivation {
            id: Uuid::from_u128(1),
            world: World::Chatbot,
            inbox: None,
            mode,
            plugin: PluginRef::uploaded("shop", 2, "00"),
            config: Value::Null,
            shared: GrantedSecrets::default(),
            allowed_hosts: Vec::new(),
            http_limits: HttpLimits::default(),
            percent,
            error_threshold: 10,
            minimum_calls: 20,
            previous: None,
            recording: None,
            activated_at: DateTime::UNIX_EPOCH,
        }
    }

    fn subjects() -> impl Iterator<Item = Uuid> {
        // Like real ids: a slowly growing time and random bits.
        (0..10_000_u128)
            .map(|index| Uuid::from_u128((0x0193_5000_0000 + index / 7) << 80 | split_mix(index as u64) as u128))
    }

    fn share(percent: u8) -> Vec<Uuid> {
        let canary = active(Mode::Canary, percent);
        subjects().filter(|subject| canary.is_for(*subject)).collect()
    }

    #[test]
    fn a_canary_answers_for_about_its_share() {
        for percent in [1, 10, 50, 99] {
            let expected = i64::from(percent) * 100;
            let found = i64::try_from(share(percent).len()).unwrap();
            assert!((found - expected).abs() < 200, "{percent} %: {found} of 10000");
        }
        assert_eq!(share(100).len(), 10_000);
        assert_eq!(share(0).len(), 0);
    }

    #[test]
    fn a_growing_share_keeps_its_members() {
        let ten = share(10);
        let thirty = share(30);
        assert!(ten.iter().all(|subject| thirty.contains(subject)));
    }

    #[test]
    fn without_a_live_plugin_the_rest_has_none() {
        let slots = Slots { canary: Some(active(Mode::Canary, 10)), ..Slots::default() };
        let answered = subjects().filter(|subject| slots.answering(*subject).is_some()).count();
        assert!((800..1_200).contains(&answered), "{answered}");
    }

    #[test]
    fn recordings_are_sampled_by_the_event_and_end_in_time() {
        let until = DateTime::UNIX_EPOCH + chrono::TimeDelta::hours(1);
        let terms = |sample| SlotRecordingTerms {
            sample,
            max_calls: 10,
            max_bytes: 1_000,
            first: Uuid::nil(),
            until,
            stopped: None,
        };
        let taken = |sample| (0..1_000).filter(|chance| terms(sample).take(DateTime::UNIX_EPOCH, *chance)).count();
        assert_eq!((taken(1.0), taken(0.0)), (1_000, 0));
        assert!((200..300).contains(&taken(0.25)), "{}", taken(0.25));
        assert!(!terms(1.0).take(until, 1));
        let stopped = SlotRecordingTerms { stopped: Some("it is full".to_owned()), ..terms(1.0) };
        assert!(!stopped.take(DateTime::UNIX_EPOCH, 1), "one that has all it may have takes no more");
    }
}
