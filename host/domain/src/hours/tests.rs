use serde_json::json;

use super::*;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn hours(zone: &str, weekly: &[(&str, &str, &str)], holidays: &[&str]) -> TeamHours {
    let weekly: Vec<_> = weekly.iter().map(|(day, from, to)| json!({ "day": day, "from": from, "to": to })).collect();
    let holidays: Vec<_> = holidays.iter().map(|date| json!({ "date": date })).collect();
    let hours = serde_json::from_value(json!({ "weekly": weekly, "holidays": holidays })).unwrap();
    TeamHours { zone: zone.parse().unwrap(), hours: Some(hours) }
}

fn refused(hours: serde_json::Value) -> String {
    body::parse::<BusinessHours>(hours.to_string().as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_team_without_hours_is_always_open() {
    assert!(TeamHours { zone: TimeZone::UTC, hours: None }.is_open(at("2026-12-25T03:00:00Z")));
}

#[test]
fn an_interval_is_open_from_its_first_minute_until_before_its_last() {
    // 2026-11-23 is a Monday; Johannesburg is two hours ahead.
    let team = hours("Africa/Johannesburg", &[("MONDAY", "08:00", "17:00")], &[]);
    for (moment, open) in [
        ("2026-11-23T05:59:59Z", false),
        ("2026-11-23T06:00:00Z", true),
        ("2026-11-23T14:59:59Z", true),
        ("2026-11-23T15:00:00Z", false),
        ("2026-11-24T08:00:00Z", false),
        ("2026-11-22T08:00:00Z", false),
    ] {
        assert_eq!(team.is_open(at(moment)), open, "{moment}");
    }
}

#[test]
fn two_intervals_of_a_day_leave_a_break_between_them() {
    let team = hours("UTC", &[("MONDAY", "08:00", "12:00"), ("MONDAY", "13:00", "17:00")], &[]);
    assert!(team.is_open(at("2026-11-23T11:59:00Z")));
    assert!(!team.is_open(at("2026-11-23T12:30:00Z")));
    assert!(team.is_open(at("2026-11-23T13:00:00Z")));
}

#[test]
fn a_whole_day_ends_at_24_00() {
    let team = hours("UTC", &[("MONDAY", "00:00", "24:00")], &[]);
    assert!(!team.is_open(at("2026-11-22T23:59:59Z")));
    assert!(team.is_open(at("2026-11-23T00:00:00Z")));
    assert!(team.is_open(at("2026-11-23T23:59:59Z")));
    assert!(!team.is_open(at("2026-11-24T00:00:00Z")));
}

#[test]
fn a_night_goes_over_midnight_into_the_next_day() {
    let team = hours("UTC", &[("SUNDAY", "22:00", "06:00")], &[]);
    assert!(!team.is_open(at("2026-11-22T05:00:00Z")), "that is Saturday's night");
    assert!(team.is_open(at("2026-11-22T22:00:00Z")));
    assert!(team.is_open(at("2026-11-23T05:59:00Z")));
    assert!(!team.is_open(at("2026-11-23T06:00:00Z")));
    assert!(!team.is_open(at("2026-11-23T22:00:00Z")));
}

#[test]
fn a_holiday_is_closed_by_the_local_date() {
    let team = hours("Pacific/Auckland", &[("FRIDAY", "00:00", "24:00")], &["2026-12-25"]);
    // Auckland is thirteen hours ahead: its 25th begins on the 24th at eleven.
    assert!(!team.is_open(at("2026-12-24T11:00:00Z")));
    assert!(!team.is_open(at("2026-12-25T10:59:59Z")));
    assert!(team.is_open(at("2026-12-17T11:00:00Z")), "another Friday");
}

#[test]
fn a_night_ends_where_a_holiday_begins_and_none_begins_on_one() {
    let nights = [("THURSDAY", "22:00", "06:00"), ("FRIDAY", "22:00", "06:00")];
    let team = hours("UTC", &nights, &["2026-12-25"]);
    assert!(team.is_open(at("2026-12-24T23:59:00Z")));
    assert!(!team.is_open(at("2026-12-25T00:00:00Z")));
    assert!(!team.is_open(at("2026-12-25T23:00:00Z")));
    assert!(!team.is_open(at("2026-12-26T03:00:00Z")), "the night of the holiday");
    assert!(team.is_open(at("2027-01-02T03:00:00Z")));
}

#[test]
fn the_hours_follow_the_local_clock_at_a_change_to_summer_time() {
    // New York, 2026-03-08: 02:00 becomes 03:00, from five hours behind to four.
    let team = hours("America/New_York", &[("SUNDAY", "01:30", "03:30")], &[]);
    for (moment, open) in [
        ("2026-03-08T06:29:59Z", false),
        ("2026-03-08T06:30:00Z", true),
        ("2026-03-08T06:59:59Z", true),
        ("2026-03-08T07:00:00Z", true),
        ("2026-03-08T07:29:59Z", true),
        ("2026-03-08T07:30:00Z", false),
        // The Sunday before, two hours are two hours.
        ("2026-03-01T06:30:00Z", true),
        ("2026-03-01T08:29:59Z", true),
        ("2026-03-01T08:30:00Z", false),
    ] {
        assert_eq!(team.is_open(at(moment)), open, "{moment}");
    }
}

#[test]
fn an_hour_that_the_clock_shows_twice_is_open_twice() {
    // New York, 2026-11-01: 02:00 becomes 01:00 again.
    let team = hours("America/New_York", &[("SUNDAY", "01:00", "02:00")], &[]);
    for (moment, open) in [
        ("2026-11-01T04:59:59Z", false),
        ("2026-11-01T05:00:00Z", true),
        ("2026-11-01T05:59:59Z", true),
        ("2026-11-01T06:00:00Z", true),
        ("2026-11-01T06:59:59Z", true),
        ("2026-11-01T07:00:00Z", false),
    ] {
        assert_eq!(team.is_open(at(moment)), open, "{moment}");
    }
}

#[test]
fn hours_are_written_as_they_are_read() {
    let written = json!({
        "weekly": [{ "day": "MONDAY", "from": "08:00", "to": "24:00" }],
        "holidays": [{ "date": "2026-12-16", "name": "Day of Reconciliation" }, { "date": "2026-12-25" }],
    });
    let read: BusinessHours = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), written);
    let mut twice = read.holidays().to_vec();
    twice.reverse();
    twice.extend(read.holidays().to_vec());
    assert_eq!(BusinessHours::new(read.weekly().to_vec(), twice).unwrap().holidays().len(), 2);
}

