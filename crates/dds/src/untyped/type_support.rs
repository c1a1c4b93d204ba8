//! What writers, readers and topics know of their type.
mod announced;

use crate::error::{Error, Result};
use announced::Announced;
use bytes::{Bytes, BytesMut};
use dunlin_cdr::{Endianness, Extensibility, KeyForm, Representation, Xcdr};
use dunlin_filter::{Filter, FilterError};
use dunlin_qos::DataRepresentation;
use dunlin_rtps::{ChangeKind, InstanceHandle};
use dunlin_wire::{EncodedTypeInformation, Payload};
use dunlin_xtypes::{DynamicType, KeyPlan, TypeKind, ValueError};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// The representations that endpoints of a type read and write if nothing else is said.
const REPRESENTATIONS: [DataRepresentation; 2] =
    [DataRepresentation::Xcdr1, DataRepresentation::Xcdr2];

/// A type as topics, writers and readers know it (DDS 1.4 2.2.2.3.6): its name, its key, and what
/// it is, if that is known. A clone is a counted reference.
///
/// It is made of a Rust type ([`of`](Self::of)), of a type that was built at run time
/// ([`from_type`](Self::from_type)), or of what another participant told of an endpoint
/// ([`discovered`](Self::discovered)).
///
/// ```
/// use dunlin::untyped::TypeSupport;
/// use dunlin::xtypes::{TypeIndex, TypeTreeBuilder};
///
/// #[derive(dunlin::Topic)]
/// struct Position {
///     #[key]
///     bird: u32,
///     x: f64,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut types = TypeTreeBuilder::new();
/// let position = types
///     .structure("Position", dunlin::cdr::Extensibility::Appendable)
///     .member("bird", TypeIndex::UINT32)
///     .key()
///     .member("x", TypeIndex::FLOAT64)
///     .finish();
/// let built = TypeSupport::from_type(&types.build(position)?)?;
/// assert_eq!(built.difference(&TypeSupport::of::<Position>()), None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TypeSupport {
    inner: Arc<Inner>,
}

#[derive(Clone)]
struct Inner {
    name: Arc<str>,
    is_keyed: bool,
    extensibility: Extensibility,
    representations: Arc<[DataRepresentation]>,
    /// What the type is, or why that is not known.
    ty: std::result::Result<DynamicType, Arc<str>>,
    /// [`DynamicType::digest`].
    digest: Option<u64>,
    keys: Arc<dyn KeyCode>,
    plain_layout: Option<u64>,
    announced: Announced,
    /// TYPE_OBJECT as an endpoint of another participant sent it.
    object: Option<Bytes>,
}

/// Finds keys in payloads of one type.
pub(crate) trait KeyCode: Any + Send + Sync {
    /// The instance of a serialized sample or key; `None` if it cannot be told.
    fn instance(&self, payload: Payload<'_>) -> Option<InstanceHandle>;

    /// The key of a serialized sample, as the payload of a dispose has it; empty if it cannot be
    /// told.
    fn key(&self, sample: &Bytes) -> Bytes;

    /// Appends the payload of a dispose for the instance of a serialized key, in this form.
    fn rewrite_key(
        &self,
        key: &Bytes,
        xcdr: Xcdr,
        form: KeyForm,
        out: &mut BytesMut,
    ) -> std::result::Result<(), dunlin_cdr::Error>;

    /// Whether it is for one type only, so that the code tells the type from others.
    fn is_for_one_type(&self) -> bool {
        true
    }
}

impl dyn KeyCode {
    /// Whether both may be for the same type.
    fn is_same(&self, other: &Self) -> bool {
        let (one, two): (&dyn Any, &dyn Any) = (self, other);
        !self.is_for_one_type() || !other.is_for_one_type() || one.type_id() == two.type_id()
    }
}

/// Keys by the type as it is known at run time.
impl KeyCode for KeyPlan {
    fn instance(&self, payload: Payload<'_>) -> Option<InstanceHandle> {
        let hash = match payload {
            Payload::None => return None,
            Payload::Data(sample) => self.key_hash(sample),
            Payload::Key(key) => self.key_hash_of_key(key),
        };
        hash.ok().map(InstanceHandle)
    }

    fn key(&self, sample: &Bytes) -> Bytes {
        let mut key = BytesMut::new();
        match self.key_payload(sample, Xcdr::V2, Endianness::NATIVE, &mut key) {
            // Copied, so that an instance keeps exactly the bytes of its key.
            Ok(()) => Bytes::copy_from_slice(&key),
            Err(_) => Bytes::new(),
        }
    }

