//! Orders from a catalogue as a text: the customer's words, a line for each product, and the total.

use std::{collections::BTreeMap, fmt::Write};

use serde_json::Value;

use super::fields::{elements, number, owned};

const LINES: usize = 100;
const NAME_CHARS: usize = 200;
const CURRENCIES: usize = 10;

/// The text of an order; `None` if it has neither products nor words.
pub(super) fn order_text(order: &Value) -> Option<String> {
    let said = owned(order, "text");
    let products = elements(order, "product_items");
    if products.is_empty() {
        return said.map(|said| format!("Order: {said}"));
    }
    let mut text = said.map(|said| format!("{said}\n")).unwrap_or_default();
    text.push_str("Order:");
    let mut totals: BTreeMap<String, f64> = BTreeMap::new();
    for product in products {
        let line = Line::of(product);
        if let Some(price) = line.price {
            *totals.entry(line.currency.clone()).or_default() += price * line.quantity;
        }
    }
    for product in products.iter().take(LINES) {
        let _ = write!(text, "\n{}", Line::of(product).line_text());
    }
    if let Some(more) = products.len().checked_sub(LINES).filter(|more| *more > 0) {
        let _ = write!(text, "\nand {more} more");
    }
    let totals = totals.iter().filter(|(_, total)| total.is_finite()).take(CURRENCIES);
    let totals: Vec<String> = totals.map(|(currency, total)| amount(*total, currency)).collect();
    if !totals.is_empty() {
        let _ = write!(text, "\nTotal: {}", totals.join(" + "));
    }
    Some(text)
}

struct Line {
    name: String,
    quantity: f64,
    price: Option<f64>,
    currency: String,
}

impl Line {
    fn of(product: &Value) -> Self {
        let short = |text: String| text.chars().take(NAME_CHARS).collect::<String>();
        let id = owned(product, "product_retailer_id").or_else(|| owned(product, "id"));
        let name = match (owned(product, "name").or_else(|| owned(product, "title")), id) {
            (Some(name), Some(id)) => format!("{} ({})", short(name), short(id)),
            (name, id) => short(name.or(id).unwrap_or_else(|| "product".to_owned())),
        };
        Self {
            name,
            quantity: number(product, "quantity").unwrap_or(1.0),
            price: number(product, "item_price").or_else(|| number(product, "price")),
            currency: owned(product, "currency").map(short).unwrap_or_default(),
        }
    }

    fn line_text(&self) -> String {
        let line = format!("{} x {}", self.quantity, self.name);
        match self.price {
            Some(price) => format!("{line}, {} each", amount(price, &self.currency)),
            None => line,
        }
    }
}

fn amount(value: f64, currency: &str) -> String {
    let two = format!("{value:.2}");
    let is_exact = two.parse::<f64>().is_ok_and(|rounded| (rounded - value).abs() < 0.000_05);
    let digits = if is_exact { two } else { format!("{value:.4}") };
    if currency.is_empty() { digits } else { format!("{digits} {currency}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_order_shows_its_text_its_lines_and_its_total() {
        let order = json!({"catalog_id": "c", "text": "before noon, please", "product_items": [
            {"product_retailer_id": "shirt-1", "quantity": 2, "item_price": 15.99, "currency": "ZAR"},
            {"product_retailer_id": "cap", "name": "Red cap", "quantity": "1", "item_price": "5", "currency": "ZAR"},
        ]});
        let expected = "before noon, please\nOrder:\n2 x shirt-1, 15.99 ZAR each\n1 x Red cap (cap), 5.00 ZAR each\nTotal: 36.98 ZAR";
        assert_eq!(order_text(&order).as_deref(), Some(expected));
    }

    #[test]
    fn orders_in_odd_forms_are_shown_as_far_as_they_go() {
        let of = |products: Value| order_text(&json!({"product_items": products}));
        for (products, expected) in [
            (json!([{}]), "Order:\n1 x product"),
            (json!([null, 7, "x"]), "Order:\n1 x product\n1 x product\n1 x product"),
            (json!({"product_retailer_id": 42, "item_price": 1}), "Order:\n1 x 42, 1.00 each\nTotal: 1.00"),
            (json!([{"id": "a", "item_price": "1e400", "quantity": "many"}]), "Order:\n1 x a"),
            (
                json!([{"id": "a", "price": 1.2345, "currency": "KWD"}, {"id": "b", "price": 2, "currency": "ZAR"}]),
                "Order:\n1 x a, 1.2345 KWD each\n1 x b, 2.00 ZAR each\nTotal: 1.2345 KWD + 2.00 ZAR",
            ),
        ] {
            assert_eq!(of(products.clone()).as_deref(), Some(expected), "{products}");
        }
        assert_eq!(order_text(&json!({"text": "the usual"})).as_deref(), Some("Order: the usual"));
        assert_eq!(order_text(&json!({"product_items": []})), None);
        assert_eq!(order_text(&json!(null)), None);
    }

    #[test]
    fn a_long_order_is_summed_up_whole_and_listed_in_part() {
        let products = vec![json!({"id": "n".repeat(1_000), "price": 1, "currency": "ZAR"}); 250];
        let text = order_text(&json!({"product_items": products})).unwrap();
        assert_eq!(text.lines().count(), 1 + LINES + 2);
        assert!(text.ends_with("and 150 more\nTotal: 250.00 ZAR"), "{text}");
    }
}
