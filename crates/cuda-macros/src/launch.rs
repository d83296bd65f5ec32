//! The launch attributes of a kernel.
//!
//! ```text
//! #[launch_bounds(256, 2)]                                               at most 256 threads in a block
//! #[cluster_launch(2)]                                                   clusters of two blocks
//! #[cooperative_launch]                                                  all blocks at once
//! #[launch_contract(domain = 1, block = (256, 1, 1))]                    see `contract`
//! ```
//!
//! `#[kernel]` reads them wherever they stand. One that rustc expands first moves behind `#[kernel]`; one that was read stays, with
//! [`READ`] as its arguments, so that the name it was imported by is used.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    Attribute, Error, Expr, Ident, ItemFn, Lit, Meta, Token,
    parse::{Parse, ParseStream},
    parse_quote,
    punctuated::Punctuated,
    spanned::Spanned,
};

use crate::{
    contract::Contract,
    signature::{self, Errors},
};

/// The arguments of an attribute that `#[kernel]` has read.
const READ: &str = "__oxide_read";

const ATTRIBUTES: [&str; 4] = ["launch_bounds", "cluster_launch", "cooperative_launch", "launch_contract"];

/// The launch attributes.
#[derive(Clone, Default)]
pub struct Launch {
    pub contract: Option<Contract>,
    bounds: Option<Bounds>,
    pub cluster: Option<[Expr; 3]>,
    pub cooperative: bool,
}

#[derive(Clone)]
struct Bounds {
    max: Expr,
    min_blocks: Option<Expr>,
}

impl Launch {
    /// Reads the launch attributes of a kernel.
    pub fn of(function: &ItemFn) -> Result<Self, Error> {
        let mut launch = Self::default();
        let mut errors = Errors::default();
        let mut seen = Vec::new();
        for attribute in &function.attrs {
            let Some(name) = name(attribute).filter(|_| !is_read(attribute)) else { continue };
            if seen.contains(&name) {
                errors.add(attribute, &format!("a second `#[{name}]`"));
                continue;
            }
            seen.push(name);
            errors.keep(launch.read(name, attribute));
        }
        if let Some(contract) = &launch.contract {
            errors.keep(contract.check(function));
            errors.keep(launch.check_shapes(contract, function));
        }
        errors.finish(launch)
    }

    fn read(&mut self, name: &str, attribute: &Attribute) -> Result<(), Error> {
        match name {
            "launch_bounds" => self.bounds = Some(attribute.parse_args()?),
            "cluster_launch" => self.cluster = Some(attribute.parse_args::<Cluster>()?.0),
            "cooperative_launch" => {
                attribute
                    .meta
                    .require_path_only()
                    .map_err(|error| Error::new(error.span(), "`#[cooperative_launch]` takes no arguments"))?;
                self.cooperative = true;
            }
            _ => self.contract = Some(Contract::of(attribute)?),
        }
        Ok(())
    }

