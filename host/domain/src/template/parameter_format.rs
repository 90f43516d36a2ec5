#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterFormat {
    /// `{{1}}`, `{{2}}`.
    Positional,
    /// `{{first_name}}`. The provider also needs the name of each parameter.
    Named,
}
