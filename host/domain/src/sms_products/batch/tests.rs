use super::*;

fn keywords(form: &[(&str, &str)]) -> Keywords {
    Keywords::of(form.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))).unwrap()
}

/// A valid batch with some keywords changed. An empty value removes a keyword.
fn judged(changes: &[(&str, &str)]) -> Result<BatchSend, u16> {
    let mut form = vec![("message", "Hello"), ("cell", "0821234567"), ("senderid", "SHOP")];
    form.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
    form.extend(changes);
    BatchSend::of(&keywords(&form), KeyMode::Live).map_err(|fault| fault.code)
}

#[test]
fn a_batch_needs_a_message() {
    assert_eq!(judged(&[("message", "")]), Err(1021));
    assert_eq!(judged(&[("message", "  ")]), Err(1021));
}

#[test]
fn a_number_is_normalised_and_counted() {
    let BatchCells { recipients, total, correct } =
        judged(&[("cell", "0821234567|Order 7, 12, +27 82 123 4567")]).unwrap().cells;
    assert_eq!((total, correct), (3, 2));
    let cell = Cell { number: "27821234567".to_owned(), identifier: Some("Order 7".to_owned()) };
    assert_eq!(recipients, [cell], "the same number gets it once");
}

#[test]
fn all_numbers_right_is_0_and_all_wrong_is_1071() {
    let code = |cells: &str| judged(&[("cell", cells)]).map(|batch| batch.cells.code());
    assert_eq!((code("0821234567"), code("0821234567,12")), (Ok(0), Ok(1)));
    for cells in ["", "12", "a,b", ",,"] {
        assert_eq!(judged(&[("cell", cells)]), Err(1071), "{cells:?}");
    }
}

#[test]
fn a_missing_cell_and_wrong_numbers_have_different_errors() {
    let said = |cell: &str| BatchCells::of(&keywords(&[("cell", cell)]), KeyMode::Live).unwrap_err().said;
    assert!(said("").starts_with("the keyword cell is missing"), "{}", said(""));
    assert!(said("12").starts_with("all numbers are invalid"), "{}", said("12"));
}

#[test]
fn about_two_hundred_numbers_are_taken() {
    let with = |count: usize| {
        let cells: Vec<String> = (0..count).map(|at| format!("27820{at:06}")).collect();
        judged(&[("cell", &cells.join(","))]).map(|batch| batch.cells.correct)
    };
    assert_eq!((with(200), with(CELLS_MAX), with(CELLS_MAX + 1)), (Ok(200), Ok(CELLS_MAX), Err(1072)));
    let spaces = format!("27821234567{}", " ".repeat(CELLS_MAX * CELL_BYTES_MAX));
    assert_eq!(judged(&[("cell", &spaces)]).map(|_| ()), Err(1072), "megabytes of one number");
}

#[test]
fn a_sender_or_priority_with_replies_is_required() {
    assert_eq!(judged(&[("senderid", "")]), Err(1100));
    assert_eq!(judged(&[("senderid", ""), ("priority", "true")]), Err(1100));
    assert_eq!(judged(&[("senderid", ""), ("repliesperuserid", "true")]), Err(1100));
    let replies = judged(&[("senderid", ""), ("priority", "true"), ("repliesperuserid", "true")]).unwrap().replies;
    assert_eq!(replies, ReplyModel::Replies { virtual_name: None });
}

#[test]
fn the_two_reply_models_do_not_mix() {
    assert_eq!(judged(&[("priority", "true")]), Err(1101));
    assert_eq!(judged(&[("priority", "true"), ("repliesperuserid", "true")]), Err(1101));
}

#[test]
fn own_replies_need_a_virtual_name() {
    let own = [("senderid", ""), ("priority", "true"), ("manageownreplies", "true")];
    assert_eq!(judged(&own), Err(1103));
    let named = judged(&[own[0], own[1], own[2], ("virtualname", "desk")]).unwrap();
    assert_eq!(named.replies, ReplyModel::Replies { virtual_name: Some("desk".to_owned()) });
}

#[test]
fn a_sender_is_a_number_or_a_short_name() {
    for sender in ["SHOP", "My Shop 24", "27821234567", "+27821234567", "12345"] {
        assert!(judged(&[("senderid", sender)]).is_ok(), "{sender}");
    }
    for sender in ["TwelveLetter", "1234567890123456", "SHÖP", "<b>"] {
        assert_eq!(judged(&[("senderid", sender)]), Err(1102), "{sender}");
    }
}

