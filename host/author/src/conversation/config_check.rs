//! Compares the configurations of tests with the rules of an activation, before the first test runs.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    path::Path,
};

use domain::body::FieldFault;
use serde_json::Value;

use super::read::ConversationTest;
use crate::local_run::{ConfigRefusal, LoadedProgram, LocalHost};

/// The configurations that a server would refuse, each once for each place. A test that expects a failure may have any
/// configuration.
pub(super) async fn refusals<'a>(
    local_host: &LocalHost,
    loaded: &LoadedProgram,
    tests: impl Iterator<Item = (&'a Path, &'a ConversationTest)>,
) -> Vec<ConfigRefusal> {
    let mut known: HashMap<&str, Vec<FieldFault>> = HashMap::new();
    let (mut places, mut refusals) = (HashSet::new(), vec![]);
    for (file, test) in tests.filter(|(_, test)| !test.expects_failure()) {
        let setup = &test.setup;
        let place = setup.config_place.words(file);
        if !places.insert(place.clone()) {
            continue;
        }
        let faults = match known.entry(setup.config.as_str()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let config: Value = serde_json::from_str(&setup.config).unwrap_or_default();
                entry.insert(local_host.config_faults(loaded, &config).await)
            }
        };
        if !faults.is_empty() {
            refusals.push(ConfigRefusal { place, faults: faults.clone() });
        }
    }
    refusals
}
