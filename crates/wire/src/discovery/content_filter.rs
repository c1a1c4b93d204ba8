//! What a reader says about the filter that it has (RTPS 2.5 9.4.2.14, 9.6.3.4
//! `ContentFilterProperty_t`).
use super::MAX_NAME;
use crate::cursor::Cursor;
use crate::parameter_writer::{put_len, put_string};
use crate::{Error, ParameterId, ParameterWriter};
use alloc::string::String;
use alloc::vec::Vec;

/// Longest filter expression.
const MAX_EXPRESSION: usize = 4096;
/// Most parameters of an expression, `%0` to `%99`.
const MAX_PARAMETERS: usize = 100;
/// Longest parameter.
const MAX_PARAMETER: usize = 1024;

/// The filter of a reader. A writer that can tell which samples pass need not send the others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContentFilterProperty {
    /// Name of the filtered topic.
    pub topic: String,
    /// Name of the topic that it filters.
    pub related_topic: String,
    /// The language of the expression.
    pub class: String,
    /// The expression.
    pub expression: String,
    /// Values of its parameters, in order.
    pub parameters: Vec<String>,
}

impl ContentFilterProperty {
    /// The class of filters in the language of DDS 1.4 annex B.
    pub const SQL: &'static str = "DDSSQL";
}

impl ParameterWriter {
    pub(super) fn content_filter(&mut self, filter: &ContentFilterProperty) {
        let names = [&filter.topic, &filter.related_topic, &filter.class];
        let texts = names.into_iter().map(|name| (name, MAX_NAME));
        let texts = texts.chain([(&filter.expression, MAX_EXPRESSION)]);
        let parameters = filter.parameters.iter().map(|text| (text, MAX_PARAMETER));
        for (text, limit) in texts.clone().chain(parameters) {
            if text.len() > limit || text.contains('\0') {
                self.fail("content filter", limit);
            }
        }
        if filter.parameters.len() > MAX_PARAMETERS {
            self.fail("parameters of a content filter", MAX_PARAMETERS);
        }
        self.put(ParameterId::CONTENT_FILTER_PROPERTY, |out| {
            texts.for_each(|(text, _)| put_string(out, text));
            put_len(out, filter.parameters.len());
            filter.parameters.iter().for_each(|p| put_string(out, p));
        });
    }
}

impl Cursor<'_> {
    pub(super) fn content_filter(&mut self) -> Result<ContentFilterProperty, Error> {
        let (topic, related_topic) = (self.filter_text(MAX_NAME)?, self.filter_text(MAX_NAME)?);
        let (class, expression) = (
            self.filter_text(MAX_NAME)?,
            self.filter_text(MAX_EXPRESSION)?,
        );
        let count = self.u32()? as usize;
        if count > MAX_PARAMETERS {
            return Err(self.invalid_as("parameters of a content filter"));
        }
        let parameters = (0..count).map(|_| self.filter_text(MAX_PARAMETER));
        Ok(ContentFilterProperty {
            topic,
            related_topic,
            class,
            expression,
            parameters: parameters.collect::<Result<_, _>>()?,
        })
    }

    fn filter_text(&mut self, limit: usize) -> Result<String, Error> {
        let text = self.c_string()?;
        let text = core::str::from_utf8(text).ok();
        let text = text.filter(|text| text.len() <= limit);
        text.map(String::from)
            .ok_or_else(|| self.invalid_as("content filter"))
    }
}
