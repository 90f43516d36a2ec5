pub const WHOLE_BODY: &str = "body";

pub(super) fn field_of(path: &serde_path_to_error::Path, name: Option<&str>) -> String {
    match (path.to_string().as_str(), name) {
        (".", None) => WHOLE_BODY.to_owned(),
        (".", Some(name)) => name.to_owned(),
        (path, None) => path.to_owned(),
        (path, Some(name)) => format!("{path}.{name}"),
    }
}
