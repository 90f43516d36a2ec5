use uuid::Uuid;

use super::*;

const NO_OTHERS: &dyn Fn(usize) -> bool = &|_| true;

fn inbox(number: u128) -> InboxId {
    InboxId(Uuid::from_u128(number))
}

fn take(window: &Arc<Window>, who: u128, wanted: usize) -> Vec<(WindowPlace, DoubtRoom)> {
    window.take(inbox(who), wanted, Instant::now(), NO_OTHERS, &mut |_| Reservation::Yes)
}

#[test]
fn an_inbox_alone_gets_the_whole_window_and_no_more() {
    let window = Window::new(vec![3, 2]);
    let held = take(&window, 1, 9);
    let mut binds: Vec<usize> = held.iter().map(|(held, _)| held.bind).collect();
    binds.sort_unstable();
    assert_eq!(binds, [0, 0, 0, 1, 1]);
    assert!(take(&window, 1, 1).is_empty());
    drop(held);
    assert_eq!(take(&window, 1, 9).len(), 5);
}

#[test]
fn binds_take_turns_and_one_without_a_place_is_skipped() {
    let window = Window::new(vec![8, 8, 8]);
    let mut reserve = |bind| if bind == 1 { Reservation::Closed } else { Reservation::Yes };
    let held = window.take(inbox(1), 4, Instant::now(), NO_OTHERS, &mut reserve);
    assert_eq!(held.iter().map(|(held, _)| held.bind).collect::<Vec<_>>(), [0, 2, 0, 2]);
}

#[test]
fn the_least_loaded_bind_is_taken_with_any_window_size() {
    let window = Window::new(vec![2, 4]);
    let held = take(&window, 1, 3);
    assert_eq!(held.iter().map(|(held, _)| held.bind).collect::<Vec<_>>(), [0, 1, 1], "a quarter is less than a half");
}

#[test]
fn a_place_of_one_bind_is_given_back_like_any() {
    let window = Window::new(vec![1, 1]);
    let (elsewhere, in_doubt) = take(&window, 1, 1).pop().unwrap();
    drop(elsewhere);
    let held = window.take_of(&in_doubt, 1, &mut |_| Reservation::Yes);
    assert_eq!((held.is_some(), window.used_places()), (true, vec![0, 1]));
    assert!(window.take_of(&in_doubt, 1, &mut |_| Reservation::Yes).is_none(), "it is full");
    assert!(window.take_of(&in_doubt, 0, &mut |_| Reservation::NotYet).is_none(), "its rate is used up");
    drop(held);
    assert_eq!(window.used_places(), [0, 0]);
}

#[test]
fn a_second_inbox_gets_its_share_of_what_becomes_free() {
    let window = Window::new(vec![4]);
    let mut first = take(&window, 1, 100);
    assert_eq!(first.len(), 4);
    assert!(take(&window, 2, 100).is_empty());
    first.pop();
    assert!(take(&window, 1, 100).is_empty(), "the first has more than its share");
    let second = take(&window, 2, 100);
    assert_eq!(second.len(), 1);
    first.truncate(1);
    assert_eq!((take(&window, 1, 100).len(), take(&window, 2, 100).len()), (1, 1));
    drop(second);
}

#[test]
fn an_inbox_without_more_messages_leaves_its_places_to_others() {
    let window = Window::new(vec![4]);
    let first = take(&window, 1, 100);
    assert!(take(&window, 2, 1).is_empty());
    drop(first);
    let rest = take(&window, 1, 100);
    assert_eq!(rest.len(), 2, "the second has asked and got nothing");
    let _second = take(&window, 2, 1);
    assert_eq!(take(&window, 1, 100).len(), 1);
}

#[test]
fn an_answer_makes_room_for_another_message_only_once_it_is_on_disk() {
    let window = Window::new(vec![2, 1]);
    let (held, in_doubt): (Vec<WindowPlace>, Vec<DoubtRoom>) = take(&window, 1, 9).into_iter().unzip();
    assert_eq!((held.len(), in_doubt.len()), (3, 3));
    let mut second = window.wait_for_room(inbox(2));
    drop(held);
    assert_eq!(window.used_places(), [0, 0], "all are answered");
    assert!(take(&window, 1, 1).is_empty() && take(&window, 2, 1).is_empty(), "and none is on disk");
    assert!(window.open_binds(inbox(2), Instant::now(), NO_OTHERS).is_empty());
    assert!(second.try_recv().is_err());
    let mut in_doubt = in_doubt.into_iter();
    drop(in_doubt.next());
    assert!(second.try_recv().is_ok());
    assert_eq!(take(&window, 2, 9).len(), 1);
}

