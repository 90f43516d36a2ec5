//! One SMS that routers are asked about, and the effect of a decision on it.

use domain::{content::SmsContent, segments, sms_products::source, sms_route::SmsRoute};
use plugin_host::sms_router::{Change, Decision, Direction, Sms};
use uuid::Uuid;

/// How a text is divided into segments, and how long it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// UTF-16 even if the GSM alphabet would do.
    pub(crate) unicode: bool,
    /// True if the text of each segment contains its number.
    pub(crate) numbered: bool,
}

impl Bounds {
    /// The bounds of an accepted SMS.
    pub(crate) fn of(sms: Option<&SmsContent>) -> Self {
        let (unicode, numbered) = sms.map_or((false, false), |sms| (sms.unicode, sms.numbered));
        Self { unicode, numbered }
    }

    /// Returns the number of segments of a text, or `None` if it is too long.
    pub(crate) fn segments(self, text: &str) -> Option<u32> {
        let split = if self.numbered { segments::split_numbered } else { segments::split };
        split(text, self.unicode).ok().and_then(|segmented| u32::try_from(segmented.parts.len()).ok())
    }
}

/// One SMS that routers are asked about.
#[derive(Debug)]
pub(crate) struct SmsQuestion {
    pub(crate) id: Uuid,
    /// The subscriber. It decides whether a version on trial serves this SMS.
    pub(crate) subject: Uuid,
    /// True if its text is deleted after sending, so no recording may keep it.
    pub(crate) forgets: bool,
    pub(crate) bounds: Bounds,
    /// The SMS for the next router, with the changes of earlier routers.
    pub(crate) sms: Sms,
    pub(crate) route: SmsRoute,
}

impl SmsQuestion {
    /// Applies a decision. Returns its reason, and the parts of it that could not be applied.
    pub(super) fn apply(&mut self, decision: Decision) -> Option<String> {
        match decision {
            Decision::AsIs => None,
            Decision::Custom(_) => Some("this version does not know its decision; the message is unchanged".to_owned()),
            Decision::Refuse(reason) => {
                self.route.refused = Some(reason);
                None
            }
            Decision::Change(change) => self.change(change),
        }
    }