#[test]
fn times_of_the_day_are_minutes_of_24_hours() {
    for (text, fine) in [
        ("00:00", true),
        ("23:59", true),
        ("24:00", true),
        ("24:01", false),
        ("25:00", false),
        ("12:60", false),
        ("8:00", false),
        ("08:0", false),
        ("+8:00", false),
        ("0800", false),
        ("", false),
    ] {
        assert_eq!(text.parse::<WallMinute>().is_ok(), fine, "{text}");
    }
}

#[test]
fn invalid_hours_are_refused_with_their_path() {
    let monday = |from: &str, to: &str| json!({ "day": "MONDAY", "from": from, "to": to });
    assert!(refused(json!({ "weekly": [] })).contains("`weekly` must have 1 to 70"));
    assert!(refused(json!({ "weekly": vec![monday("08:00", "09:00"); 71] })).contains("1 to 70"));
    assert!(refused(json!({ "weekly": [monday("08:00", "08:00")] })).contains("weekly[0]"));
    assert!(refused(json!({ "weekly": [monday("24:00", "08:00")] })).contains("weekly[0]"));
    assert!(refused(json!({ "weekly": [monday("8", "09:00")] })).contains("time of the day"));
    assert!(refused(json!({ "weekly": [{ "day": "FUNDAY", "from": "08:00", "to": "09:00" }] })).contains("FUNDAY"));
    for day in ["2026-02-30", "26-12-25", "+262142-12-25"] {
        let holidays = json!([{ "date": day }]);
        let said = refused(json!({ "weekly": [monday("08:00", "09:00")], "holidays": holidays }));
        assert!(said.contains("2026-12-25"), "{day}: {said}");
    }
    let holidays = json!([{ "date": "2026-02-20", "name": " " }]);
    assert!(
        refused(json!({ "weekly": [monday("08:00", "09:00")], "holidays": holidays })).contains("holidays[0].name")
    );
    assert!(refused(json!({ "weekly": [monday("08:00", "09:00")], "closed": true })).contains("closed"));
}