#[test]
fn a_message_that_waits_for_one_bind_leaves_its_room_to_others() {
    let window = Window::new(vec![1, 1]);
    let (held, in_doubt): (Vec<WindowPlace>, Vec<DoubtRoom>) = take(&window, 1, 2).into_iter().unzip();
    drop(held);
    assert!(take(&window, 2, 1).is_empty());
    in_doubt[0].gives_room();
    let other = take(&window, 2, 1);
    assert_eq!(other.len(), 1);
    let free = window.used_places().iter().position(|used| *used == 0).unwrap();
    assert!(window.take_of(&in_doubt[0], free, &mut |_| Reservation::Yes).is_none(), "there is a place, and no room");
    drop(other);
    assert!(window.take_of(&in_doubt[0], free, &mut |_| Reservation::Yes).is_some());
    assert!(take(&window, 2, 1).is_empty(), "it has its room again");
}

#[test]
fn a_message_in_progress_gets_a_free_place_before_others() {
    let window = Window::new(vec![1, 1]);
    let mut taken = take(&window, 1, 2);
    let (held, _in_doubt) = taken.pop().unwrap();
    let (mut waits, mut other) = (window.bind_freed(), window.wait_for_room(inbox(2)));
    drop(held);
    assert!(waits.try_recv().is_ok() && other.try_recv().is_err());
}

#[test]
fn parts_take_only_places_that_no_message_needs() {
    let window = Window::new(vec![2]);
    let spare = || window.spare(inbox(1), Instant::now(), &mut |_| Reservation::Yes);
    let part = spare();
    assert!(part.is_some());
    let all = take(&window, 2, 9);
    assert!(spare().is_none());
    drop(all);
    assert!(spare().is_none(), "the second has asked for more");
    window.has_enough(inbox(2));
    assert!(spare().is_some());
}

#[test]
fn the_longest_waiting_inbox_is_woken_first() {
    let window = Window::new(vec![1]);
    let held = take(&window, 1, 1);
    let (gone, mut second, mut third) =
        (window.wait_for_room(inbox(9)), window.wait_for_room(inbox(2)), window.wait_for_room(inbox(3)));
    drop(gone);
    drop(held);
    assert!(second.try_recv().is_ok() && third.try_recv().is_err());
    window.notify_all();
    assert!(third.try_recv().is_ok());
}

#[test]
fn waiting_inboxes_take_turns_at_a_limited_rate() {
    let window = Window::new(vec![100]);
    let now = Instant::now();
    let one_left = || {
        let mut left = 1;
        move |_| {
            left -= 1;
            if left >= 0 { Reservation::Yes } else { Reservation::NotYet }
        }
    };
    let ask =
        |who, reserve: &mut dyn FnMut(usize) -> Reservation| window.take(inbox(who), 50, now, NO_OTHERS, reserve).len();
    assert_eq!(ask(1, &mut one_left()), 1);
    assert_eq!(ask(2, &mut |_| Reservation::NotYet), 0);
    let mut second = window.wait_for_room(inbox(2));
    assert_eq!(ask(1, &mut one_left()), 0, "the second has waited longer");
    assert!(second.try_recv().is_ok(), "and is told");
    assert!(window.is_anothers_turn(inbox(1), now) && !window.is_anothers_turn(inbox(2), now));
    assert_eq!(ask(2, &mut one_left()), 1);
    assert_eq!(ask(1, &mut one_left()), 1, "no other caller waits now");
}

#[test]
fn an_unused_turn_is_lost() {
    let window = Window::new(vec![100]);
    let now = Instant::now();
    let take = |who, at| window.take(inbox(who), 1, at, NO_OTHERS, &mut |_| Reservation::Yes).len();
    let held = window.take(inbox(1), 1, now, NO_OTHERS, &mut |_| Reservation::Yes);
    assert!(window.take(inbox(2), 1, now, NO_OTHERS, &mut |_| Reservation::NotYet).is_empty());
    let _second = window.wait_for_room(inbox(2));
    assert_eq!(take(1, now), 0);
    assert_eq!(take(1, now + TURN / 2), 0);
    assert_eq!(take(1, now + TURN), 1);
    drop(held);
}
