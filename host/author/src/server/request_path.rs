//! The path of a request in words of the command line: the plugin that it names, and the options for its fields.

pub(super) const BASE: &str = "/plugin-service/api/v1/plugins";
const ACTIVATE: &[(&str, &str)] = &[
    ("version", "--version"),
    ("whatsAppNumberId", "--number"),
    ("mode", "--mode"),
    ("percent", "--percent"),
    ("config", "--config"),
    ("allowedHosts", "--allow-host"),
    ("httpLimits.timeoutMs", "--http-timeout-ms"),
    ("httpLimits.responseBytes", "--http-response-bytes"),
    ("httpLimits.requests", "--http-requests"),
    ("errorThreshold", "--error-threshold"),
    ("minimumCalls", "--minimum-calls"),
];
const ROLLBACK: &[(&str, &str)] = &[("version", "--to"), ("whatsAppNumberId", "--number")];
const INVOKE: &[(&str, &str)] =
    &[("version", "--version"), ("event", "--event"), ("session", "--session"), ("config", "--config")];
const INVOCATIONS: &[(&str, &str)] = &[("outcome", "--outcome"), ("event", "--event"), ("subjectId", "--participant")];
const RECORDING: &[(&str, &str)] = &[
    ("whatsAppNumberId", "--number"),
    ("mode", "--mode"),
    ("sample", "--sample"),
    ("maxCalls", "--max-calls"),
    ("maxBytes", "--max-bytes"),
    ("forSeconds", "--for"),
];

/// The part of a path that names a plugin and its object, without the query.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestPath<'p> {
    plugin: Option<&'p str>,
    object: &'p str,
}

impl<'p> RequestPath<'p> {
    pub(super) fn of(path: &'p str) -> Self {
        let path = path.split('?').next().unwrap_or_default();
        let Some(rest) = path.strip_prefix(BASE).and_then(|rest| rest.strip_prefix('/')) else {
            return Self { plugin: None, object: "" };
        };
        let (plugin, object) = rest.split_once('/').unwrap_or((rest, ""));
        Self { plugin: Some(plugin), object }
    }

    /// The plugin, if a 404 can only mean that there is none.
    pub(super) fn missing_plugin(self) -> Option<&'p str> {
        let is_certain = ["", "activate", "invoke", "invocations", "events", "differences"].contains(&self.object);
        self.plugin.filter(|_| is_certain)
    }

    /// A field of the request as the option that gives it, such as `config/team` as `--config, team`.
    pub(super) fn option(self, field: &str) -> String {
        let options = match self.object {
            "activate" => ACTIVATE,
            "rollback" => ROLLBACK,
            "invoke" => INVOKE,
            "invocations" => INVOCATIONS,
            "recording" => RECORDING,
            _ => return field.to_owned(),
        };
        let find = |wanted: &str| options.iter().find(|(name, _)| *name == wanted).map(|(_, option)| *option);
        if let Some(option) = find(field) {
            return option.to_owned();
        }
        let (name, inside) = field.split_at(field.find(['[', '/', '.']).unwrap_or(field.len()));
        match (find(name), inside.trim_start_matches(['/', '.'])) {
            (None, _) => field.to_owned(),
            // An entry of a list has an option of its own.
            (Some(option), inside) if inside.starts_with('[') => option.to_owned(),
            (Some(option), inside) => format!("{option}, {inside}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_become_the_options_of_the_command() {
        let path = |object: &str| format!("{BASE}/order-bot/{object}");
        for (object, field, option) in [
            ("activate", "percent", "--percent"),
            ("activate", "httpLimits.timeoutMs", "--http-timeout-ms"),
            ("activate", "allowedHosts[1]", "--allow-host"),
            ("activate", "config/nodes/a", "--config, nodes/a"),
            ("rollback", "version", "--to"),
            ("invocations?page=0", "subjectId", "--participant"),
            ("activate", "other", "other"),
            ("replay", "version", "version"),
        ] {
            assert_eq!(RequestPath::of(&path(object)).option(field), option, "{object} {field}");
        }
    }

    #[test]
    fn a_missing_plugin_is_named_only_where_nothing_else_can_be_missing() {
        let missing = |path: &str| RequestPath::of(path).missing_plugin().map(str::to_owned);
        assert_eq!(missing(&format!("{BASE}/order-bot")).as_deref(), Some("order-bot"));
        assert_eq!(missing(&format!("{BASE}/order-bot/invocations?page=0")).as_deref(), Some("order-bot"));
        assert_eq!(missing(&format!("{BASE}/order-bot/deactivate")), None);
        assert_eq!(missing("/chat-service/api/v2/chats"), None);
    }
}
