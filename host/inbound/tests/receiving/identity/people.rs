//! Lives of people as a provider sees them, and the knowledge that a service can have of them. Numbers are withheld,
//! changed, written in two forms and given to other people. User ids change with them, and usernames mean nothing.

use std::collections::BTreeSet;

use domain::address::{Address, AddressKind};

/// Deterministic numbers: the same seed gives the same life.
#[derive(Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    /// 0 to `sides` - 1 (`SplitMix64`).
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides
    }
}

/// One event in the life of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Happening {
    pub person: usize,
    pub what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Writes to the business, with number and user id.
    Writes,
    WritesWithheld,
    /// Writes without a user id, as before user ids existed.
    WritesWithoutUserId,
    WritesWithMalformedUserId,
    /// The business sends to the number in the form that the provider does not use.
    SentToOtherForm,
    SentToNumber,
    /// The business sends to the number, and the status names the user id.
    StatusNamesUserId,
    /// The business sends to the user id, and the answer names the number.
    SentToUserId,
    /// Gets a new number and user id, and the provider reports it.
    ChangesNumber,
    /// Takes a number that another person has left, and the provider reports it.
    TakesLeftNumber,
    /// Gets a new number without a report and keeps the user id.
    MovesSilently,
    /// Takes a number that another person has left, without a report.
    TakesLeftNumberSilently,
    /// Gets a new user id, and the provider reports it.
    ChangesUserId,
    /// Takes a username, perhaps one of another person.
    ChangesUsername,
}

const ALL: [What; 14] = [
    What::Writes,
    What::WritesWithheld,
    What::WritesWithoutUserId,
    What::WritesWithMalformedUserId,
    What::SentToOtherForm,
    What::SentToNumber,
    What::StatusNamesUserId,
    What::SentToUserId,
    What::ChangesNumber,
    What::TakesLeftNumber,
    What::MovesSilently,
    What::TakesLeftNumberSilently,
    What::ChangesUserId,
    What::ChangesUsername,
];

/// The events of the life with this seed.
pub fn history(seed: u64) -> Vec<Happening> {
    let mut dice = Dice::new(seed);
    let people = 1 + dice.roll(3);
    let length = 3 + dice.roll(8);
    let mut one = || {
        // Writing is the most frequent event.
        let what = if dice.roll(3) == 0 { What::Writes } else { ALL[usize::try_from(dice.roll(14)).unwrap()] };
        Happening { person: usize::try_from(dice.roll(people)).unwrap(), what }
    };
    (0..length).map(|_| one()).collect()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    Message {
        phone: Option<String>,
        user_id: Option<String>,
        username: Option<String>,
    },
    /// An answer to a send, or a status: the address used, and the provider's names of that person.
    Sent {
        written: Address,
        named: Vec<Address>,
    },
    NumberChanged {
        old: String,
        new: String,
        before: String,
        now: String,
    },
    UserIdChanged {
        before: String,
        now: String,
        phone: Option<String>,
    },
}

#[derive(Debug, Clone)]
struct Person {
    number: u32,
    user_id: u32,
    username: Option<String>,
    /// Must send number and user id first, because its number was another person's.
    introduces_itself: bool,
}

/// The knowledge that a service can have of one person.
#[derive(Debug, Clone)]
pub struct Known {
    person: usize,
    pub addresses: BTreeSet<Address>,
    /// The number seen last, and the time.
    shown: Option<(u32, String)>,
    pub messages: usize,
}

/// The people of a life, their world, and the possible knowledge of them.
#[derive(Debug, Clone)]
pub struct World {
    /// Distinguishes this world from others: part of every number and user id.
    place: u32,
    /// The country of the numbers. South African numbers have one form, Brazilian ones two that we know to be equal,
    /// Ivorian ones two that only the provider knows to be equal.
    country: usize,
    time: u32,
    people: Vec<Person>,
    numbers: u32,
    user_ids: u32,
    /// Numbers without an owner.
    left: Vec<u32>,
    pub known: Vec<Known>,
}