    fn rewrite_key(
        &self,
        key: &Bytes,
        xcdr: Xcdr,
        form: KeyForm,
        out: &mut BytesMut,
    ) -> std::result::Result<(), dunlin_cdr::Error> {
        match KeyPlan::rewrite_key(self, key, xcdr, form, out) {
            Err(ValueError::Cdr(error)) => Err(error),
            // Any other mistake was refused where the key came from.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn is_for_one_type(&self) -> bool {
        false
    }
}

/// Keys of a type that is not known: writers have to send them along.
struct UnknownKeys;

impl KeyCode for UnknownKeys {
    fn instance(&self, _: Payload<'_>) -> Option<InstanceHandle> {
        None
    }

    fn key(&self, _: &Bytes) -> Bytes {
        Bytes::new()
    }

    fn rewrite_key(
        &self,
        key: &Bytes,
        xcdr: Xcdr,
        form: KeyForm,
        out: &mut BytesMut,
    ) -> std::result::Result<(), dunlin_cdr::Error> {
        let begin = out.len();
        out.extend_from_slice(key);
        // What is there stays as it came; it may be made longer all the same.
        if !key.is_empty() {
            form.lengthen(xcdr, begin, out);
        }
        Ok(())
    }

    fn is_for_one_type(&self) -> bool {
        false
    }
}

/// A type of which code was compiled into the program.
pub(crate) struct Compiled {
    pub(crate) name: &'static str,
    pub(crate) is_keyed: bool,
    pub(crate) extensibility: Extensibility,
    /// What it is, or why that is not known.
    pub(crate) ty: std::result::Result<DynamicType, String>,
    pub(crate) keys: Arc<dyn KeyCode>,
    pub(crate) plain_layout: Option<u64>,
}

impl TypeSupport {
    /// Of a type that was compiled into the program.
    pub(crate) fn compiled(from: Compiled) -> Self {
        Self::new(Inner {
            name: from.name.into(),
            is_keyed: from.is_keyed,
            extensibility: from.extensibility,
            representations: REPRESENTATIONS.into(),
            digest: from.ty.as_ref().ok().and_then(DynamicType::digest),
            announced: Announced::own(from.ty.is_ok()),
            ty: from.ty.map_err(Arc::from),
            keys: from.keys,
            plain_layout: from.plain_layout,
            object: None,
        })
    }

    /// Of a type that was built at run time, with its own name.
    ///
    /// # Errors
    /// `BadParameter` if it is no structure or union: topics are of these (DDS-XTypes 1.3 7.2.3).
    pub fn from_type(ty: &DynamicType) -> Result<Self> {
        if !matches!(ty.resolved().kind(), TypeKind::Structure | TypeKind::Union) {
            return Err(Error::BadParameter(format!(
                "a topic cannot be of the type {}: use a structure or union",
                ty.words()
            )));
        }
        let plan = KeyPlan::new(ty);
        Ok(Self::new(Inner {
            name: ty.name().into(),
            is_keyed: plan.has_key(),
            extensibility: ty.extensibility(),
            representations: REPRESENTATIONS.into(),
            digest: ty.digest(),
            ty: Ok(ty.clone()),
            keys: Arc::new(plan),
            plain_layout: None,
            announced: Announced::own(true),
            object: None,
        }))
    }

    /// Of an endpoint of another participant, of which the name of the type and whether it has a
    /// key are known. Instances are known by the key hashes that writers send; there are no
    /// filters.
    pub fn discovered(name: &str, is_keyed: bool) -> Self {
        Self::new(Inner {
            name: name.into(),
            is_keyed,
            extensibility: Extensibility::Appendable,
            representations: REPRESENTATIONS.into(),
            digest: None,
            ty: Err("another participant told its name only".into()),
            keys: Arc::new(UnknownKeys),
            plain_layout: None,
            announced: Announced::Nothing,
            object: None,
        })
    }

    fn new(inner: Inner) -> Self {
        Self {
            inner: Arc::new(inner),
        }
    }

    fn with(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.inner));
        self
    }

    /// The same type under another name, by which the domain knows it (DDS 1.4 2.2.2.3.6.1).
    #[must_use]
    pub fn with_name(self, name: &str) -> Self {
        self.with(|inner| inner.name = name.into())
    }

