use serde_json::json;

use super::*;

#[test]
fn valid_json_is_read_as_by_any_parser() {
    for text in [
        "null",
        " true ",
        "false",
        "0",
        "-0",
        "-12.5e-3",
        "18446744073709551615",
        "-9223372036854775808",
        "0.1",
        "1e300",
        "[]",
        "{}",
        "[[],{},[1,[2]]]",
        r#""""#,
        r#""a\"b\\c\/d\b\f\n\r\t\u00e9\ud83d\ude00 é 😀""#,
        r#"{"a":1,"b":{"c":[null,true,"x"]},"a":2}"#,
        "{\"\\u0061\" : [ 1 , 2 ]\r\n,\t\"é\":\"\"}",
    ] {
        assert_eq!(read(text.as_bytes()), Ok(serde_json::from_str(text).unwrap()), "{text}");
    }
}

#[test]
fn an_invalid_character_is_replaced_and_the_rest_stays() {
    for (written, expected) in [
        (&br#""a\ud83d""#[..], "a\u{fffd}"),
        (br#""\ud83d!""#, "\u{fffd}!"),
        (br#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
        (br#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (br#""\ud83d\n""#, "\u{fffd}\n"),
        (br#""\ud83d\u0041""#, "\u{fffd}A"),
        (br#""\u00""#, "\u{fffd}00"),
        (br#""\uzzzz""#, "\u{fffd}zzzz"),
        (br#""a\u0000b""#, "a\u{fffd}b"),
        (b"\"a\0b\"", "a\u{fffd}b"),
        (b"\"a\xffb\"", "a\u{fffd}b"),
        (b"\"\xc3\"", "\u{fffd}"),
        (b"\"\xed\xa0\xbd\"", "\u{fffd}\u{fffd}\u{fffd}"),
        (b"\"a\nb\x01c\td\"", "a\nb\u{1}c\td"),
        (br#""\x\'""#, "x'"),
    ] {
        assert_eq!(read(written), Ok(json!(expected)), "{}", String::from_utf8_lossy(written));
        let body = [b"{\"before\":1,\"k\":", written, b",", written, b":[2],\"after\":3}"].concat();
        let read = read(&body).unwrap();
        assert_eq!(
            (&read["before"], &read["k"], &read[expected], &read["after"]),
            (&json!(1), &json!(expected), &json!([2]), &json!(3))
        );
    }
}

#[test]
fn numbers_that_fit_none_of_ours_are_kept_as_their_digits() {
    let body = br#"[1e400, -1e400, 24071234567890123456789, 007, +1, NaN, -Infinity, undefined, None, 1.2.3, 5]"#;
    let expected =
        json!(["1e400", "-1e400", "24071234567890123456789", "007", "+1", null, null, null, null, "1.2.3", 5]);
    assert_eq!(read(body), Ok(expected));
}

#[test]
fn a_value_that_is_too_deep_becomes_null_and_the_others_stay() {
    let nested = |levels: usize| format!("{}{}{}", "[".repeat(levels), r#""]}""#, "]".repeat(levels));
    let depth = |value: &Value| {
        let (mut value, mut depth) = (value, 0);
        while let Some(inner) = value.get(0) {
            (value, depth) = (inner, depth + 1);
        }
        depth
    };
    assert_eq!(depth(&read(nested(DEPTH_MAX).as_bytes()).unwrap()), DEPTH_MAX);
    for levels in [DEPTH_MAX + 1, 200, 100_000] {
        let body = format!(
            r#"{{"deep":{},"objects":{},"after":1}}"#,
            nested(levels),
            r#"{"a":"#.repeat(levels) + "1" + &"}".repeat(levels)
        );
        let read = read(body.as_bytes()).unwrap();
        assert_eq!((depth(&read["deep"]), &read["after"]), (DEPTH_MAX - 1, &json!(1)), "{levels}");
    }
}

#[test]
fn small_syntax_faults_between_values_lose_nothing() {
    for body in [&b"\xef\xbb\xbf{\"a\":[1,2]}"[..], b"{\"a\":[1,2,],}", b"{\"a\":[1,2]}\0\n", b"{,\"a\"\0:\0[1,,2]}"] {
        assert_eq!(read(body), Ok(json!({"a": [1, 2]})), "{}", String::from_utf8_lossy(body));
    }
}

#[test]
fn invalid_or_endless_json_is_refused() {
    use JsonFault::{Incomplete, Trailing, Unexpected};
    for (body, expected) in [
        (&b""[..], Incomplete),
        (b"  ", Incomplete),
        (b"{", Incomplete),
        (br#"{"a":"b"#, Incomplete),
        (br#"{"a":"b\"#, Incomplete),
        (br#"{"a":[1,2"#, Incomplete),
        (b"\xff", Unexpected(0)),
        (b"<html>", Unexpected(0)),
        (b"{a:1}", Unexpected(1)),
        (br#"{"a" 1}"#, Unexpected(5)),
        (br#"{"a":}"#, Unexpected(5)),
        (b"{} {}", Trailing(3)),
        (b"1 x", Trailing(2)),
    ] {
        assert_eq!(read(body), Err(expected), "{}", String::from_utf8_lossy(body));
    }
    assert_eq!(read("[".repeat(1_000_000).as_bytes()), Err(Incomplete));
}

#[test]
fn a_pass_over_a_body_finds_fields_and_leaves_the_rest() {
    let body = br#"{"skip":[{"x":"}]"},"\"",1e400,NaN],"list":[1,"\ud83dtwo",{"not":"text"},null],"last":true}"#;
    let (mut texts, mut names) = (Vec::new(), Vec::new());
    let mut reader = JsonReader::new(body);
    let passed = reader.fields(|reader, name| {
        names.push(name.to_owned());
        if name != "list" {
            return reader.skip();
        }
        reader.elements(|reader| {
            texts.push(reader.text()?.map(std::borrow::Cow::into_owned));
            Ok(())
        })
    });
    assert_eq!((passed, reader.end()), (Ok(()), Ok(())));
    assert_eq!(names, ["skip", "list", "last"]);
    assert_eq!(texts, [Some("1".to_owned()), Some("\u{fffd}two".to_owned()), None, None]);
}