impl World {
    /// A new world for a seed at a place.
    pub fn new(seed: u64, place: u32) -> Self {
        let person = |at| Person { number: at, user_id: at, username: None, introduces_itself: false };
        Self {
            place,
            country: usize::try_from(seed % 3).unwrap(),
            time: 0,
            people: (0..3).map(person).collect(),
            numbers: 3,
            user_ids: 3,
            left: Vec::new(),
            known: Vec::new(),
        }
    }

    /// True if a person of this world had the address at any time.
    pub fn owns(&self, address: &Address) -> bool {
        let numbers = (0..self.numbers).flat_map(|one| std::iter::once(self.phone(one)).chain(self.other_form(one)));
        let mut all = numbers.chain((0..self.user_ids).map(|one| self.user_id(one)));
        all.any(|value| value == address.value())
    }

    /// The number in the form of the provider.
    fn phone(&self, number: u32) -> String {
        let subscriber = self.place * 100 + number;
        match self.country {
            0 => format!("2782{subscriber:07}"),
            1 => format!("55419{subscriber:07}"),
            _ => format!("22501{subscriber:08}"),
        }
    }

    /// The other form, which people use and the provider does not.
    fn other_form(&self, number: u32) -> Option<String> {
        let subscriber = self.place * 100 + number;
        match self.country {
            0 => None,
            1 => Some(format!("554199{subscriber:07}")),
            _ => Some(format!("225{subscriber:08}")),
        }
    }

    fn user_id(&self, user_id: u32) -> String {
        format!("{}.{}", ["ZA", "BR", "CI"][self.country], u64::from(self.place) * 100 + u64::from(user_id))
    }

    /// Applies an event and returns the provider's report. `None` if the event is not possible.
    pub fn happens(&mut self, happening: Happening) -> Option<Told> {
        let at = happening.person;
        let person = self.people[at].clone();
        let (phone, user_id) = (self.phone(person.number), self.user_id(person.user_id));
        if person.introduces_itself && happening.what != What::Writes {
            return None;
        }
        let message = |phone: Option<&String>, user_id: Option<String>| Told::Message {
            phone: phone.cloned(),
            user_id,
            username: person.username.clone(),
        };
        let sent = |written: Address, named: Vec<Address>| Told::Sent { written, named };
        match happening.what {
            What::Writes => {
                self.people[at].introduces_itself = false;
                self.seen(at, &[number(&phone), bsuid(&user_id)], &[], true);
                Some(message(Some(&phone), Some(user_id)))
            }
            What::WritesWithheld => {
                self.seen(at, &[bsuid(&user_id)], &[], true);
                Some(message(None, Some(user_id)))
            }
            What::WritesWithoutUserId => {
                self.seen(at, &[number(&phone)], &[], true);
                Some(message(Some(&phone), None))
            }
            What::WritesWithMalformedUserId => {
                self.seen(at, &[number(&phone)], &[], true);
                Some(message(Some(&phone), Some("not.a user id".to_owned())))
            }
            What::SentToOtherForm => {
                let other = number(&self.other_form(person.number)?);
                self.seen(at, &[number(&phone)], std::slice::from_ref(&other), false);
                Some(sent(other, vec![number(&phone)]))
            }
            What::SentToNumber => {
                self.seen(at, &[number(&phone)], &[], false);
                Some(sent(number(&phone), vec![number(&phone)]))
            }
            What::StatusNamesUserId => {
                let named = vec![number(&phone), bsuid(&user_id)];
                self.seen(at, &named, &[], false);
                Some(sent(number(&phone), named))
            }
            What::SentToUserId => {
                let named = vec![number(&phone), bsuid(&user_id)];
                self.seen(at, &named, &[], false);
                Some(sent(bsuid(&user_id), named))
            }
            What::ChangesNumber => {
                let new = self.new_number();
                Some(self.change_number(at, new))
            }
            What::TakesLeftNumber => {
                let new = self.take_left_number()?;
                Some(self.change_number(at, new))
            }
            What::MovesSilently => {
                self.people[at].number = self.new_number();
                self.left.push(person.number);
                None
            }
            What::TakesLeftNumberSilently => {
                self.people[at].number = self.take_left_number()?;
                self.people[at].introduces_itself = true;
                self.left.push(person.number);
                None
            }
            What::ChangesUserId => {
                let now = self.new_user_id();
                self.people[at].user_id = now;
                let now = self.user_id(now);
                self.seen(at, &[bsuid(&now)], &[bsuid(&user_id)], false);
                Some(Told::UserIdChanged { before: user_id, now, phone: None })
            }
            What::ChangesUsername => {
                self.people[at].username = Some(format!("name{}", self.place % 7));
                None
            }
        }
    }

