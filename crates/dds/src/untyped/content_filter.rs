//! Topics of which a reader wants a part: content filters (DDS 1.4 2.2.2.3.3).
//!
//! The filter is judged where samples arrive, before they enter the reader's cache; a writer that
//! understands it does not even send what does not pass. The topic owns the expression, and tells
//! its readers when the parameters change.
use crate::entity::identity::same_entity;
use crate::error::{Error, Result};
use crate::runtime::lock::{LEAF, Ranked};
use crate::untyped::reader::ReaderCore;
use crate::untyped::topic::UntypedTopic;
use crate::untyped::type_support::TypeSupport;
use dunlin_rtps::ContentFilter;
use dunlin_wire::ContentFilterProperty;
use std::sync::{Arc, Weak};

/// What a reader can be made for: a topic, or a part of one (DDS 1.4 2.2.2.3.1).
pub trait UntypedTopicDescription {
    /// Its name.
    fn name(&self) -> &str;
    /// The topic that samples are written to.
    fn related_topic(&self) -> &UntypedTopic;
    /// If it is a part of that topic, which.
    fn content_filter(&self) -> Option<&UntypedContentFilteredTopic> {
        None
    }
}

impl UntypedTopicDescription for UntypedTopic {
    fn name(&self) -> &str {
        self.name()
    }

    fn related_topic(&self) -> &UntypedTopic {
        self
    }
}

impl UntypedTopicDescription for UntypedContentFilteredTopic {
    fn name(&self) -> &str {
        self.name()
    }

    fn related_topic(&self) -> &UntypedTopic {
        &self.related
    }

    fn content_filter(&self) -> Option<&UntypedContentFilteredTopic> {
        Some(self)
    }
}

/// Those samples of a topic that pass a filter (DDS 1.4 2.2.2.3.3). Clones are the same.
#[derive(Clone)]
pub struct UntypedContentFilteredTopic {
    related: UntypedTopic,
    inner: Arc<Inner>,
}

same_entity!(UntypedContentFilteredTopic, inner, |topic| format!(
    "content filtered topic {:?} of {:?}",
    topic.inner.name, topic.related
));

struct Inner {
    name: String,
    expression: String,
    terms: Ranked<Terms, LEAF>,
}

/// What may change.
struct Terms {
    parameters: Vec<String>,
    filter: ContentFilter,
    readers: Vec<Weak<ReaderCore>>,
}

impl UntypedContentFilteredTopic {
    pub(crate) fn new(
        name: &str,
        related: &UntypedTopic,
        expression: &str,
        parameters: &[impl AsRef<str>],
    ) -> Result<Self> {
        if name.is_empty() || name.len() > 255 {
            return Err(Error::BadParameter(format!(
                "content filtered topic name {name:?}: 1 to 255 bytes are allowed"
            )));
        }
        let filter = compile(name, related.type_support(), expression, parameters)?;
        let inner = Inner {
            name: name.to_owned(),
            expression: expression.to_owned(),
            terms: Ranked::new(Terms {
                parameters: owned(parameters),
                filter,
                readers: Vec::new(),
            }),
        };
        Ok(Self {
            related: related.clone(),
            inner: Arc::new(inner),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The topic of which it is a part (DDS 1.4 2.2.2.3.3.1).
    pub fn related_topic(&self) -> &UntypedTopic {
        &self.related
    }

    /// The expression (DDS 1.4 2.2.2.3.3.2).
    pub fn filter_expression(&self) -> &str {
        &self.inner.expression
    }

    /// The values of its parameters, in order (DDS 1.4 2.2.2.3.3.3).
    pub fn expression_parameters(&self) -> Vec<String> {
        self.inner.terms.lock().parameters.clone()
    }

    /// Other values for the parameters (DDS 1.4 2.2.2.3.3.4): they count for samples that come from
    /// now on to the readers that there are, and writers hear of them by discovery. On error
    /// nothing is changed.
    ///
    /// # Errors
    /// `BadParameter`, showing which parameter suits its member not, or has no value.
    pub fn set_expression_parameters(&self, parameters: &[impl AsRef<str>]) -> Result<()> {
        let inner = &self.inner;
        let filter = compile(
            &inner.name,
            self.related.type_support(),
            &inner.expression,
            parameters,
        )?;
        let readers = {
            let mut terms = inner.terms.lock();
            terms.parameters = owned(parameters);
            terms.filter = filter;
            terms.readers.retain(|reader| reader.strong_count() > 0);
            terms.readers.clone()
        };
        let shared = &self.related.core().shared;
        for reader in readers.iter().filter_map(Weak::upgrade) {
            self.apply(&reader);
            let announced = shared.discover(|matching, now| matching.update_reader(now, &reader));
            announced.map_err(|error| cannot_announce(&reader, &error))?;
        }
        Ok(())
    }

    /// A new reader is for this part.
    pub(crate) fn adopt(&self, reader: &Arc<ReaderCore>) {
        self.inner.terms.lock().readers.push(Arc::downgrade(reader));
        self.apply(reader);
    }

    /// Tells a reader which samples it wants now.
    fn apply(&self, reader: &ReaderCore) {
        let (parameters, filter) = {
            let terms = self.inner.terms.lock();
            (terms.parameters.clone(), terms.filter.clone())
        };
        let property = ContentFilterProperty {
            topic: self.inner.name.clone(),
            related_topic: self.related.name().to_owned(),
            class: ContentFilterProperty::SQL.to_owned(),
            expression: self.inner.expression.clone(),
            parameters,
        };
        reader.set_content_filter(property, filter);
    }
}

/// Tells writers which samples a reader wants, or that it wants all; it judges none itself.
pub(crate) fn announce(
    reader: &Arc<ReaderCore>,
    part: Option<(&str, &[impl AsRef<str>])>,
) -> Result<()> {
    let told = match part {
        None => None,
        Some((expression, parameters)) => {
            dunlin_filter::check_limits(expression, parameters)
                .map_err(|error| Error::BadParameter(format!("{}: {error}", reader.describe())))?;
            Some(ContentFilterProperty {
                topic: format!("a part of {}", reader.topic),
                related_topic: reader.topic.clone(),
                class: ContentFilterProperty::SQL.to_owned(),
                expression: expression.to_owned(),
                parameters: owned(parameters),
            })
        }
    };
    *reader.content_filter.lock() = told;
    let announced = reader
        .shared
        .discover(|matching, now| matching.update_reader(now, reader));
    announced.map_err(|error| cannot_announce(reader, &error))
}

pub(crate) fn cannot_announce(reader: &ReaderCore, error: &dunlin_wire::Error) -> Error {
    Error::BadParameter(format!(
        "{} cannot be announced: {error}",
        reader.describe()
    ))
}

fn owned(parameters: &[impl AsRef<str>]) -> Vec<String> {
    let parameters = parameters.iter().map(|text| text.as_ref().to_owned());
    parameters.collect()
}

fn compile(
    name: &str,
    ty: &TypeSupport,
    expression: &str,
    parameters: &[impl AsRef<str>],
) -> Result<ContentFilter> {
    match ty.filter(expression, parameters) {
        Ok(filter) => Ok(ContentFilter::new(move |sample| filter.passes(sample))),
        Err(error) => Err(Error::BadParameter(format!(
            "content filtered topic {name:?}: {error}"
        ))),
    }
}
