//! A filter: an expression with its parameters, ready to judge samples of one type.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use dunlin_cdr::{Error, Layout, StructureType, Type, reader_of};

use crate::condition::Condition;
use crate::locate::Found;
use crate::members::{Parts, find_undescribed};
use crate::parser::parse;
use crate::steps::Steps;
use crate::{FilterError, limits};

/// Says which samples of a type pass (DDS 1.4 2.2.2.3.3, annex B).
#[derive(Debug)]
pub struct Filter {
    of: &'static StructureType,
    condition: Condition,
    want: Parts,
    members: usize,
}

impl Filter {
    /// A filter for samples of the type `T`.
    ///
    /// # Errors
    /// What is wrong with the expression or the parameters, and where; or that the type has no
    /// description.
    pub fn of<T: Layout>(
        expression: &str,
        parameters: &[impl AsRef<str>],
    ) -> Result<Self, FilterError> {
        Self::new(expression, parameters, T::describe())
    }

    /// A filter for samples of a type that is known by its description.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn new(
        expression: &str,
        parameters: &[impl AsRef<str>],
        ty: Option<Type>,
    ) -> Result<Self, FilterError> {
        let fault = |message: String| Err(FilterError::new(message, expression, 0..0));
        let Some(Type::Structure(of)) = ty else {
            return fault(
                "the type of the topic has no description, since its encoding is written by hand: derive `Topic` for it, or \
                 implement `Layout::describe`"
                    .into(),
            );
        };
        if let Some(fault_of_type) = find_undescribed(of) {
            return fault(fault_of_type);
        }
        check_limits(expression, parameters)?;
        let parameters: Vec<&str> = parameters.iter().map(AsRef::as_ref).collect();
        let (condition, want) = parse(expression, &parameters, of)?;
        Ok(Self {
            of,
            condition,
            members: want.count(),
            want,
        })
    }

    /// Does this sample pass? One that is not of the type, or that is damaged before its last
    /// member of interest, does not.
    #[inline]
    pub fn passes(&self, payload: &[u8]) -> bool {
        self.evaluate(payload).unwrap_or(false)
    }

    /// As [`passes`](Self::passes), for those who want to know what is wrong with a sample.
    ///
    /// # Errors
    /// Whatever is wrong with the payload, encapsulation header included, up to the last member of
    /// interest.
    pub fn evaluate(&self, payload: &[u8]) -> Result<bool, Error> {
        let mut steps = usize::MAX;
        self.evaluate_within(payload, &mut steps)
    }

    /// As [`evaluate`](Self::evaluate) with so many steps at most, of which it takes off those that
    /// it needs. A step is a value that is passed over, read or compared, sixteen bytes of text
    /// that are compared, or a byte of text that a pattern is held against: none takes more than a
    /// few nanoseconds.
    ///
    /// # Errors
    /// As `evaluate`; [`Error::TooManySteps`] if they do not suffice, and then none are left.
    pub fn evaluate_within(&self, payload: &[u8], steps: &mut usize) -> Result<bool, Error> {
        let mut left = Steps::new(*steps);
        let result = self.judge(payload, &mut left);
        *steps = left.left();
        match left.ran_out() {
            true => Err(Error::TooManySteps),
            false => result,
        }
    }

    fn judge(&self, payload: &[u8], steps: &mut Steps) -> Result<bool, Error> {
        steps.take(1 + self.members);
        let mut r = reader_of(payload, self.of.extensibility)?;
        let mut found = Found::nothing_of(self.members);
        r.set_steps(steps.left());
        let located = found.locate(&mut r, self.of, &self.want);
        match located {
            Err(Error::TooManySteps) => steps.exhaust(),
            _ => steps.take(steps.left() - r.steps()),
        };
        located?;
        Ok(self.condition.is_true(&found, steps) == Some(true))
    }
}

fn check_limits(expression: &str, parameters: &[impl AsRef<str>]) -> Result<(), FilterError> {
    let fault = |message| Err(FilterError::new(message, "", 0..0));
    if expression.len() > limits::EXPRESSION {
        let (is, most) = (expression.len(), limits::EXPRESSION);
        return fault(format!("the expression has {is} bytes, {most} are allowed"));
    }
    if expression.trim().is_empty() {
        return fault("the expression is empty".into());
    }
    if parameters.len() > limits::PARAMETERS {
        let (are, most) = (parameters.len(), limits::PARAMETERS);
        return fault(format!("there are {are} parameters, {most} are allowed"));
    }
    let most = limits::PARAMETER;
    let long = parameters.iter().position(|p| p.as_ref().len() > most);
    match long {
        Some(n) => fault(format!("parameter %{n} has more than {most} bytes")),
        None => Ok(()),
    }
}
