//! Chooses the version that answers an event.

use std::sync::Arc;

use base::secrets::Sealer;
use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use plugin_host::{HttpLimits, PluginCall, PluginRef, World};
use uuid::Uuid;

use super::CallSubject;
use crate::slots::{Mode, SlotActivation, SlotRecordingTerms, Slots};

#[derive(Debug, Clone)]
pub struct AnsweringVersion {
    pub(super) world: World,
    pub(super) plugin: PluginRef,
    /// JSON.
    pub(super) config: String,
    pub(super) allowed_hosts: Vec<String>,
    pub(super) http_limits: HttpLimits,
    /// `None` = without an activation: a built-in plugin, or a chatbot that a router chose.
    pub(super) activation: Option<Uuid>,
    pub(super) canary: Option<Arc<SlotActivation>>,
    pub(super) recording: Option<SlotRecordingTerms>,
    pub(super) shadow: Option<Arc<SlotActivation>>,
}

impl AnsweringVersion {
    /// The version that answers about `subject` (a participant, a message or a conversation); `None` if nothing is in
    /// force.
    pub fn of(slots: &Slots, subject: Uuid) -> Option<Self> {
        Some(Self::from(slots.answering(subject)?).with_shadow_of(slots))
    }

    /// The live version, which answers if a canary fails; `None` if there is none.
    pub fn live_of(slots: &Slots) -> Option<Self> {
        Some(Self::from(slots.live.as_ref()?).with_shadow_of(slots))
    }

    /// The version that answers about `subject`. If nothing is in force, the built-in plugin.
    pub fn of_or_built_in(slots: &Slots, subject: Uuid, world: World, built_in: &str) -> Self {
        Self::of(slots, subject).unwrap_or_else(|| Self::built_in(world, built_in).with_shadow_of(slots))
    }

    /// The live version. If there is none, the built-in plugin.
    pub fn live_or_built_in(slots: &Slots, world: World, built_in: &str) -> Self {
        Self::live_of(slots).unwrap_or_else(|| Self::built_in(world, built_in).with_shadow_of(slots))
    }

    pub fn built_in(world: World, name: &str) -> Self {
        Self::bare(world, PluginRef::shipped(name))
    }

    /// A plugin without activation and configuration.
    pub fn bare(world: World, plugin: PluginRef) -> Self {
        Self {
            world,
            plugin,
            config: "{}".to_owned(),
            allowed_hosts: Vec::new(),
            http_limits: HttpLimits::default(),
            activation: None,
            canary: None,
            recording: None,
            shadow: None,
        }
    }

    pub fn with_shadow_of(self, slots: &Slots) -> Self {
        Self { shadow: slots.shadow.clone().map(Arc::new), ..self }
    }

    pub fn name(&self) -> &str {
        self.plugin.name()
    }

    /// `None` for a built-in or directory plugin.
    pub fn version(&self) -> Option<u32> {
        self.plugin.version()
    }

    /// SHA-256 of its component; `None` for a built-in or directory plugin.
    pub fn sha256(&self) -> Option<&str> {
        self.plugin.sha256()
    }

    pub fn is_canary(&self) -> bool {
        self.canary.is_some()
    }

    pub(super) fn mode(&self) -> Mode {
        if self.is_canary() { Mode::Canary } else { Mode::Live }
    }

    /// Whether calls about `about` are recorded, on request of the client or for the shadow.
    fn records(&self, about: &CallSubject, now: DateTime<Utc>) -> bool {
        self.shadow.is_some() || self.recording.as_ref().is_some_and(|terms| terms.take(now, about.chance))
    }

    pub fn call<'a>(
        &'a self,
        sealer: &Sealer,
        client: ClientId,
        about: &'a CallSubject,
        now: DateTime<Utc>,
    ) -> PluginCall<'a> {
        PluginCall {
            client,
            plugin: &self.plugin,
            now,
            seed: about.seed(sealer, client, &self.plugin),
            config: &self.config,
            turn: &about.turn,
            allowed_hosts: &self.allowed_hosts,
            http_limits: self.http_limits,
            record: self.records(about, now),
        }
    }
}

impl From<&SlotActivation> for AnsweringVersion {
    fn from(activation: &SlotActivation) -> Self {
        let canary = (activation.mode == Mode::Canary).then(|| Arc::new(activation.clone()));
        Self {
            world: activation.world,
            plugin: activation.plugin.clone(),
            config: activation.call_config().to_string(),
            allowed_hosts: activation.allowed_hosts.clone(),
            http_limits: activation.http_limits,
            activation: Some(activation.id),
            canary,
            recording: activation.recording.clone(),
            shadow: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use plugin_host::CallSeed;

    use super::*;

    fn seed(installation: u8, client: u128, event: u128, plugin: &str) -> CallSeed {
        seed_of(installation, client, event, &AnsweringVersion::built_in(World::Chatbot, plugin))
    }

    fn seed_of(installation: u8, client: u128, event: u128, answering: &AnsweringVersion) -> CallSeed {
        let sealer = Sealer::new([installation; 32]);
        let about = CallSubject::event(Uuid::from_u128(event), Uuid::nil());
        answering.call(&sealer, ClientId(Uuid::from_u128(client)), &about, DateTime::UNIX_EPOCH).seed
    }

    #[test]
    fn a_repeated_call_has_the_same_seed() {
        assert_eq!(seed(1, 2, 3, "bot"), seed(1, 2, 3, "bot"));
    }

    #[test]
    fn a_call_of_another_installation_client_event_or_plugin_has_another_seed() {
        let first = seed(1, 2, 3, "bot");
        for other in [seed(9, 2, 3, "bot"), seed(1, 9, 3, "bot"), seed(1, 2, 9, "bot"), seed(1, 2, 3, "other")] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn an_uploaded_plugin_with_the_name_of_a_shipped_one_has_another_seed_in_all_its_versions() {
        let shipped = AnsweringVersion::built_in(World::Chatbot, "bot");
        let uploaded =
            |version| AnsweringVersion { plugin: PluginRef::uploaded("bot", version, "00"), ..shipped.clone() };
        let first = seed_of(1, 2, 3, &uploaded(1));
        assert_ne!(first, seed_of(1, 2, 3, &shipped));
        assert_eq!(first, seed_of(1, 2, 3, &uploaded(2)));
    }

    #[test]
    fn a_seed_is_no_number_that_services_can_see() {
        assert!(![CallSeed::from_number(3), CallSeed::SplitMix(3)].contains(&seed(1, 2, 3, "bot")));
    }
}
