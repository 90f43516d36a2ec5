//! Computes the cost of checking a configuration against a schema before the check. Both come from a client.
//!
//! A step costs about as much as a comparison, and each step leads to at most one violation. So the number of steps
//! bounds the time of a check and the memory of its violations. Matches of regular expressions are counted separately:
//! a match takes one step of its own kind for each byte of the text and each state of the automaton.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use serde_json::{Map, Value};

use super::{compiled_schema::CompiledSchema, patterns::Patterns, reference::target};

/// Most different pairs of a part of the schema and a part of the configuration.
pub(super) const MOST_PAIRS: usize = 100_000;
/// Most nested schemas, with references followed.
pub(super) const MOST_LEVELS: u32 = 100;
/// Most steps of one check. This many steps take some tens of milliseconds, and their violations less than 100 MB.
const MOST_STEPS: u64 = 200_000;
/// Most steps of a check that reports all violations. A longer check reports only the first, because it would need
/// memory for all.
pub(super) const STEPS_TO_TELL_ALL: u64 = 20_000;
/// Most bytes of text times states of regular expressions in one check. Each takes up to 40 ns, measured with
/// optimisation.
pub(super) const MOST_MATCHED: u64 = 5_000_000;

/// Keywords with schemas for the same value.
const IN_PLACE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// Keywords with maps of schemas for the same value.
const IN_PLACE_MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Keywords with schemas for every value within.
const WITHIN: [&str; 7] = [
    "additionalProperties",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
];
/// Keywords whose content is compared with a value. A comparison takes one step per part of the content.
const COMPARED: [&str; 5] = ["required", "enum", "const", "type", "dependentRequired"];

/// Why a check does not begin.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CheckRefused {
    /// It would take too many steps, or never end.
    Steps,
    /// It would match too much. Names the member of the configuration whose texts cost most.
    Matches(Option<String>),
}

/// Steps of a check, without matches.
pub(super) fn of_check(compiled: &CompiledSchema, config: &Value) -> Result<u64, CheckRefused> {
    let mut cost = Cost {
        root: &compiled.schema,
        patterns: &compiled.patterns,
        spent: 0,
        known: HashMap::new(),
        open: HashSet::new(),
        names: HashMap::new(),
        matched: HashMap::new(),
    };
    match cost.of(&compiled.schema, config, 0) {
        Ok(sum) => Ok(sum.steps),
        Err(Stop::Steps) => Err(CheckRefused::Steps),
        Err(Stop::Matches) => Err(CheckRefused::Matches(cost.most_matched(config))),
    }
}

enum Stop {
    Steps,
    Matches,
}

/// The cost of a part of a schema for a value.
#[derive(Clone, Copy)]
struct Sum {
    steps: u64,
    matched: u64,
    levels: u32,
}

impl Sum {
    /// Adds the cost of an inner part, which is checked `times` times.
    fn add(&mut self, part: Self, times: u64) -> Result<(), Stop> {
        self.steps = self.steps.saturating_add(part.steps.saturating_mul(times));
        self.matched = self.matched.saturating_add(part.matched.saturating_mul(times));
        self.levels = self.levels.max(part.levels + 1);
        self.within_bounds()
    }

    fn within_bounds(self) -> Result<(), Stop> {
        if self.matched > MOST_MATCHED {
            return Err(Stop::Matches);
        }
        if self.steps > MOST_STEPS { Err(Stop::Steps) } else { Ok(()) }
    }
}

/// The calculation visits every pair of schema and value once. The checker may visit it more often.
struct Cost<'a> {
    root: &'a Value,
    patterns: &'a Patterns,
    /// Steps of this calculation itself.
    spent: u64,
    known: HashMap<(usize, usize), Sum>,
    /// Pairs that are being visited. A second visit to one of them would never end.
    open: HashSet<(usize, usize)>,
    /// Names of members as values, for schemas of names.
    names: HashMap<usize, Rc<Value>>,
    /// Matches with each value, by its address. Names count for their object.
    matched: HashMap<usize, u64>,
}

impl<'a> Cost<'a> {
    fn of(&mut self, schema: &'a Value, value: &Value, level: u32) -> Result<Sum, Stop> {
        let pair = (address(schema), address(value));
        let found = match self.known.get(&pair) {
            Some(found) => *found,
            None => {
                if level >= MOST_LEVELS || self.known.len() >= MOST_PAIRS || !self.open.insert(pair) {
                    return Err(Stop::Steps);
                }
                let found = match schema {
                    Value::Object(object) => self.of_object(object, value, level + 1)?,
                    _ => Sum { steps: 1, matched: 0, levels: 1 },
                };
                self.open.remove(&pair);
                self.known.insert(pair, found);
                found
            }
        };
        if level + found.levels <= MOST_LEVELS { Ok(found) } else { Err(Stop::Steps) }
    }

    fn of_object(&mut self, schema: &'a Map<String, Value>, value: &Value, level: u32) -> Result<Sum, Stop> {
        let matched = self.own_matches(schema, value);
        let mut sum = Sum { steps: own_steps(schema, value), matched, levels: 1 };
        *self.matched.entry(address(value)).or_default() += matched;
        sum.within_bounds()?;
        self.spend(sum.steps)?;
        if let Some(Value::String(reference)) = schema.get("$ref")
            && let Some(target) = target(self.root, reference)
        {
            sum.add(self.of(target, value, level)?, 1)?;
        }
        for part in IN_PLACE.iter().filter_map(|word| schema.get(*word)).flat_map(schemas) {
            // The checker visits it once for the verdict and once for the reasons.
            sum.add(self.of(part, value, level)?, 2)?;
        }
        for part in IN_PLACE_MAPS.iter().filter_map(|word| schema.get(*word)?.as_object()).flat_map(Map::values) {
            sum.add(self.of(part, value, level)?, 1)?;
        }
        self.add_names(&mut sum, schema, value, level)?;
        self.add_within(&mut sum, schema, value, level)?;
        if schema.contains_key("unevaluatedProperties") || schema.contains_key("unevaluatedItems") {
            let within = sum;
            sum.add(within, 1)?;
            sum.levels = within.levels;
        }
        Ok(sum)
    }