#[test]
fn only_iana_names_are_time_zones() {
    assert_eq!("Africa/Johannesburg".parse::<TimeZone>().unwrap().name(), "Africa/Johannesburg");
    for other in ["", "Johannesburg", "+02:00", "africa/johannesburg"] {
        assert!(other.parse::<TimeZone>().is_err(), "{other}");
    }
}

#[test]
fn a_team_is_available_again_at_the_next_start_that_is_not_a_holiday() {
    let week = [("MONDAY", "08:00", "12:00"), ("MONDAY", "13:00", "17:00"), ("FRIDAY", "22:00", "06:00")];
    let team = hours("UTC", &week, &["2026-11-27"]);
    for (moment, opens) in [
        ("2026-11-23T07:59:59Z", "2026-11-23T08:00:00Z"),
        ("2026-11-23T08:00:00Z", "2026-11-23T08:00:00Z"),
        ("2026-11-23T12:00:00Z", "2026-11-23T13:00:00Z"),
        ("2026-11-23T17:00:00Z", "2026-11-30T08:00:00Z"),
        ("2026-12-05T05:59:59Z", "2026-12-05T05:59:59Z"),
        ("2026-12-05T06:00:00Z", "2026-12-07T08:00:00Z"),
    ] {
        assert_eq!(team.next_open(at(moment)), Some(at(opens)), "{moment}");
    }
    let always = TeamHours { zone: TimeZone::UTC, hours: None };
    assert_eq!(always.next_open(at("2026-11-23T12:00:00Z")), Some(at("2026-11-23T12:00:00Z")));
}

#[test]
fn a_start_skipped_or_repeated_by_the_clock_is_the_first_open_moment() {
    // In Berlin 02:00 to 03:00 is left out on 2026-03-29, and comes twice on 2026-10-25.
    let team = hours("Europe/Berlin", &[("SUNDAY", "02:30", "05:00")], &[]);
    assert_eq!(team.next_open(at("2026-03-28T12:00:00Z")), Some(at("2026-03-29T01:00:00Z")), "03:00 on the wall");
    assert_eq!(team.next_open(at("2026-10-24T12:00:00Z")), Some(at("2026-10-25T00:30:00Z")), "the first 02:30");
    let short = hours("Europe/Berlin", &[("SUNDAY", "02:00", "02:30")], &[]);
    assert_eq!(short.next_open(at("2026-10-25T00:30:00Z")), Some(at("2026-10-25T01:00:00Z")), "the second 02:00");
    assert_eq!(short.next_open(at("2026-03-28T12:00:00Z")), Some(at("2026-04-05T00:00:00Z")), "none on that day");
}

#[test]
fn a_holiday_of_a_year_has_no_next_opening() {
    let days: Vec<String> =
        (0..52).map(|week| (at("2026-11-23T00:00:00Z") + TimeDelta::weeks(week)).date_naive().to_string()).collect();
    let days: Vec<&str> = days.iter().map(String::as_str).collect();
    let team = hours("UTC", &[("MONDAY", "08:00", "17:00")], &days);
    assert_eq!(team.next_open(at("2026-11-22T00:00:00Z")), Some(at("2027-11-22T08:00:00Z")));
    let all: Vec<String> =
        (0..58).map(|week| (at("2026-11-23T00:00:00Z") + TimeDelta::weeks(week)).date_naive().to_string()).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(hours("UTC", &[("MONDAY", "08:00", "17:00")], &all).next_open(at("2026-11-22T00:00:00Z")), None);
}