    fn change(&mut self, change: Change) -> Option<String> {
        let Change { bind, source, priority, validity_seconds, text, reason } = change;
        let mut said: Vec<String> = reason.into_iter().collect();
        if let Some(bind) = bind {
            match self.sms.binds.contains(&bind) {
                true => self.route.bind = Some(bind),
                false => said.push(format!("there is no bind `{bind}`")),
            }
        }
        if let Some(chosen) = source {
            match source::source(&chosen) {
                Some(source) => {
                    source.clone_into(&mut self.sms.source);
                    self.route.source = Some(source.to_owned());
                }
                None => said.push(format!("its source `{chosen}` is not used: a source is {}", source::WHAT_IT_IS)),
            }
        }
        self.route.priority = priority.or(self.route.priority);
        self.route.validity_seconds = validity_seconds.or(self.route.validity_seconds);
        if let Some(text) = text {
            // The text may use as many segments as were charged for the text before any router.
            match self.bounds.segments(&text) {
                _ if self.sms.direction == Direction::Incoming => self.rewrite(text),
                Some(segments) if segments <= self.sms.segments => self.rewrite(text),
                Some(segments) => said.push(format!(
                    "its text is not used: it takes {segments} segments, and the message has {}",
                    self.sms.segments
                )),
                None => said.push("its text is not used: it is too long for an SMS".to_owned()),
            }
        }
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// Replaces the text for later routers and for the route.
    fn rewrite(&mut self, text: String) {
        self.sms.text.clone_from(&text);
        self.route.text = Some(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str, direction: Direction) -> SmsQuestion {
        let bounds = Bounds { unicode: false, numbered: false };
        let sms = Sms {
            id: "1".into(),
            direction,
            client_ref: "acme".into(),
            destination: "27820000001".into(),
            source: "ACME".into(),
            product: "json".into(),
            traffic: "ordinary".into(),
            text: text.into(),
            segments: bounds.segments(text).unwrap(),
            bind: None,
            binds: vec!["one".into(), "two".into()],
            metadata: vec![],
        };
        SmsQuestion { id: Uuid::nil(), subject: Uuid::nil(), forgets: false, bounds, sms, route: SmsRoute::default() }
    }

    fn nothing() -> Change {
        Change { bind: None, source: None, priority: None, validity_seconds: None, text: None, reason: None }
    }

    #[test]
    fn a_later_router_sees_the_changes_of_the_previous_one_and_decides_last() {
        let mut one = asked("hello", Direction::Outgoing);
        let first = Change { source: Some("FIRST".into()), priority: Some(1), text: Some("hi".into()), ..nothing() };
        assert_eq!(one.apply(Decision::Change(first)), None);
        assert_eq!((one.sms.source.as_str(), one.sms.text.as_str()), ("FIRST", "hi"));
        let last = Change { source: Some("LAST".into()), reason: Some("ours".into()), ..nothing() };
        assert_eq!(one.apply(Decision::Change(last)).as_deref(), Some("ours"));
        let SmsRoute { source, priority, text, .. } = one.route;
        assert_eq!((source.as_deref(), priority, text.as_deref()), (Some("LAST"), Some(1), Some("hi")));
    }

    #[test]
    fn a_missing_bind_is_not_chosen_and_is_reported() {
        let mut one = asked("hello", Direction::Outgoing);
        let said = one.apply(Decision::Change(Change { bind: Some("three".into()), ..nothing() }));
        assert_eq!((said.as_deref(), one.route.bind.as_deref()), (Some("there is no bind `three`"), None));
        assert_eq!(one.apply(Decision::Change(Change { bind: Some("two".into()), ..nothing() })), None);
        assert_eq!(one.route.bind.as_deref(), Some("two"));
    }

    #[test]
    fn an_invalid_source_is_not_used_and_is_reported() {
        for wrong in
            ["TWELVE CHARS", "Caf\u{e9}", "", " ", "+", "+SHOP", "1234567890123456", "a\nb", "<SHOP>", "\u{1f600}"]
        {
            let mut one = asked("hello", Direction::Outgoing);
            let change =
                Change { source: Some(wrong.into()), priority: Some(2), reason: Some("ours".into()), ..nothing() };
            let said = one.apply(Decision::Change(change)).unwrap();
            assert!(said.starts_with("ours; its source") && said.contains("is not used"), "{said}");
            assert_eq!((one.route.source.as_deref(), one.sms.source.as_str()), (None, "ACME"), "{wrong:?}");
            assert_eq!(one.route.priority, Some(2), "the rest of the change counts");
        }
        for (chosen, used) in [("+27110000000", "27110000000"), (" SHOP ", "SHOP"), ("31500", "31500")] {
            let mut one = asked("hello", Direction::Outgoing);
            assert_eq!(one.apply(Decision::Change(Change { source: Some(chosen.into()), ..nothing() })), None);
            assert_eq!((one.route.source.as_deref(), one.sms.source.as_str()), (Some(used), used), "{chosen}");
        }
    }

    #[test]
    fn a_text_of_more_segments_than_were_charged_is_not_used() {
        let mut one = asked("hello", Direction::Outgoing);
        let said = one.apply(Decision::Change(Change { text: Some("a".repeat(161)), ..nothing() })).unwrap();
        assert!(said.contains("takes 2 segments, and the message has 1") && one.route.text.is_none(), "{said}");
        assert_eq!(one.apply(Decision::Change(Change { text: Some("a".repeat(160)), ..nothing() })), None);
        assert!(one.route.text.is_some());
        let mut one = asked("hello", Direction::Incoming);
        assert_eq!(one.apply(Decision::Change(Change { text: Some("a".repeat(161)), ..nothing() })), None);
        assert!(one.route.text.is_some(), "an incoming SMS is not charged");
    }

    #[test]
    fn an_unknown_decision_changes_nothing() {
        let mut one = asked("hello", Direction::Outgoing);
        assert!(one.apply(Decision::Custom("{}".into())).is_some());
        assert_eq!(one.route, SmsRoute::default());
        assert_eq!(one.apply(Decision::Refuse("no".into())), None);
        assert_eq!(one.route.outcome(), "REFUSED");
    }
}
