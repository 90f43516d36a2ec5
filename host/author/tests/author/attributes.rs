//! Attributes of the contact in conversation tests.

use crate::support::{fails, passes, refused};

const KNOWN: &str = "
attributes:
  plan: {type: choice, choices: [silver, gold], value: silver}
  visits: {type: number}
  born: {type: DATE, value: 1990-05-31}
";

#[tokio::test]
async fn a_bot_reads_the_attributes_of_the_test_and_sets_them() {
    let steps = "
steps:
  - customer: attributes
  - bot: born=1990-05-31, plan=silver
  - attributes: {plan: silver, visits: null}
  - customer: attribute plan choice gold
  - bot: set
  - customer: attribute visits number 7
  - bot: set
  - customer: attribute born
  - bot: set
  - attributes: {plan: gold, visits: 7, born: null}
  - customer: attributes
  - bot: plan=gold, visits=7
";
    passes("errand-bot", &format!("{KNOWN}{steps}")).await;
}

#[tokio::test]
async fn an_attribute_that_the_client_did_not_define_ends_the_turn_as_on_a_server() {
    for (text, said) in [
        ("attribute city text Cape Town", "contacts have no attribute `city`"),
        ("attribute plan choice bronze", "`plan` must be one of `silver`, `gold`"),
        ("attribute visits boolean true", "`visits` must be a NUMBER; the value is a BOOLEAN"),
    ] {
        let steps = format!("steps:\n  - customer: {text}\n  - fails: \"{said}\"\n  - attributes: {{plan: silver}}\n");
        passes("errand-bot", &format!("{KNOWN}{steps}")).await;
    }
}

#[tokio::test]
async fn a_test_without_attributes_accepts_each() {
    passes(
        "errand-bot",
        "
session: {attributes: [{name: plan, type: choice, value: gold}, {name: zone, type: other, value: north}]}
steps:
  - customer: attribute city text Cape Town
  - bot: set
  - attributes: {city: Cape Town, plan: gold, zone: north}
",
    )
    .await;
}

#[tokio::test]
async fn a_different_value_is_shown_with_its_name() {
    let steps = "steps: [{customer: attributes}, {bot: anything}, {attributes: {plan: gold}}]";
    let printed = fails("errand-bot", &format!("{KNOWN}{steps}")).await;
    assert!(printed.contains("at plan:"), "{printed}");
    assert!(printed.contains("silver"), "{printed}");
}

#[tokio::test]
async fn a_wrong_definition_in_a_test_is_refused() {
    for (given, said) in [
        ("Plan: {type: text}", "the name `Plan` must have"),
        ("plan: {type: list}", "`type` must be one of TEXT"),
        ("plan: {type: choice}", "`choices` must have 1 to 100"),
        ("plan: {type: number, value: many}", "`plan` must be a number"),
        ("plan: {type: text, size: 1}", "size"),
    ] {
        let fault = refused("errand-bot", &format!("attributes: {{{given}}}\nsteps: [{{customer: hi}}]\n")).await;
        assert!(fault.contains(said), "{given}: {fault}");
    }
}