    /// Adds members and items, for all schemas that may check them.
    fn add_within(
        &mut self,
        sum: &mut Sum,
        schema: &'a Map<String, Value>,
        value: &Value,
        level: u32,
    ) -> Result<(), Stop> {
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let within: Vec<&'a Value> = WITHIN
            .iter()
            .filter_map(|word| schema.get(*word))
            .flat_map(schemas)
            .chain(patterns.into_iter().flat_map(Map::values))
            .collect();
        let named = schema.get("properties").and_then(Value::as_object);
        if within.is_empty() && named.is_none() {
            return Ok(());
        }
        for (name, item) in children(value) {
            self.spend(1)?;
            let own = name.and_then(|name| named?.get(name));
            for part in within.iter().copied().chain(own) {
                sum.add(self.of(part, item, level)?, 1)?;
            }
        }
        Ok(())
    }

    /// Adds names of members, for the schema of names.
    fn add_names(
        &mut self,
        sum: &mut Sum,
        schema: &'a Map<String, Value>,
        value: &Value,
        level: u32,
    ) -> Result<(), Stop> {
        let (Some(judge), Value::Object(members)) = (schema.get("propertyNames"), value) else { return Ok(()) };
        for name in members.keys() {
            let place = name.as_ptr().addr();
            let text = Rc::clone(self.names.entry(place).or_insert_with(|| Rc::new(Value::String(name.clone()))));
            let judged = self.of(judge, &text, level);
            if let Some(matched) = self.matched.remove(&address(&text)) {
                *self.matched.entry(address(value)).or_default() += matched;
            }
            sum.add(judged?, 1)?;
        }
        Ok(())
    }

    /// The matches of one schema's own keywords with a value.
    fn own_matches(&self, schema: &Map<String, Value>, value: &Value) -> u64 {
        match value {
            Value::String(text) => {
                let pattern = schema.get("pattern").and_then(Value::as_str);
                pattern.map_or(0, |pattern| match_cost(self.patterns.states(pattern), text))
            }
            Value::Object(members) => {
                let patterns = schema.get("patternProperties").and_then(Value::as_object);
                let states = patterns.into_iter().flat_map(Map::keys).map(|pattern| self.patterns.states(pattern));
                let states = states.fold(0, u64::saturating_add);
                // Once for the patterns themselves, and once to find the additional members.
                members.keys().map(|name| match_cost(states, name).saturating_mul(2)).fold(0, u64::saturating_add)
            }
            _ => 0,
        }
    }

    fn spend(&mut self, steps: u64) -> Result<(), Stop> {
        self.spent = self.spent.saturating_add(steps);
        // A check visits a pair more than once, so this calculation almost always takes fewer steps than the check.
        if self.spent <= MOST_STEPS * 4 { Ok(()) } else { Err(Stop::Steps) }
    }

    /// The member of a configuration with the most matches.
    fn most_matched(&self, config: &Value) -> Option<String> {
        let members = config.as_object()?.iter();
        let with_cost = members.map(|(name, item)| (name, self.matched_within(item)));
        let (name, cost) = with_cost.max_by_key(|(_, cost)| *cost)?;
        // Otherwise the names of the configuration itself cost most.
        (cost > self.matched.get(&address(config)).copied().unwrap_or(0)).then(|| name.clone())
    }

    fn matched_within(&self, value: &Value) -> u64 {
        let own = self.matched.get(&address(value)).copied().unwrap_or(0);
        children(value).into_iter().map(|(_, item)| self.matched_within(item)).fold(own, u64::saturating_add)
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// The end of a text is a position too.
fn match_cost(states: u64, text: &str) -> u64 {
    states.saturating_mul(text.len() as u64 + 1)
}

fn own_steps(schema: &Map<String, Value>, value: &Value) -> u64 {
    let mut steps = 1 + schema.len() as u64;
    for compared in COMPARED.iter().filter_map(|word| schema.get(*word)) {
        steps = steps.saturating_add(nodes(compared));
    }
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        steps = steps.saturating_add(nodes(value));
    }
    if let (Value::Object(members), Some(patterns)) =
        (value, schema.get("patternProperties").and_then(Value::as_object))
    {
        steps = steps.saturating_add((members.len() as u64).saturating_mul(patterns.len() as u64));
    }
    if let Value::String(text) = value {
        // Lengths are counted in characters.
        steps = steps.saturating_add(text.len() as u64 / 64);
    }
    steps
}

fn nodes(value: &Value) -> u64 {
    match value {
        Value::Object(object) => 1 + object.values().map(nodes).sum::<u64>(),
        Value::Array(items) => 1 + items.iter().map(nodes).sum::<u64>(),
        _ => 1,
    }
}

/// A keyword holds one schema or several.
pub(super) fn schemas(part: &Value) -> impl Iterator<Item = &Value> {
    let (one, several) = match part {
        Value::Array(items) => (None, items.as_slice()),
        other => (Some(other), [].as_slice()),
    };
    one.into_iter().chain(several)
}

fn children(value: &Value) -> Vec<(Option<&str>, &Value)> {
    match value {
        Value::Object(object) => object.iter().map(|(name, item)| (Some(name.as_str()), item)).collect(),
        Value::Array(items) => items.iter().map(|item| (None, item)).collect(),
        _ => Vec::new(),
    }
}
