//! Rows of a contact import: a CSV text whose first row names the columns.

use std::collections::HashSet;

use crate::{
    body::FieldFault,
    contact::{ContactName, parse_tags},
    csv,
    phone::Msisdn,
};

/// Rows of one import.
pub const ROWS_MAX: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// The line of the text, from 1.
    pub line: usize,
    pub name: ContactName,
    pub phone: Msisdn,
    pub tags: Vec<String>,
}

/// A finding about one row, which is not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFault {
    pub line: usize,
    pub fault: FieldFault,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportTable {
    pub rows: Vec<ImportRow>,
    pub faults: Vec<RowFault>,
    /// Columns that mean nothing here.
    pub ignored: Vec<String>,
}

impl ImportTable {
    /// # Errors
    /// The fault of the text as a whole.
    pub fn parse(text: &str) -> Result<Self, FieldFault> {
        let mut rows = csv::rows(text).into_iter();
        let fault = |said: String| FieldFault::new("csv", said);
        let (_, header) = rows.next().ok_or_else(|| fault("is empty".to_owned()))?;
        let columns = Columns::of(&header)?;
        if rows.len() > ROWS_MAX {
            return Err(fault(format!("may have {ROWS_MAX} rows at most: import it in parts")));
        }
        let mut table = Self { ignored: columns.ignored.clone(), ..Self::default() };
        let mut seen = HashSet::new();
        for (line, fields) in rows {
            match columns.row(line, &fields) {
                Ok(row) if seen.insert(row.phone.as_str().to_owned()) => table.rows.push(row),
                Ok(_) => {
                    let fault = FieldFault::new("phoneNumber", "is in an earlier row too");
                    table.faults.push(RowFault { line, fault });
                }
                Err(faults) => table.faults.extend(faults.into_iter().map(|fault| RowFault { line, fault })),
            }
        }
        Ok(table)
    }
}

struct Columns {
    name: usize,
    phone: usize,
    tags: Option<usize>,
    ignored: Vec<String>,
}

impl Columns {
    fn of(header: &[String]) -> Result<Self, FieldFault> {
        let (mut name, mut phone, mut tags, mut ignored) = (None, None, None, Vec::new());
        for (at, column) in header.iter().enumerate() {
            let plain: String = column.to_lowercase().chars().filter(|one| one.is_alphanumeric()).collect();
            let place = match plain.as_str() {
                "fullname" | "name" => &mut name,
                "phonenumber" | "phone" | "number" | "msisdn" => &mut phone,
                "tags" | "tag" => &mut tags,
                _ => {
                    ignored.push(column.clone());
                    continue;
                }
            };
            if place.replace(at).is_some() {
                return Err(FieldFault::new("csv", format!("names the column `{column}` twice")));
            }
        }
        match (name, phone) {
            (Some(name), Some(phone)) => Ok(Self { name, phone, tags, ignored }),
            _ => Err(FieldFault::new(
                "csv",
                "must begin with a row of column names: fullName, phoneNumber, and optionally tags",
            )),
        }
    }

    fn row(&self, line: usize, fields: &[String]) -> Result<ImportRow, Vec<FieldFault>> {
        let field = |at: usize| fields.get(at).filter(|text| !text.is_empty());
        let name = ContactName::parse(field(self.name).cloned());
        let phone = match field(self.phone) {
            None => Err(FieldFault::required("phoneNumber")),
            Some(text) => parse_phone(text),
        };
        let tags = self.tags.and_then(field).map(String::as_str).unwrap_or_default();
        let tags = parse_tags(tags.split([';', '|']).map(str::to_owned).filter(|tag| !tag.trim().is_empty()).collect());
        match (name, phone, tags) {
            (Ok(name), Ok(phone), Ok(tags)) => Ok(ImportRow { line, name, phone, tags }),
            (name, phone, tags) => Err([name.err(), phone.err(), tags.err()].into_iter().flatten().collect()),
        }
    }
}

/// Spreadsheets show numbers with separators, and with an apostrophe against formulas.
fn parse_phone(text: &str) -> Result<Msisdn, FieldFault> {
    let plain: String =
        text.chars().filter(|one| !matches!(one, ' ' | '-' | '(' | ')' | '.' | '\'' | '\u{A0}')).collect();
    Msisdn::parse(&plain).map_err(|error| FieldFault::new("phoneNumber", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> ImportTable {
        ImportTable::parse(text).unwrap()
    }

    #[test]
    fn columns_are_found_by_name_in_any_order_and_case() {
        let read = table("Phone Number;Age;FULL NAME;Tags\n+27 82 000-0001;7;Thandi;vip|new");
        assert_eq!(read.ignored, ["Age"]);
        let row = &read.rows[0];
        assert_eq!((row.line, row.name.as_str(), row.phone.as_str()), (2, "Thandi", "27820000001"));
        assert_eq!(row.tags, ["vip", "new"]);
    }

    #[test]
    fn each_faulty_row_is_named_and_the_others_are_read() {
        let read = table("fullName,phoneNumber\n,12\nThandi,27820000001\nOther,+27820000001\n");
        let faults: Vec<_> = read.faults.iter().map(|fault| (fault.line, fault.fault.field.as_str())).collect();
        assert_eq!(faults, [(2, "fullName"), (2, "phoneNumber"), (4, "phoneNumber")]);
        assert_eq!(read.rows.len(), 1);
    }

    #[test]
    fn a_text_without_the_needed_columns_is_refused() {
        for text in ["", "name\nThandi", "a,b\n1,2", "name,name,phone\n"] {
            assert_eq!(ImportTable::parse(text).unwrap_err().field, "csv", "{text:?}");
        }
        let long = format!("name,phone\n{}", "x,1\n".repeat(ROWS_MAX + 1));
        assert_eq!(ImportTable::parse(&long).unwrap_err().field, "csv");
    }
}
