//! The query parameters of each operation, taken from its description. Unknown parameters are ignored, like unknown
//! fields of a body. A misspelled one is a fault, because the caller would get an answer to another question.

use std::collections::HashMap;

use axum::{
    extract::MatchedPath,
    http::{Method, request::Parts},
};
use domain::body::{Faults, FieldFault, slip};
use utoipa::openapi::{
    OpenApi, RefOr,
    path::{Operation, ParameterIn, PathItem},
};

use crate::{error::ApiError, query::QueryParameters};

/// The names of the query parameters, by path template and method.
#[derive(Debug, Default)]
pub struct QueryNames(HashMap<String, Vec<(Method, Vec<String>)>>);

impl QueryNames {
    pub fn of(document: &OpenApi) -> Self {
        let paths = document.paths.paths.iter();
        Self(paths.map(|(path, item)| (path.clone(), names_by_method(item))).collect())
    }

    /// Refuses a query with a misspelled name.
    ///
    /// # Errors
    /// 400 with one fault per misspelled name.
    pub fn check(&self, parts: &Parts) -> Result<(), ApiError> {
        if parts.uri.query().is_none() {
            return Ok(());
        }
        let Some(path) = parts.extensions.get::<MatchedPath>() else { return Ok(()) };
        let known = self.names(path.as_str(), &parts.method);
        let mut faults = Faults::default();
        for name in QueryParameters::of(&parts.uri)?.names() {
            if let Some(said) = slip(name, &known, &[]) {
                faults.push(FieldFault::new(name, said.replace("is not a field here", "is not a parameter here")));
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(ApiError::faults(faults)) }
    }

    fn names(&self, path: &str, method: &Method) -> Vec<&str> {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        let methods = self.0.get(path).into_iter().flatten();
        methods.filter(|(of, _)| of == method).flat_map(|(_, names)| names).map(String::as_str).collect()
    }
}

fn names_by_method(item: &PathItem) -> Vec<(Method, Vec<String>)> {
    let operations = [
        (Method::GET, &item.get),
        (Method::POST, &item.post),
        (Method::PUT, &item.put),
        (Method::DELETE, &item.delete),
    ];
    operations.into_iter().filter_map(|(method, operation)| Some((method, query_names(operation.as_ref()?)))).collect()
}

fn query_names(operation: &Operation) -> Vec<String> {
    let parameters = operation.parameters.iter().flatten().filter_map(|parameter| match parameter {
        RefOr::T(parameter) => Some(parameter),
        RefOr::Ref(_) => None,
    });
    let of_query = parameters.filter(|parameter| parameter.parameter_in == ParameterIn::Query);
    of_query.map(|parameter| parameter.name.clone()).collect()
}