    fn change_number(&mut self, at: usize, new: u32) -> Told {
        let person = self.people[at].clone();
        let (old, before) = (self.phone(person.number), self.user_id(person.user_id));
        let user_id = self.new_user_id();
        let (new_phone, now) = (self.phone(new), self.user_id(user_id));
        self.people[at] = Person { number: new, user_id, ..person };
        self.left.push(person.number);
        let named = with_spellings(&[number(&old), bsuid(&before), number(&new_phone), bsuid(&now)]);
        self.take_from_others(at, &named.iter().collect::<Vec<_>>());
        // A service keeps nothing of a person that it never heard of.
        if self.known.iter().any(|known| known.person == at && named.iter().any(|one| known.addresses.contains(one))) {
            self.seen(at, &[number(&new_phone), bsuid(&now)], &[bsuid(&before), number(&old)], false);
            let old = with_spellings(&[number(&old)]);
            for known in &mut self.known {
                known.addresses.retain(|address| !old.contains(address));
            }
        }
        Told::NumberChanged { old, new: new_phone, before, now }
    }

    fn new_number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers - 1
    }

    fn new_user_id(&mut self) -> u32 {
        self.user_ids += 1;
        self.user_ids - 1
    }

    /// A number without an owner, if the service can know that it was left: its person has reported it, or was seen
    /// with another number.
    fn take_left_number(&mut self) -> Option<u32> {
        let is_free = |of: &u32| {
            let forms: Vec<String> = std::iter::once(self.phone(*of)).chain(self.other_form(*of)).collect();
            let has = |known: &&Known| forms.iter().any(|form| known.addresses.contains(&number(form)));
            let moved_on = |known: &Known| {
                let has_user_id = known.addresses.iter().any(|one| one.kind() == AddressKind::Bsuid);
                has_user_id && known.shown.as_ref().is_some_and(|(_, shown)| !forms.contains(shown))
            };
            self.known.iter().filter(has).all(moved_on)
        };
        let at = self.left.iter().position(is_free)?;
        Some(self.left.remove(at))
    }

    /// An address of this person belongs to no other person.
    fn take_from_others(&mut self, person: usize, named: &[&Address]) {
        for known in self.known.iter_mut().filter(|known| known.person != person) {
            known.addresses.retain(|address| !named.contains(&address));
        }
    }

    /// The provider names these addresses as one person's. `aliases` are those it does not show.
    fn seen(&mut self, person: usize, current: &[Address], aliases: &[Address], wrote: bool) {
        let named = with_spellings(&[current, aliases].concat());
        let named: Vec<&Address> = named.iter().collect();
        self.take_from_others(person, &named);
        self.time += 1;
        let is_meant =
            |known: &Known| known.person == person && named.iter().any(|address| known.addresses.contains(*address));
        let (meant, mut rest): (Vec<Known>, Vec<Known>) = self.known.drain(..).partition(is_meant);
        let mut one = Known { person, addresses: BTreeSet::new(), shown: None, messages: usize::from(wrote) };
        for known in meant {
            one.addresses.extend(known.addresses);
            one.messages += known.messages;
            one.shown = known.shown.max(one.shown);
        }
        one.addresses.extend(named.into_iter().cloned());
        let phone = current.iter().find(|address| address.kind() == AddressKind::Phone);
        one.shown = phone.map(|phone| (self.time, phone.value().to_owned())).max(one.shown);
        rest.push(one);
        self.known = rest;
    }
}

/// The addresses, with the other spelling of numbers that have two.
fn with_spellings(addresses: &[Address]) -> Vec<Address> {
    addresses.iter().cloned().chain(addresses.iter().filter_map(Address::other_spelling)).collect()
}

fn number(digits: &str) -> Address {
    Address::of_kind(AddressKind::Phone, digits).unwrap()
}

fn bsuid(text: &str) -> Address {
    Address::of_kind(AddressKind::Bsuid, text).unwrap()
}