    /// Shapes of numbers that are written out; all others, the compiler compares.
    fn check_shapes(&self, contract: &Contract, function: &ItemFn) -> Result<(), Error> {
        let mut errors = Errors::default();
        for (what, shape) in [("block", &contract.block), ("cluster", &self.cluster)] {
            let Some(shape) = shape else { continue };
            for (extent, axis) in shape.iter().zip(1..) {
                if axis > contract.rank && number(extent).is_some_and(|extent| extent > 1) {
                    errors.add(extent, &format!("a launch with `domain = {}` has no {what} beyond 1 here", contract.rank));
                }
            }
        }
        let max = self.bounds.as_ref().and_then(|bounds| number(&bounds.max));
        match &contract.block {
            Some(block) => {
                let threads: Option<u128> = block.iter().map(|extent| number(extent).map(u128::from)).product();
                if let (Some(threads), Some(max)) = (threads, max)
                    && threads > u128::from(max)
                {
                    errors.add(&quote!(#(#block)*), &format!("a block of {threads} threads, where `#[launch_bounds]` allows {max}"));
                }
            }
            None if self.bounds.is_none() => {
                errors.add(&function.sig.ident, "a `#[launch_contract]` needs `block = (x, y, z)`, or `#[launch_bounds]` beside it");
            }
            None => {}
        }
        errors.finish(())
    }

    /// The threads that `#[launch_bounds]` allows a block.
    pub fn max_threads(&self) -> Option<&Expr> {
        self.bounds.as_ref().map(|bounds| &bounds.max)
    }

    /// The expressions that may name the kernel's generic parameters.
    pub fn expressions(&mut self) -> impl Iterator<Item = &mut Expr> {
        let bounds = self.bounds.iter_mut().flat_map(|bounds| std::iter::once(&mut bounds.max).chain(&mut bounds.min_blocks));
        let contract = self.contract.iter_mut().flat_map(Contract::expressions);
        bounds.chain(self.cluster.iter_mut().flatten()).chain(contract)
    }

    /// What the compiler reads at the head of the kernel's body.
    pub fn markers(&self) -> TokenStream {
        let mut markers = TokenStream::new();
        let rank = self.contract.as_ref().map_or(3, |contract| contract.rank);
        let required = self.contract.as_ref().and_then(|contract| contract.block.as_ref());
        let bounds = self.bounds.as_ref().map(|Bounds { max, min_blocks }| {
            let min_blocks = min_blocks.as_ref().map_or(quote!(0), ToTokens::to_token_stream);
            markers.extend(quote_spanned! {max.span()=> const { ::cuda_device::kernel::check_bounds(#max) }; });
            // A block of a required shape is at most so large: PTX takes one of both directives.
            let most = if required.is_some() { quote!(0) } else { quote!(#max) };
            markers.extend(quote!(::cuda_device::kernel::launch_bounds(const { #most }, const { #min_blocks });));
            max
        });
        if let Some([x, y, z]) = required {
            let most = bounds.map_or(quote!(::core::primitive::u32::MAX), ToTokens::to_token_stream);
            markers.extend(quote_spanned! {x.span()=> const { ::cuda_device::kernel::check_shape([#x, #y, #z], #rank, #most) }; });
            markers.extend(quote!(::cuda_device::kernel::required_block(const { #x }, const { #y }, const { #z });));
        }
        if let Some([x, y, z]) = &self.cluster {
            let most = quote!(::core::primitive::u32::MAX);
            markers.extend(quote_spanned! {x.span()=> const { ::cuda_device::kernel::check_shape([#x, #y, #z], #rank, #most) }; });
            markers.extend(quote!(::cuda_device::kernel::cluster(const { #x }, const { #y }, const { #z });));
        }
        if let Some(contract) = &self.contract {
            markers.extend(contract.markers());
        }
        markers
    }
}

impl Parse for Bounds {
    fn parse(input: ParseStream) -> Result<Self, Error> {
        let expected = "`#[launch_bounds]` takes the threads of a block and, if wanted, the blocks of a multiprocessor";
        let arguments = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
        let mut arguments = arguments.into_iter();
        let Some(max) = arguments.next() else { return Err(input.error(expected)) };
        let min_blocks = arguments.next();
        if let Some(excess) = arguments.next() {
            return Err(Error::new(excess.span(), expected));
        }
        if number(&max) == Some(0) {
            return Err(Error::new(max.span(), "`#[launch_bounds]` allows no thread"));
        }
        Ok(Self { max, min_blocks })
    }
}

struct Cluster([Expr; 3]);

impl Parse for Cluster {
    fn parse(input: ParseStream) -> Result<Self, Error> {
        let extents = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
        let expected = "`#[cluster_launch]` takes the blocks of a cluster along x, and if wanted along y and z";
        if extents.is_empty() {
            return Err(input.error(expected));
        }
        if let Some(excess) = extents.get(3) {
            return Err(Error::new(excess.span(), expected));
        }
        for extent in &extents {
            check_extent(extent)?;
        }
        let mut extents = extents.into_iter();
        Ok(Self(std::array::from_fn(|_| extents.next().unwrap_or_else(|| parse_quote!(1)))))
    }
}

/// Refuses an extent of 0 that is written out.
pub fn check_extent(extent: &Expr) -> Result<(), Error> {
    if number(extent) == Some(0) { Err(Error::new(extent.span(), "an extent of 0")) } else { Ok(()) }
}

/// The number that an expression is, where it is written out.
pub fn number(expression: &Expr) -> Option<u64> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        Expr::Paren(inner) => number(&inner.expr),
        _ => None,
    }
}

/// Marks the attributes as read.
pub fn mark(function: &mut ItemFn) {
    let read = format_ident!("{READ}");
    for attribute in &mut function.attrs {
        if name(attribute).is_some() {
            let path = attribute.path().clone();
            attribute.meta = parse_quote!(#path(#read));
        }
    }
}

fn name(attribute: &Attribute) -> Option<&'static str> {
    let last = &attribute.path().segments.last()?.ident;
    ATTRIBUTES.into_iter().find(|name| last == name)
}

fn is_read(attribute: &Attribute) -> bool {
    matches!(&attribute.meta, Meta::List(list) if list.tokens.to_string() == READ)
}

/// What one of the attributes expands to by itself.
pub fn expand(name: &str, arguments: &TokenStream, item: TokenStream) -> TokenStream {
    if arguments.to_string() == READ {
        return item;
    }
    let Ok(mut function) = syn::parse2::<ItemFn>(item.clone()) else {
        return misplaced(name, arguments, &item);
    };
    if !function.attrs.iter().any(signature::is_kernel) {
        return misplaced(name, arguments, &item);
    }
    let name = Ident::new(name, proc_macro2::Span::call_site());
    function.attrs.push(if arguments.is_empty() {
        parse_quote!(#[::cuda_device::#name])
    } else {
        parse_quote!(#[::cuda_device::#name(#arguments)])
    });
    function.into_token_stream()
}

fn misplaced(name: &str, arguments: &TokenStream, item: &TokenStream) -> TokenStream {
    let message = format!("`#[{name}]` stands beside `#[kernel]`, on a function");
    let error =
        if arguments.is_empty() { Error::new(proc_macro2::Span::call_site(), message) } else { Error::new_spanned(arguments, message) };
    let error = error.into_compile_error();
    quote!(#error #item)
}
