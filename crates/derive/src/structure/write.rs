//! Structs are written.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Field, Part, Run, is_sorted, keys, parts, sorted_keys};
use crate::attributes::{Container, Extensibility};
use crate::{fit, range};

pub(super) fn serialize(container: &Container, fields: &[Field<'_>]) -> TokenStream {
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
            parts(container, fields).iter().map(write_part).collect()
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
    let check = fit::check(cdr, id, &quote!(&self.#ident), &field.attributes.element);
    let range = field.ranged(|of| range::check(container, id, &quote!(&self.#ident), of));
    quote! {
        #check
        #range
        w.#method(
            #extensibility,
            #cdr::Member { id: #id, must_understand: #must_understand },
            &self.#ident,
        )?;
    }
}
