//! The text format of Prometheus, for the metrics that are read at the moment of the request.

use std::fmt::Write as _;

use super::catalogue::CATALOGUE;

/// Families of samples as text.
#[derive(Debug, Default)]
pub(super) struct MetricText(String);

impl MetricText {
    /// Adds the samples of one metric: labels and value. Values of labels have no quotes and no backslashes.
    pub(super) fn add<'l>(&mut self, name: &str, samples: impl IntoIterator<Item = (&'l [(&'l str, &'l str)], f64)>) {
        let mut samples = samples.into_iter().peekable();
        if samples.peek().is_none() {
            return;
        }
        self.head(name);
        for (labels, value) in samples {
            self.0.push_str(name);
            for (position, (label, text)) in labels.iter().enumerate() {
                let before = if position == 0 { '{' } else { ',' };
                // Writing to a text cannot fail.
                let _ = write!(self.0, "{before}{label}=\"{text}\"");
            }
            let end = if labels.is_empty() { "" } else { "}" };
            let _ = writeln!(self.0, "{end} {value}");
        }
    }

    /// Adds a metric without labels; nothing if there is no value.
    pub(super) fn one(&mut self, name: &str, value: Option<f64>) {
        self.add(name, value.map(|value| (&[][..], value)));
    }

    /// Adds text of the same format, and the heads of the metrics that have no sample yet.
    pub(super) fn complete(mut self, recorded: &str) -> String {
        let own = std::mem::take(&mut self.0);
        self.0 = format!("{recorded}{own}");
        for (name, ..) in CATALOGUE {
            if !self.0.contains(&format!("# TYPE {name} ")) {
                self.head(name);
            }
        }
        self.0
    }

    pub(super) fn push(&mut self, text: &str) {
        self.0.push_str(text);
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    fn head(&mut self, name: &str) {
        if let Some((_, kind, meaning)) = CATALOGUE.iter().find(|(known, ..)| *known == name) {
            let _ = writeln!(self.0, "# HELP {name} {meaning}\n# TYPE {name} {}", kind.name());
        }
    }
}
