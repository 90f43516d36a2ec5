use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
struct Order {
    #[serde(default, deserialize_with = "objects")]
    lines: Option<Vec<Line>>,
    #[serde(default, deserialize_with = "object")]
    #[expect(dead_code, reason = "only parsed")]
    first: Option<Line>,
}

#[derive(Debug, Deserialize)]
struct Line {
    name: Option<String>,
    #[serde(default, deserialize_with = "optional_word")]
    #[expect(dead_code, reason = "only parsed")]
    colour: Option<Colour>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Colour {
    Red,
    Blue,
}

fn fault(body: impl AsRef<[u8]>) -> FieldFault {
    parse::<Order>(body.as_ref()).unwrap_err()
}

#[test]
fn a_wrong_type_names_its_field() {
    let fault = fault(r#"{"lines":[{"name":"a"},{"name":5}]}"#);
    assert_eq!(fault.field, "lines[1].name");
    assert_eq!(fault.message, "expected a string, got the number 5");
}

#[test]
fn a_body_of_the_wrong_type_is_named_body() {
    for body in ["[]", "[null,null]", "7", "null", "\"x\""] {
        assert_eq!(fault(body).field, WHOLE_BODY, "{body}");
    }
}

#[test]
fn an_array_in_place_of_an_object_is_a_wrong_type() {
    let inner = fault(r#"{"lines":[["a",null]]}"#);
    assert_eq!(inner.field, "lines[0]");
    assert_eq!(inner.message, "expected an object, got an array");
    assert_eq!(fault(r#"{"first":["a",null]}"#).field, "first");
    assert_eq!(fault(r#"{"lines":{}}"#).field, "lines");
}

#[test]
fn a_misspelled_field_at_any_depth_is_a_fault_and_an_unknown_one_is_ignored() {
    let inner = fault(r#"{"lines":[{"name":"a"},{"Name":"b"}]}"#);
    assert_eq!(inner.field, "lines[1].Name");
    assert_eq!(inner.message, "is not a field here; did you mean `name`?");
    assert_eq!(fault(r#"{"first":{"color":"red"}}"#).field, "first.color");
    assert_eq!(fault(r#"{"line":[]}"#).field, "line");
    assert!(parse::<Order>(br#"{"lines":[{"price":3}],"priority":{"Name":1}}"#).is_ok());
}

#[test]
fn only_a_text_is_an_enum_value() {
    for value in ["5", r#"{"red":null}"#, r#"["red"]"#] {
        let fault = fault(format!(r#"{{"lines":[{{"colour":{value}}}]}}"#));
        assert_eq!(fault.field, "lines[0].colour");
        assert!(fault.message.contains("expected a string"), "{fault}");
    }
}

#[test]
fn null_is_the_same_as_absent() {
    let order: Order = parse(br#"{"lines":null,"first":null}"#).unwrap();
    assert!(order.lines.is_none());
}

#[test]
fn an_unknown_enum_value_lists_the_allowed_ones() {
    let fault = fault(r#"{"lines":[{"colour":"green"}]}"#);
    assert_eq!(fault.field, "lines[0].colour");
    assert!(fault.message.contains("`red` or `blue`"), "{fault}");
}

#[test]
fn malformed_json_is_a_fault_of_the_body() {
    for body in
        ["", "{", r#"{"lines":[}"#, r#"{"lines":[]} x"#, "{\"lines\":[{\"name\":\"a\u{1}\"}]}", r#"{"a":"\u12"}"#]
    {
        let fault = fault(body);
        assert_eq!(fault.field, WHOLE_BODY, "{body}");
        assert!(fault.message.starts_with("is not valid JSON"), "{fault}");
    }
}

#[test]
fn bytes_that_are_no_utf8_are_refused_even_in_ignored_fields() {
    let fault = fault(b"{\"ignored\":\"\xff\"}");
    assert_eq!(fault.field, WHOLE_BODY);
    assert!(fault.message.starts_with("is not UTF-8"), "{fault}");
}

#[test]
fn a_nul_character_names_its_field() {
    assert_eq!(fault(r#"{"lines":[{"name":"a"},{"name":"b\u0000c"}]}"#).field, "lines[1].name");
    assert_eq!(fault(r#"{"ignored":{"deep":["\u0000"]}}"#).field, "ignored.deep[0]");
    assert!(fault(r#"{"\u0000":1}"#).message.contains("NUL"));
}

#[test]
fn a_lone_surrogate_names_its_field() {
    for text in [r"\ud83d", r"\ude00", r"\ud83dx", r"\ud83d\ud83d", r"\uD83D\n", r"\ude00\ud83d"] {
        let fault = fault(format!(r#"{{"lines":[{{"name":"{text}"}}]}}"#));
        assert_eq!(fault.field, "lines[0].name", "{text}");
        assert!(fault.message.contains("surrogate"), "{text}: {fault}");
    }
    assert_eq!(fault(r#"{"ignored":["\ud83d"]}"#).field, "ignored[0]");
    assert!(fault(r#"{"\ud83d":1}"#).message.contains("surrogate"));
}

#[test]
fn escapes_that_are_characters_pass() {
    let order: Order = parse(r#"{"lines":[{"name":"\ud83d\ude00 \u0001 \\u0000"}]}"#.as_bytes()).unwrap();
    assert_eq!(order.lines.unwrap()[0].name.as_deref(), Some("😀 \u{1} \\u0000"));
}

#[test]
fn unknown_fields_are_ignored() {
    let order: Order = parse(br#"{"lines":[],"other":{"x":[1,2.5,null,true]}}"#).unwrap();
    assert!(order.lines.unwrap().is_empty());
}

#[test]
fn nesting_is_limited_and_brackets_in_texts_do_not_count() {
    let nested = |levels: usize| format!(r#"{{"x":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
    assert!(parse::<Order>(nested(DEPTH_MAX - 1).as_bytes()).is_ok());
    assert!(fault(nested(DEPTH_MAX)).message.contains("levels"));
    assert!(fault(nested(1_000_000)).message.contains("levels"));
    let brackets_in_text = format!(r#"{{"x":"\"{}"}}"#, "[".repeat(1000));
    assert!(parse::<Order>(brackets_in_text.as_bytes()).is_ok());
}

#[test]
fn the_expected_value_is_named_in_terms_of_json() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only parsed")]
    struct Kinds {
        count: Option<i32>,
        share: Option<f64>,
        plain: Option<Line>,
        names: Option<Vec<String>>,
    }
    for (body, said) in [
        (r#"{"count":2.5}"#, "expected a whole number, got the number 2.5"),
        (r#"{"count":3000000000}"#, "expected a whole number, got the number 3000000000, which is out of range"),
        (r#"{"share":"x"}"#, r#"expected a number, got the string "x""#),
        (r#"{"share":true}"#, "expected a number, got true"),
        (r#"{"plain":"x"}"#, r#"expected an object, got the string "x""#),
        (r#"{"names":{}}"#, "expected an array, got an object"),
        (r#"{"names":[null]}"#, "expected a string, got null"),
        (
            r#"{"names":[", expected one"],"share":"a, expected b"}"#,
            r#"expected a number, got the string "a, expected b""#,
        ),
    ] {
        assert_eq!(parse::<Kinds>(body.as_bytes()).unwrap_err().message, said, "{body}");
    }
}

#[test]
fn a_missing_repeated_or_unknown_field_is_named() {
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only parsed")]
    struct Strict {
        id: u32,
        #[serde(default)]
        inner: Vec<Strict>,
    }
    for (body, field, said) in [
        ("{}", "id", "is required"),
        (r#"{"id":1,"inner":[{"id":1},{}]}"#, "inner[1].id", "is required"),
        (r#"{"id":1,"id":2}"#, "id", "is given twice"),
        (r#"{"id":1,"ID":2}"#, "ID", "is not a field here; did you mean `id`?"),
        (r#"{"id":1,"price":2}"#, "price", "is not a field here; expected `id` or `inner`"),
    ] {
        let fault = parse::<Strict>(body.as_bytes()).unwrap_err();
        assert_eq!((fault.field.as_str(), fault.message.as_str()), (field, said), "{body}");
    }
}

#[test]
fn no_fault_names_an_internal_type() {
    #[derive(Debug, Deserialize)]
    struct Wrapped(#[expect(dead_code, reason = "only parsed")] u8, #[expect(dead_code, reason = "only parsed")] u8);
    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only parsed")]
    enum Either {
        One(u8),
        Other(String),
    }
    #[derive(Debug, Deserialize)]
    #[serde(tag = "kind")]
    #[expect(dead_code, reason = "only parsed")]
    enum Tagged {
        Some { value: u8 },
    }
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only parsed")]
    enum Outer {
        Inner { value: u8 },
        Pair(u8, u8),
        Nothing,
    }
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only parsed")]
    struct Everything {
        wrapped: Option<Wrapped>,
        either: Option<Either>,
        tagged: Option<Tagged>,
        outer: Option<Outer>,
        letter: Option<char>,
        nothing: Option<()>,
        pair: Option<(u8, u8)>,
        few: Option<[u8; 3]>,
        plain: Option<Line>,
        flag: Option<bool>,
        map: Option<std::collections::BTreeMap<String, u8>>,
    }
    let values = [
        "true",
        "-7",
        "2.5",
        "300",
        r#""word""#,
        "[]",
        "[1]",
        "[[]]",
        "{}",
        r#"{"x":1}"#,
        r#"{"Inner":[]}"#,
        r#"{"Inner":7}"#,
        r#"{"Pair":{}}"#,
        r#"{"Pair":[1]}"#,
        r#"{"Nothing":7}"#,
        r#"{"kind":7}"#,
        r#"{"kind":"Some","value":"x"}"#,
    ];
    let ours = ["enum", "struct", "variant", "tuple", "unit", "newtype", "Option", "u8", "i64", "identifier"];
    for field in ["wrapped", "either", "tagged", "outer", "letter", "nothing", "pair", "few", "plain", "flag", "map"] {
        for value in values {
            let Err(fault) = parse::<Everything>(format!(r#"{{"{field}":{value}}}"#).as_bytes()) else { continue };
            let words = fault.message.split(|letter: char| !letter.is_ascii_alphanumeric());
            let named: Vec<&str> = words.filter(|word| ours.contains(word)).collect();
            assert!(named.is_empty(), "{field} {value}: {}", fault.message);
            for name in ["Wrapped", "Either", "Tagged", "Outer", "Everything", "Line"] {
                assert!(!fault.message.contains(name), "{field} {value}: {}", fault.message);
            }
        }
    }
}
