//! Structs.

mod read;
mod write;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DataStruct, Error, Fields, Ident, Result, Type};

use crate::attributes::{Container, Member, Place, number};
use crate::{fit, plain, range};

pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    id: u32,
    attributes: Member,
}

impl Field<'_> {
    /// What it has if a sender lacks it.
    fn default_value(&self, cdr: &syn::Path) -> TokenStream {
        let ty = self.ty;
        match &self.attributes.annotations.default {
            Some(value) => quote!(<#ty as #cdr::Annotated>::of(#value)),
            None => quote!(<#ty as #cdr::Deserialize>::default_value()),
        }
    }

    /// Calls `then` with what there is to know for checks of its range.
    fn ranged<T>(&self, then: impl FnOnce(range::Of<'_>) -> T) -> T {
        let ty = self.ty;
        then(range::Of {
            ty: &quote!(#ty),
            annotations: &self.attributes.annotations,
            element: &self.attributes.element,
        })
    }

    fn is_checked(&self, container: &Container) -> bool {
        self.ranged(|of| of.is_checked(container))
    }

    /// How many bytes that has behind boxes.
    fn default_heap(&self, cdr: &syn::Path) -> TokenStream {
        let (ty, text) = (self.ty, self.attributes.annotations.default_heap());
        match text {
            0 => quote!(<#ty as #cdr::Layout>::DEFAULT_HEAP),
            text => quote!(<#ty as #cdr::Layout>::DEFAULT_HEAP.saturating_add(#text)),
        }
    }
}

pub(crate) fn expand(container: &Container, data: &DataStruct) -> Result<TokenStream> {
    let fields = fields(container, data)?;
    if container.plain
        && let Some(field) = fields.iter().find(|field| field.is_checked(container))
    {
        return Err(Error::new_spanned(
            field.ident,
            "members of a plain type are not looked at one by one: leave out `plain` or \
             `range_checks`",
        ));
    }
    let layout = layout(container, &fields);
    let serialize = write::serialize(container, &fields);
    let deserialize = read::deserialize(container, &fields);
    let default = container.default();
    let topic = container.is_topic.then(|| topic(container, &fields));
    let plain = container.plain.then(|| plain::expand(container, &fields));
    Ok(quote!(#layout #serialize #deserialize #default #topic #plain))
}

fn fields<'a>(container: &Container, data: &'a DataStruct) -> Result<Vec<Field<'a>>> {
    let Fields::Named(named) = &data.fields else {
        return Err(Error::new_spanned(
            &container.ident,
            "a struct needs named fields, for they are the members of the IDL struct",
        ));
    };
    let mut fields = Vec::new();
    for field in &named.named {
        let attributes = Member::parse(&field.attrs, Place::Field)?;
        if attributes.key && is_optional(&field.ty) {
            return Err(Error::new_spanned(
                &field.ty,
                "a key member cannot be optional, for every sample belongs to an instance: leave out `#[key]` or `Option`, or give absence a \
                 value of its own",
            ));
        }
        if let Some(ident) = &field.ident {
            fields.push(Field {
                ident,
                ty: &field.ty,
                id: 0,
                attributes,
            });
        }
    }
    let ids = number(
        container,
        fields.iter().map(|f| (f.ident, &f.attributes)),
        0,
    )?;
    for (field, id) in fields.iter_mut().zip(ids) {
        field.id = id;
    }
    Ok(fields)
}

/// An `Option`, as can be told by its name. One behind another name is refused by
/// [`required_keys`].
fn is_optional(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|s| s.ident == "Option"),
        Type::Group(group) => is_optional(&group.elem),
        Type::Paren(paren) => is_optional(&paren.elem),
        _ => false,
    }
}

/// The key fields; all fields if none is marked, for then the whole of a nested struct is the key.
fn keys<'a>(fields: &'a [Field<'a>]) -> Vec<&'a Field<'a>> {
    let any = fields.iter().any(|field| field.attributes.key);
    fields
        .iter()
        .filter(|field| field.attributes.key || !any)
        .collect()
}

/// The key fields in the order in which a key hash has them.
fn sorted_keys<'a>(fields: &'a [Field<'a>]) -> Vec<&'a Field<'a>> {
    let mut keys = keys(fields);
    keys.sort_by_key(|field| field.id);
    keys
}

/// Whether the keys are declared in the order of their ids.
fn is_sorted(fields: &[Field<'_>]) -> bool {
    keys(fields).iter().is_sorted_by_key(|field| field.id)
}

fn topic(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let (cdr, ident, name) = (&container.cdr, &container.ident, &container.name);
    let extensibility = container.extensibility();
    let expansion = container.expansion.as_ref();
    let expansion = expansion.map(|times| quote!(const EXPANSION: usize = #times;));
    let plain = container.plain.then(|| plain::constant(container, fields));
    quote! {
        #[automatically_derived]
        impl #cdr::Topic for #ident {
            const TYPE_NAME: &'static str = #name;
            const EXTENSIBILITY: #cdr::Extensibility = #extensibility;
            #expansion
            #plain
        }
    }
}

fn layout(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let length_code = container.length_code();
    let types = fields.iter().map(|field| field.ty);
    let boxes = fields.iter().map(|field| field.default_heap(cdr));
    let min_size =
        container.min_size(quote!(0usize #(.saturating_add(<#types as #cdr::Layout>::MIN_SIZE))*));
    let has_key = fields.iter().any(|field| field.attributes.key);
    let members = fields.iter().map(|field| member(container, field));
    let describe = describe(container);
    let required = required_keys(container, fields);
    let base = base(container);
    let text = fields.iter().filter_map(|field| {
        let ty = field.ty;
        field
            .attributes
            .annotations
            .check_default(cdr, &quote!(#ty))
    });
    let end =
        |field: &Field<'_>, part| fit::end_in_key(cdr, field.ty, part, &field.attributes.element);
    let ends = sorted_keys(fields).into_iter();
    let ends = ends.map(|field| end(field, fit::Part::Key));
    let whole_ends = fields.iter().map(|field| end(field, fit::Part::Whole));
    quote! {
        #required
        #base
        #(#text)*

        #[automatically_derived]
        impl #cdr::Layout for #ident {
            const LENGTH_CODE: u32 = #length_code;
            const MIN_SIZE: usize = #min_size;
            const HAS_KEY: bool = #has_key;
            const DEFAULT_HEAP: usize =
                0usize #(.saturating_add(#boxes))*;
            const MEMBERS: &'static [#cdr::MemberDescriptor] = &[#(#members),*];

            #[inline]
            fn key_end(at: usize) -> ::core::option::Option<usize> {
                #(let at = #ends?;)*
                ::core::option::Option::Some(at)
            }

            fn whole_end(at: usize) -> ::core::option::Option<usize> {
                #(let at = #whole_ends?;)*
                ::core::option::Option::Some(at)
            }

            #describe
        }
    }
}

/// Refuses keys that are optional although their type's name does not say so.
fn required_keys(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let cdr = &container.cdr;
    let marked = fields.iter().filter(|field| field.attributes.key);
    let checks = marked.map(|field| {
        let ty = field.ty;
        let why = format!(
            "the key member `{}` is optional, but every sample belongs to an instance",
            field.ident
        );
        quote!(
            const _: () = ::core::assert!(!<#ty as #cdr::Layout>::OPTIONAL, #why);
        )
    });
    checks.collect()
}

/// The base is a struct whose members come first.
fn base(container: &Container) -> Option<TokenStream> {
    let (cdr, ident, base) = (&container.cdr, &container.ident, container.base.as_ref()?);
    let why = format!(
        "`{ident}` has to begin with the fields of its base: with their names, ids and keys, in \
         their order"
    );
    Some(quote!(
        const _: () = ::core::assert!(
            #cdr::begins_with(
                <#ident as #cdr::Layout>::MEMBERS,
                <#base as #cdr::Layout>::MEMBERS,
            ),
            #why
        );
    ))
}

/// What a member is, as data.
fn member(container: &Container, field: &Field<'_>) -> TokenStream {
    let (cdr, attributes) = (&container.cdr, &field.attributes);
    let (name, id, ty) = (attributes.name(field.ident), field.id, field.ty);
    let (is_key, must_understand) = (attributes.key, attributes.must_understand);
    let element = attributes.element.describe(cdr, &quote!(#ty));
    let annotations = attributes.annotations.describe(cdr, &quote!(#ty));
    quote!(#cdr::MemberDescriptor {
        name: #name,
        id: #id,
        describe: <#ty as #cdr::Layout>::describe,
        is_key: #is_key,
        must_understand: #must_understand,
        element: #element,
        annotations: #annotations,
    })
}

/// What the struct is, as data.
fn describe(container: &Container) -> TokenStream {
    let (cdr, name) = (&container.cdr, &container.name);
    let extensibility = container.extensibility();
    let (is_nested, has_hashed_ids) = (container.nested, container.hashed_ids);
    let base = match &container.base {
        Some(base) => quote!(::core::option::Option::Some(<#base as #cdr::Layout>::describe)),
        None => quote!(::core::option::Option::None),
    };
    let ident = &container.ident;
    quote! {
        fn describe() -> ::core::option::Option<#cdr::Type> {
            static TYPE: #cdr::StructureType = #cdr::StructureType {
                name: #name,
                extensibility: #extensibility,
                is_nested: #is_nested,
                has_hashed_ids: #has_hashed_ids,
                base: #base,
                members: <#ident as #cdr::Layout>::MEMBERS,
            };
            ::core::option::Option::Some(#cdr::Type::Structure(&TYPE))
        }
    }
}

/// Fields that are numbers, one behind the other.
struct Run<'a> {
    fields: &'a [Field<'a>],
    /// Its constant.
    name: Ident,
}

impl Run<'_> {
    /// Where each number stands.
    fn constant(&self, cdr: &syn::Path) -> TokenStream {
        let (name, count) = (&self.name, self.fields.len());
        let types = self.fields.iter().map(|field| field.ty);
        quote!(const #name: #cdr::Run<#count> = #cdr::Run::new([#(#cdr::number::<#types>()),*]);)
    }
}

/// One field, or several that go together.
enum Part<'a> {
    One(&'a Field<'a>),
    Run(Run<'a>),
}

fn parts<'a>(container: &Container, fields: &'a [Field<'a>]) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let is_number = |field: &Field<'_>| {
        let is_plain = field.attributes.element.is_plain() && !field.is_checked(container);
        is_number(field.ty) && is_plain
    };
    for group in fields.chunk_by(|a, b| is_number(a) && is_number(b)) {
        match group {
            [one] => parts.push(Part::One(one)),
            fields => parts.push(Part::Run(Run {
                fields,
                name: format_ident!("RUN_{}", parts.len()),
            })),
        }
    }
    parts
}

/// A number, or a short array of numbers, as can be told by its name.
fn is_number(ty: &Type) -> bool {
    const NUMBERS: [&str; 10] = [
        "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64",
    ];
    match ty {
        Type::Path(path) => NUMBERS.iter().any(|name| path.path.is_ident(name)),
        Type::Array(array) => {
            let short = match &array.len {
                syn::Expr::Lit(literal) => match &literal.lit {
                    syn::Lit::Int(length) => length.base10_parse().is_ok_and(|n: usize| n <= 8),
                    _ => false,
                },
                _ => false,
            };
            short && matches!(&*array.elem, Type::Path(_)) && is_number(&array.elem)
        }
        _ => false,
    }
}
