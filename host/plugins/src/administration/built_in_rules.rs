//! Rules of built-in plugins for their configurations that no schema can express.

use domain::body::FieldFault;
use plugin_host::PluginRef;
use serde_json::Value;

/// The built-in plugin whose configuration is a flow.
const FLOW: &str = "flow";
const MOST_FAULTS: usize = 50;

/// The faults of a configuration that matches the schema. The plugin that an operator's file replaces has the same rules.
pub(super) fn faults(plugin: &PluginRef, config: &Value) -> Vec<FieldFault> {
    if !matches!(plugin, PluginRef::Shipped(name) if name == FLOW) {
        return Vec::new();
    }
    let findings = flow_model::check(&config.to_string()).into_iter().take(MOST_FAULTS);
    findings
        .map(|finding| match finding.path().as_str() {
            "" => FieldFault::new("config", finding.message),
            path => FieldFault::new(format!("config/{path}"), finding.message),
        })
        .collect()
}
