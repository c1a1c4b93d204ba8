//! Queries: conditions on the content of samples that are in a reader (DDS 1.4 2.2.2.5.9).
use crate::error::{Error, Result};
use crate::runtime::lock::{LEAF, Ranked};
use crate::untyped::condition::{Condition, ReadCondition};
use crate::untyped::reader::ReaderCore;
use dunlin_rtps::{ContentFilter, Select};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// True while a reader holds samples with the given states whose content an expression describes.
/// It is a [`ReadCondition`] too.
#[derive(Clone)]
pub struct QueryCondition {
    condition: ReadCondition,
    query: Arc<Query>,
}

/// What a query asks for.
pub(crate) struct Query {
    expression: String,
    terms: Ranked<Terms, LEAF>,
}

struct Terms {
    parameters: Vec<String>,
    filter: ContentFilter,
}

impl Query {
    pub(crate) fn expression(&self) -> &str {
        &self.expression
    }

    pub(crate) fn filter(&self) -> ContentFilter {
        self.terms.lock().filter.clone()
    }
}

impl QueryCondition {
    pub(crate) fn new(
        reader: &Arc<ReaderCore>,
        select: Select,
        expression: &str,
        parameters: &[impl AsRef<str>],
    ) -> Result<Self> {
        let parameters: Vec<&str> = parameters.iter().map(AsRef::as_ref).collect();
        let filter = compile(reader, expression, &parameters)?;
        let query = Arc::new(Query {
            expression: expression.to_owned(),
            terms: Ranked::new(Terms {
                parameters: parameters.into_iter().map(str::to_owned).collect(),
                filter,
            }),
        });
        Ok(Self {
            condition: ReadCondition::asking(reader, select, &query),
            query,
        })
    }

    /// The expression (DDS 1.4 2.2.2.5.9.1).
    pub fn query_expression(&self) -> &str {
        &self.query.expression
    }

    /// The values of its parameters, in order (DDS 1.4 2.2.2.5.9.2).
    pub fn query_parameters(&self) -> Vec<String> {
        self.query.terms.lock().parameters.clone()
    }

    /// Other values for the parameters (DDS 1.4 2.2.2.5.9.3); who waits for the condition sees what
    /// they make of it. On error nothing is changed.
    ///
    /// # Errors
    /// `BadParameter`, showing which parameter suits its member not, or has no value.
    pub fn set_query_parameters(&self, parameters: &[impl AsRef<str>]) -> Result<()> {
        let parameters: Vec<&str> = parameters.iter().map(AsRef::as_ref).collect();
        let reader = self.condition.reader();
        let filter = compile(reader, &self.query.expression, &parameters)?;
        *self.query.terms.lock() = Terms {
            parameters: parameters.into_iter().map(str::to_owned).collect(),
            filter,
        };
        reader.data.raise_all();
        Ok(())
    }
}

impl Deref for QueryCondition {
    type Target = ReadCondition;

    fn deref(&self) -> &ReadCondition {
        &self.condition
    }
}

/// By identity, as that of the read condition which it is.
impl PartialEq for QueryCondition {
    fn eq(&self, other: &Self) -> bool {
        self.condition == other.condition
    }
}

impl Eq for QueryCondition {}

impl PartialEq<QueryCondition> for Condition {
    fn eq(&self, query: &QueryCondition) -> bool {
        *self == query.condition
    }
}

impl fmt::Debug for QueryCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt(f)
    }
}

impl From<QueryCondition> for Condition {
    fn from(query: QueryCondition) -> Self {
        query.condition.into()
    }
}

fn compile(reader: &ReaderCore, expression: &str, parameters: &[&str]) -> Result<ContentFilter> {
    let filter = reader.type_support.filter(expression, parameters);
    let filter = filter.map_err(|error| {
        let reader = reader.describe();
        Error::BadParameter(format!("query condition of {reader}: {error}"))
    })?;
    Ok(ContentFilter::new(move |payload| filter.passes(payload)))
}