    /// The same type with the parameters by which an endpoint of another participant described it:
    /// TYPE_INFORMATION (DDS-XTypes 1.3 7.6.3.2.2) and TYPE_OBJECT, as they came. Endpoints of the
    /// type announce the former instead of what Dunlin would say itself.
    #[must_use]
    pub fn with_parameters(
        self,
        information: Option<EncodedTypeInformation>,
        object: Option<Bytes>,
    ) -> Self {
        self.with(|inner| {
            inner.announced = match information {
                Some(information) => Announced::Foreign(information),
                None => Announced::own(inner.ty.is_ok()),
            };
            inner.object = object;
        })
    }

    /// The same type, of which endpoints read and write these representations only: one that wants
    /// another cannot be enabled.
    #[must_use]
    pub fn with_representations(self, representations: &[DataRepresentation]) -> Self {
        self.with(|inner| inner.representations = representations.into())
    }

    /// The name by which the participants of a domain know the type.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Whether samples belong to instances.
    pub fn is_keyed(&self) -> bool {
        self.inner.is_keyed
    }

    /// How the type may grow; appendable if that is not known.
    pub fn extensibility(&self) -> Extensibility {
        self.inner.extensibility
    }

    /// The representations in which endpoints of the type read and write samples.
    pub fn representations(&self) -> &[DataRepresentation] {
        &self.inner.representations
    }

    /// Fails unless the type has one of the representations that an endpoint offers or requests;
    /// none means XCDR1 (DDS-XTypes 1.3 7.6.3.1.1).
    pub(crate) fn check_representation(
        &self,
        entity: impl Fn() -> String,
        wanted: &[DataRepresentation],
    ) -> Result<()> {
        let own = self.representations();
        let wanted = match wanted {
            [] => &[DataRepresentation::Xcdr1],
            wanted => wanted,
        };
        match wanted.iter().any(|one| own.contains(one)) {
            true => Ok(()),
            false => Err(Error::BadParameter(format!(
                "{}: DATA_REPRESENTATION is {}, and the type is written as {} only: choose one of these",
                entity(),
                listed(wanted),
                listed(own)
            ))),
        }
    }

    /// What the type is; `None` if that is not known.
    pub fn dynamic_type(&self) -> Option<&DynamicType> {
        self.inner.ty.as_ref().ok()
    }

    /// TYPE_INFORMATION as an endpoint of another participant sent it.
    pub fn type_information(&self) -> Option<&EncodedTypeInformation> {
        match &self.inner.announced {
            Announced::Foreign(information) => Some(information),
            _ => None,
        }
    }

    /// TYPE_OBJECT as an endpoint sent it.
    pub fn type_object(&self) -> Option<&Bytes> {
        self.inner.object.as_ref()
    }

    /// If samples are the memory of a Rust value, a number that tells its layout from others.
    pub fn plain_layout(&self) -> Option<u64> {
        self.inner.plain_layout
    }

    /// Tells the type from others: [`DynamicType::digest`].
    pub fn digest(&self) -> Option<u64> {
        self.inner.digest
    }

    /// The instance of a serialized sample or key, encapsulation header included; `None` if the
    /// payload is not of the type, or the type is not known.
    #[inline]
    pub(crate) fn instance(&self, payload: Payload<'_>) -> Option<InstanceHandle> {
        self.inner.keys.instance(payload)
    }

    /// What is wrong with a payload that is to be written, as far as its header shows; all of it is
    /// looked at with `DUNLIN_CHECK_PAYLOADS=1`.
    pub(crate) fn check_payload(
        &self,
        kind: ChangeKind,
        payload: &[u8],
        xcdr: Xcdr,
    ) -> std::result::Result<(), String> {
        let Some(&[high, low, _, _]) = payload.first_chunk() else {
            return Err(format!(
                "the payload has {} octets, and its encapsulation header alone has 4",
                payload.len()
            ));
        };
        let is = Representation::from_id(u16::from_be_bytes([high, low]));
        let is = is.map_err(|error| format!("the payload cannot be written: {error}"))?;
        if is.xcdr != xcdr {
            return Err(format!(
                "the payload is in {}, and the writer's DATA_REPRESENTATION is {}",
                words(is.xcdr),
                words(xcdr)
            ));
        }
        let Some(ty) = self.dynamic_type() else {
            return Ok(());
        };
        let wanted = self.extensibility();
        let fits = is.extensibility == wanted
            || xcdr == Xcdr::V1
                && is.extensibility == Extensibility::Final
                && wanted == Extensibility::Appendable;
        if !fits {
            return Err(format!(
                "the payload is of a type that is {:?}, and {:?} is {wanted:?}",
                is.extensibility,
                self.name()
            ));
        }
        if checks_all() && kind == ChangeKind::Alive {
            let valid = ty.validate(payload);
            return valid.map_err(|error| format!("the payload is no {:?}: {error}", self.name()));
        }
        Ok(())
    }

