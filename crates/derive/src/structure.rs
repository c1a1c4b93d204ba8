//! Structs.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{DataStruct, Error, Fields, Ident, Result, Type};

use crate::attributes::{Container, Element, Extensibility, Place, number};
use crate::plain;

pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    id: u32,
    attributes: Element,
}

pub(crate) fn expand(container: &Container, data: &DataStruct) -> Result<TokenStream> {
    let fields = fields(container, data)?;
    let layout = layout(container, &fields);
    let serialize = serialize(container, &fields);
    let deserialize = deserialize(container, &fields);
    let topic = container.is_topic.then(|| topic(container, &fields));
    let plain = container.plain.then(|| plain::expand(container, &fields));
    Ok(quote!(#layout #serialize #deserialize #topic #plain))
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
        let attributes = Element::parse(&field.attrs, Place::Field)?;
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
    let ids = number(fields.iter().map(|f| (f.ident, &f.attributes)), 0)?;
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
    let boxes = types.clone();
    let min_size =
        container.min_size(quote!(0usize #(.saturating_add(<#types as #cdr::Layout>::MIN_SIZE))*));
    let has_key = fields.iter().any(|field| field.attributes.key);
    let describe = describe(container, fields);
    let required = required_keys(container, fields);
    let ends = sorted_keys(fields).into_iter().map(|field| {
        let ty = field.ty;
        match &field.attributes.bound {
            Some(bound) => quote!(<#ty as #cdr::Bounded>::bounded_key_end(at, #bound)?),
            None => quote!(<#ty as #cdr::Layout>::key_end(at)?),
        }
    });
    quote! {
        #required

        #[automatically_derived]
        impl #cdr::Layout for #ident {
            const LENGTH_CODE: u32 = #length_code;
            const MIN_SIZE: usize = #min_size;
            const HAS_KEY: bool = #has_key;
            const DEFAULT_HEAP: usize =
                0usize #(.saturating_add(<#boxes as #cdr::Layout>::DEFAULT_HEAP))*;

            #[inline]
            fn key_end(at: usize) -> ::core::option::Option<usize> {
                #(let at = #ends;)*
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

/// What the struct is, as data.
fn describe(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let (cdr, name) = (&container.cdr, &container.name);
    let extensibility = container.extensibility();
    let members = fields.iter().map(|field| {
        let (name, id, ty) = (field.ident.unraw().to_string(), field.id, field.ty);
        let is_key = field.attributes.key;
        let must_understand = is_key || field.attributes.must_understand;
        let bound = field.attributes.bound();
        quote!(#cdr::MemberDescriptor {
            name: #name,
            id: #id,
            describe: <#ty as #cdr::Layout>::describe,
            is_key: #is_key,
            must_understand: #must_understand,
            bound: #bound,
        })
    });
    quote! {
        fn describe() -> ::core::option::Option<#cdr::Type> {
            static TYPE: #cdr::StructureType = #cdr::StructureType {
                name: #name,
                extensibility: #extensibility,
                members: &[#(#members),*],
            };
            ::core::option::Option::Some(#cdr::Type::Structure(&TYPE))
        }
    }
}

fn serialize(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let extensibility = container.extensibility();
    let write = |field: &Field<'_>, method: TokenStream| write(container, field, &method);
    let write_all = |fields: &[Field<'_>]| -> TokenStream {
        let all = fields.iter().map(|field| write(field, quote!(member)));
        all.collect()
    };
    let all = match container.extensibility {
        Extensibility::Mutable => write_all(fields),
        _ => {
            let write_part = |part: &Part<'_>| match part {
                Part::One(field) => write(field, quote!(member)),
                Part::Run(run) => write_run(container, run, &write_all(run.fields)),
            };
            parts(fields).iter().map(write_part).collect()
        }
    };
    let declared = keys(fields);
    let sorted = sorted_keys(fields);
    let declared = declared
        .iter()
        .map(|field| write(field, quote!(key_member)));
    let keys = if is_sorted(fields) {
        quote!(#(#declared)*)
    } else {
        let sorted = sorted.iter().map(|field| write(field, quote!(key_member)));
        quote!(if w.is_plain() { #(#sorted)* } else { #(#declared)* })
    };
    quote! {
        #[automatically_derived]
        impl #cdr::Serialize for #ident {
            #[inline]
            fn serialize<S: #cdr::Sink>(
                &self,
                w: &mut #cdr::Writer<S>,
            ) -> ::core::result::Result<(), #cdr::Error> {
                let scope = w.begin(#extensibility);
                #all
                w.end(scope, #extensibility)
            }

            #[inline]
            fn serialize_key<S: #cdr::Sink>(
                &self,
                w: &mut #cdr::Writer<S>,
            ) -> ::core::result::Result<(), #cdr::Error> {
                let scope = w.begin(#extensibility);
                #keys
                w.end(scope, #extensibility)
            }
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

fn parts<'a>(fields: &'a [Field<'a>]) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let is_number = |field: &Field<'_>| is_number(field.ty) && field.attributes.bound.is_none();
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

fn write_run(container: &Container, run: &Run<'_>, one_by_one: &TokenStream) -> TokenStream {
    let (constant, name) = (run.constant(&container.cdr), &run.name);
    let puts = run.fields.iter().enumerate().map(|(n, field)| {
        let ident = field.ident;
        quote!(#name.put(#n, self.#ident, &mut run);)
    });
    quote! {
        #constant
        if w.fits_run(#name.align()) {
            let mut run = [0_u8; #name.size()];
            #(#puts)*
            w.put_slice(&run);
        } else {
            #one_by_one
        }
    }
}

fn write(container: &Container, field: &Field<'_>, method: &TokenStream) -> TokenStream {
    let (cdr, ident, id) = (&container.cdr, field.ident, field.id);
    let extensibility = container.extensibility();
    let must_understand = field.attributes.must_understand || field.attributes.key;
    let check = field
        .attributes
        .bound
        .as_ref()
        .map(|bound| quote!(w.check_bound(#id, &self.#ident, #bound)?;));
    quote! {
        #check
        w.#method(
            #extensibility,
            #cdr::Member { id: #id, must_understand: #must_understand },
            &self.#ident,
        )?;
    }
}

fn deserialize(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let body = |keys_only| match container.extensibility {
        Extensibility::Mutable => labelled_body(container, fields, keys_only),
        _ if keys_only => key_body(container, fields),
        _ => whole_body(container, fields),
    };
    let (all, keys) = (body(false), body(true));
    let plain_keys = plain_key_body(container, fields);
    let keys = if is_sorted(fields) && container.extensibility != Extensibility::Mutable {
        keys
    } else {
        quote!(if r.is_plain() { #plain_keys } else { #keys })
    };
    let defaults = fields.iter().map(|field| {
        let (ident, ty) = (field.ident, field.ty);
        quote!(#ident: <#ty as #cdr::Deserialize>::default_value())
    });
    quote! {
        #[automatically_derived]
        impl #cdr::Deserialize for #ident {
            #[inline]
            fn deserialize(
                r: &mut #cdr::Reader<'_>,
            ) -> ::core::result::Result<Self, #cdr::Error> {
                #all
            }

            #[inline]
            fn deserialize_key(
                r: &mut #cdr::Reader<'_>,
            ) -> ::core::result::Result<Self, #cdr::Error> {
                #keys
            }

            #[inline]
            fn default_value() -> Self {
                Self { #(#defaults),* }
            }
        }
    }
}

/// Whether a field is read when only keys, or everything, is.
fn is_read(fields: &[Field<'_>], field: &Field<'_>, keys_only: bool) -> bool {
    !keys_only || keys(fields).iter().any(|key| key.id == field.id)
}

fn bounded(field: &Field<'_>, value: TokenStream) -> TokenStream {
    match &field.attributes.bound {
        Some(bound) => quote!({ let value = #value; r.bounded(value, #bound)? }),
        None => value,
    }
}

/// The key members of a type whose members have no headers.
fn key_body(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let cdr = &container.cdr;
    let extensibility = container.extensibility();
    let values = fields.iter().map(|field| {
        let (ident, ty) = (field.ident, field.ty);
        let value = if !is_read(fields, field, true) {
            quote!(<#ty as #cdr::Deserialize>::default_value())
        } else {
            bounded(field, quote!(r.key_member::<#ty>(&scope)?))
        };
        quote!(#ident: #value)
    });
    quote! {
        let scope = r.begin(#extensibility)?;
        let value = Self { #(#values),* };
        r.end(scope);
        ::core::result::Result::Ok(value)
    }
}

/// All members of a type whose members have no headers.
fn whole_body(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let cdr = &container.cdr;
    let extensibility = container.extensibility();
    let read = |field: &Field<'_>| {
        let (ty, id) = (field.ty, field.id);
        bounded(field, quote!(r.member::<#ty>(&scope, #id)?))
    };
    let reads = parts(fields).into_iter().map(|part| match part {
        Part::One(field) => {
            let (variable, value) = (member(field), read(field));
            quote!(let #variable = #value;)
        }
        Part::Run(run) => {
            let (constant, name) = (run.constant(cdr), &run.name);
            let variables = run.fields.iter().map(member);
            let together = run.fields.iter().enumerate().map(|(n, field)| {
                let ty = field.ty;
                quote!(#name.get::<#ty>(#n, run))
            });
            let one_by_one = run.fields.iter().map(read);
            quote! {
                #constant
                let (#(#variables),*) = match r.take_run::<{ #name.size() }>(#name.align()) {
                    ::core::option::Option::Some(run) => (#(#together),*),
                    ::core::option::Option::None => (#(#one_by_one),*),
                };
            }
        }
    });
    let (idents, variables) = (fields.iter().map(|f| f.ident), fields.iter().map(member));
    quote! {
        let scope = r.begin(#extensibility)?;
        #(#reads)*
        r.end(scope);
        ::core::result::Result::Ok(Self { #(#idents: #variables),* })
    }
}

/// The variable that a member is read into.
fn member(field: &Field<'_>) -> Ident {
    format_ident!("member_{}", field.id)
}

fn labelled_body(container: &Container, fields: &[Field<'_>], keys_only: bool) -> TokenStream {
    let cdr = &container.cdr;
    let extensibility = container.extensibility();
    let variables: Vec<_> = (0..fields.len())
        .map(|n| format_ident!("field_{n}"))
        .collect();
    let declarations = fields.iter().zip(&variables).map(|(field, variable)| {
        let ty = field.ty;
        let mutable = is_read(fields, field, keys_only).then(|| quote!(mut));
        quote!(let #mutable #variable = <#ty as #cdr::Deserialize>::default_value();)
    });
    let arms = fields.iter().zip(&variables).map(|(field, variable)| {
        let (ty, id) = (field.ty, field.id);
        if !is_read(fields, field, keys_only) {
            return quote!(#id => {});
        }
        let read = if keys_only {
            quote!(<#ty as #cdr::Deserialize>::deserialize_present_key(r)?)
        } else {
            quote!(<#ty as #cdr::Deserialize>::deserialize_present(r)?)
        };
        let value = bounded(field, read);
        quote!(#id => #variable = #value,)
    });
    let idents = fields.iter().map(|field| field.ident);
    quote! {
        let scope = r.begin(#extensibility)?;
        r.charge(<Self as #cdr::Layout>::DEFAULT_HEAP)?;
        #(#declarations)*
        while let ::core::option::Option::Some(member) = r.next_member()? {
            match member.id() {
                #(#arms)*
                _ => r.unknown_member(&member)?,
            }
            r.end_member(member);
        }
        r.end(scope);
        ::core::result::Result::Ok(Self { #(#idents: #variables),* })
    }
}

/// Keys without headers, in the order of their ids, as a key hash has them.
fn plain_key_body(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let cdr = &container.cdr;
    let extensibility = container.extensibility();
    let reads = sorted_keys(fields).into_iter().map(|field| {
        let (variable, ty) = (member(field), field.ty);
        let value = bounded(field, quote!(r.key_member::<#ty>(&scope)?));
        quote!(let #variable = #value;)
    });
    let values = fields.iter().map(|field| {
        let (ident, ty, variable) = (field.ident, field.ty, member(field));
        if is_read(fields, field, true) {
            quote!(#ident: #variable)
        } else {
            quote!(#ident: <#ty as #cdr::Deserialize>::default_value())
        }
    });
    quote! {
        let scope = r.begin(#extensibility)?;
        #(#reads)*
        r.end(scope);
        ::core::result::Result::Ok(Self { #(#values),* })
    }
}
