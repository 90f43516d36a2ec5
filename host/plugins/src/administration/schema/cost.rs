//! The cost of checking a configuration against a schema, worked out before the check: both come from a client.
//!
//! A step is about what a comparison costs, and no step leads to more than one violation. So the steps bound the time of a
//! check, and the memory that its violations take. Matches of regular expressions are counted apart: a match takes a step of its own
//! kind for each byte of the text and each state of the expression's automaton.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::{compiled::Compiled, patterns::Patterns, target};

/// Different pairs of a schema's part and a configuration's part.
pub(super) const MOST_PAIRS: usize = 100_000;
/// Schemas within schemas, references followed.
pub(super) const MOST_LEVELS: u32 = 100;
/// Steps of one check; with so many it takes some tens of milliseconds, and its violations less than 100 MB.
const MOST_STEPS: u64 = 200_000;
/// Steps of a check of which every violation is told. Of a longer one the first is: finding more would take memory for all.
pub(super) const STEPS_TO_TELL_ALL: u64 = 20_000;
/// Bytes of texts times states of the regular expressions that they are compared with, in one check: up to 40 ns each, measured
/// with optimisation.
pub(super) const MOST_MATCHED: u64 = 5_000_000;

/// Schemas that judge the same value.
const IN_PLACE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// Maps of schemas that judge the same value.
const IN_PLACE_MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Schemas that judge every value within.
const WITHIN: [&str; 7] = [
    "additionalProperties",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
];
/// Words whose content is compared with a value: as many steps as it has parts.
const COMPARED: [&str; 5] = ["required", "enum", "const", "type", "dependentRequired"];

/// Why a check is not begun.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TooMuch {
    /// It would take more steps than it may, or never end.
    Steps,
    /// It would match more than it may; with the member of the configuration whose texts take most of it.
    Matches(Option<String>),
}

/// Steps of a check, those of matches left out.
pub(super) fn of_check(compiled: &Compiled, config: &Value) -> Result<u64, TooMuch> {
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
        Err(Stop::Steps) => Err(TooMuch::Steps),
        Err(Stop::Matches) => Err(TooMuch::Matches(cost.most_matched(config))),
    }
}

/// Parts of a schema with every reference followed, except where it leads back to where it stands; at most `most`.
pub(super) fn parts(schema: &Value, most: u64) -> Option<u64> {
    let mut known = HashMap::new();
    expanded(schema, schema, most, &mut known, &mut HashSet::new())
}

fn expanded(
    schema: &Value,
    root: &Value,
    most: u64,
    known: &mut HashMap<usize, u64>,
    open: &mut HashSet<usize>,
) -> Option<u64> {
    let place = std::ptr::from_ref(schema).addr();
    if let Some(found) = known.get(&place) {
        return Some(*found);
    }
    if open.len() > MOST_LEVELS as usize * 10 {
        return None;
    }
    if !open.insert(place) {
        return Some(0);
    }
    let mut sum = 1_u64;
    let mut add = |part: &Value, known: &mut HashMap<usize, u64>, open: &mut HashSet<usize>| {
        sum = sum.saturating_add(expanded(part, root, most, known, open)?);
        (sum <= most).then_some(())
    };
    match schema {
        Value::Object(object) => {
            if let Some(target) = object.get("$ref").and_then(Value::as_str).and_then(|to| target(root, to)) {
                add(target, known, open)?;
            }
            object.values().try_for_each(|part| add(part, known, open))?;
        }
        Value::Array(items) => items.iter().try_for_each(|part| add(part, known, open))?,
        _ => {}
    }
    open.remove(&place);
    known.insert(place, sum);
    Some(sum)
}

enum Stop {
    Steps,
    Matches,
}

/// The cost of a schema's part for a value.
#[derive(Clone, Copy)]
struct Sum {
    steps: u64,
    /// Bytes times states.
    matched: u64,
    levels: u32,
}

impl Sum {
    /// With that of a part within, which is gone through so many times.
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

/// Every pair of a schema and a value is looked at once; the checker may look at it often.
struct Cost<'a> {
    root: &'a Value,
    patterns: &'a Patterns,
    /// Steps of this calculation itself.
    spent: u64,
    known: HashMap<(usize, usize), Sum>,
    /// Pairs that are being looked at: coming back to one of them would never end.
    open: HashSet<(usize, usize)>,
    /// Names of members as values, for schemas that judge names.
    names: HashMap<usize, Rc<Value>>,
    /// Matches with each value itself, by its address; names count to their object.
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
            // Looked at once for the verdict and once for the reasons.
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

    /// Members and items, by all schemas that may judge them.
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

    /// Names of members, by the schema that judges names.
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

    /// What the words of one schema itself match with a value.
    fn own_matches(&self, schema: &Map<String, Value>, value: &Value) -> u64 {
        match value {
            Value::String(text) => {
                let pattern = schema.get("pattern").and_then(Value::as_str);
                pattern.map_or(0, |pattern| matched(self.patterns.states(pattern), text))
            }
            Value::Object(members) => {
                let patterns = schema.get("patternProperties").and_then(Value::as_object);
                let states = patterns.into_iter().flat_map(Map::keys).map(|pattern| self.patterns.states(pattern));
                let states = states.fold(0, u64::saturating_add);
                // Once for the patterns themselves, and once to know which members are the others.
                members.keys().map(|name| matched(states, name).saturating_mul(2)).fold(0, u64::saturating_add)
            }
            _ => 0,
        }
    }

    fn spend(&mut self, steps: u64) -> Result<(), Stop> {
        self.spent = self.spent.saturating_add(steps);
        // A check goes over a pair more than once, so this is the smaller of the two in all but strange cases.
        if self.spent <= MOST_STEPS * 4 { Ok(()) } else { Err(Stop::Steps) }
    }

    /// The member of a configuration within which most is matched.
    fn most_matched(&self, config: &Value) -> Option<String> {
        let members = config.as_object()?.iter();
        let with_cost = members.map(|(name, item)| (name, self.matched_within(item)));
        let (name, cost) = with_cost.max_by_key(|(_, cost)| *cost)?;
        // Else it is the names of the configuration itself.
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

/// The end of a text is a place to look at, too.
fn matched(states: u64, text: &str) -> u64 {
    states.saturating_mul(text.len() as u64 + 1)
}

/// Steps of the words of one schema itself.
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

/// Parts of a value.
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