    /// The serialized key of a serialized sample; empty if it cannot be told.
    pub(crate) fn key(&self, sample: &Bytes) -> Bytes {
        self.inner.keys.key(sample)
    }

    /// The payload of a dispose for the instance of a serialized key, in a form that other products
    /// understand.
    pub(crate) fn rewrite_key(
        &self,
        key: &Bytes,
        xcdr: Xcdr,
        form: KeyForm,
        out: &mut BytesMut,
    ) -> std::result::Result<(), dunlin_cdr::Error> {
        self.inner.keys.rewrite_key(key, xcdr, form, out)
    }

    /// A filter for samples of the type (DDS 1.4 annex B).
    pub(crate) fn filter(
        &self,
        expression: &str,
        parameters: &[impl AsRef<str>],
    ) -> std::result::Result<Filter, FilterError> {
        match &self.inner.ty {
            Ok(ty) => Filter::new(expression, parameters, ty),
            Err(why) => Err(FilterError::unknown_type(expression, why)),
        }
    }

    /// Keys are found by this code.
    pub(crate) fn has_code<C: KeyCode>(&self) -> bool {
        let code: &dyn Any = &*self.inner.keys;
        code.is::<C>()
    }

    /// What makes the two different types: `None` if they are the same, that is, if they have one
    /// name and, as far as is known, the same members and keys.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let (one, two) = (&*self.inner, &*other.inner);
        if Arc::ptr_eq(&self.inner, &other.inner) {
            return None;
        }
        if one.name != two.name {
            return Some(format!("type, {:?}; wanted is {:?}", one.name, two.name));
        }
        let kinds = |what: &str| Some(format!("{what} of the type {:?}", one.name));
        if one.is_keyed != two.is_keyed {
            return kinds("key");
        }
        let same = match (&one.ty, &two.ty) {
            (Ok(a), Ok(b)) => match (one.digest, two.digest) {
                (Some(a), Some(b)) => a == b,
                _ => a.tree() == b.tree() && a.index() == b.index(),
            },
            _ => one.keys.is_same(&*two.keys),
        };
        match same {
            true => None,
            false => kinds("definition"),
        }
    }
}

/// Whether all of each payload is looked at that is written.
pub(crate) fn checks_all() -> bool {
    static ALL: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("DUNLIN_CHECK_PAYLOADS").is_some_and(|v| v == "1"));
    *ALL
}

fn listed(representations: &[DataRepresentation]) -> String {
    let names: Vec<String> = representations.iter().map(|one| one.to_string()).collect();
    names.join(", ")
}

impl fmt::Debug for TypeSupport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypeSupport")
            .field("name", &self.inner.name)
            .field("is_keyed", &self.inner.is_keyed)
            .field("extensibility", &self.inner.extensibility)
            .field("is_known", &self.inner.ty.is_ok())
            .finish_non_exhaustive()
    }
}

fn words(xcdr: Xcdr) -> &'static str {
    match xcdr {
        Xcdr::V1 => "XCDR1",
        Xcdr::V2 => "XCDR2",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_type_that_is_not_known_is_as_long_as_others_need_it() {
        let ty = TypeSupport::discovered("T", true);
        let key = Bytes::from_static(&[0, 1, 0, 0, 7, 0, 0, 0]);
        let rewritten = |key: &Bytes, long| {
            let mut out = BytesMut::new();
            let form = KeyForm { bare: false, long };
            ty.rewrite_key(key, Xcdr::V1, form, &mut out).unwrap();
            out
        };
        assert_eq!(rewritten(&key, false), key);
        let long = rewritten(&key, true);
        assert!(long.starts_with(&key) && long.len() > 16, "{long:?}");
        // A change without a key stays without.
        assert!(rewritten(&Bytes::new(), true).is_empty());
    }
}