#[test]
fn a_future_time_is_local_or_has_an_offset() {
    let at = |text: &str| judged(&[("futuredatetime", text)]).map(|batch| batch.future.unwrap());
    assert!(matches!(at("2026-01-31 08:15:00"), Ok(FutureTime::Local(_))));
    assert!(matches!(at("2026-01-31T08:15:00+02:00"), Ok(FutureTime::At(_))));
    for text in ["tomorrow", "2026-01-31", "31/01/2026 08:15", "2026-02-30 08:15:00", "2026-01-31 25:00:00"] {
        assert_eq!(at(text), Err(1310), "{text}");
    }
}

#[test]
fn a_future_time_has_a_year_of_four_digits() {
    for text in ["31-12-26 08:15:00", "-9999-01-01 00:00:00", "+262142-12-31 00:00:00", "26-01-31T08:15:00+02:00"] {
        assert_eq!(judged(&[("futuredatetime", text)]).map(drop), Err(1310), "{text}");
    }
}

fn parts(changes: &[(&str, &str)]) -> Result<usize, u16> {
    BatchText::of(&keywords(changes)).map(|text| text.parts).map_err(|fault| fault.code)
}

#[test]
fn parts_have_160_or_156_characters_and_153_when_joined() {
    let split = |length: usize, concat: &str| parts(&[("message", &"a".repeat(length)), ("concat", concat)]);
    assert_eq!((split(160, "false"), split(161, "false")), (Ok(1), Ok(2)));
    assert_eq!((split(312, "false"), split(313, "false")), (Ok(2), Ok(3)));
    assert_eq!((split(160, "true"), split(161, "true")), (Ok(1), Ok(2)));
    assert_eq!((split(306, "true"), split(307, "true")), (Ok(2), Ok(3)));
}

#[test]
fn unicode_parts_have_70_characters_and_67_when_there_are_several() {
    let split = |length: usize| parts(&[("message", &"a".repeat(length)), ("unicode", "true")]);
    assert_eq!((split(70), split(71), split(134), split(135)), (Ok(1), Ok(2), Ok(2), Ok(3)));
}

#[test]
fn nine_parts_are_the_most_and_1377_characters_when_joined() {
    let joined = |length: usize| parts(&[("message", &"a".repeat(length)), ("concat", "true")]);
    assert_eq!((joined(1377), joined(1378)), (Ok(9), Err(1022)));
    let apart = |length: usize| parts(&[("message", &"a".repeat(length))]);
    assert_eq!((apart(9 * 156), apart(9 * 156 + 1)), (Ok(9), Err(1022)));
}

#[test]
fn maxparts_cuts_the_text() {
    let cut = |length: usize, most: &str, concat: &str| {
        let text =
            BatchText::of(&keywords(&[("message", &"a".repeat(length)), ("maxparts", most), ("concat", concat)]));
        text.map(|text| (text.text.len(), text.parts)).map_err(|fault| fault.code)
    };
    assert_eq!(cut(500, "1", "false"), Ok((160, 1)));
    assert_eq!(cut(500, "2", "false"), Ok((312, 2)));
    assert_eq!(cut(500, "2", "true"), Ok((306, 2)));
    assert_eq!(cut(100, "2", "true"), Ok((100, 1)));
    assert_eq!(cut(100_000, "9", "true"), Ok((1377, 9)));
    for most in ["0", "10", "x", "-1"] {
        assert_eq!(cut(10, most, "true"), Err(1051), "{most}");
    }
}

#[test]
fn a_name_of_a_batch_has_80_and_20_characters_at_most() {
    let named = |batch_ref: usize, batch_id: usize| {
        let (batch_ref, batch_id) = ("é".repeat(batch_ref), "é".repeat(batch_id));
        let name = BatchName::of(&keywords(&[("batchref", &batch_ref), ("batchid", &batch_id)]));
        name.and_then(BatchName::whole).map(|_| ()).map_err(|fault| fault.code)
    };
    assert_eq!(named(80, 20), Ok(()));
    assert_eq!((named(81, 20), named(80, 21)), (Err(1031), Err(1032)));
    assert_eq!(named(0, 20), Err(1033));
}

#[test]
fn wrong_keywords_have_codes_of_their_own() {
    let of = |form: &[(&str, &str)]| {
        let form = form.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Keywords::of(form).map(|_| ()).map_err(|fault| fault.code)
    };
    assert_eq!(of(&[("massage", "Hello")]), Err(1001));
    assert_eq!(of(&[("message", "a\0b")]), Err(1002));
    assert_eq!(of(&[("message", "a"), ("Message", "b")]), Err(1003));
    assert_eq!(judged(&[("rdr", "perhaps")]), Err(1005));
}
