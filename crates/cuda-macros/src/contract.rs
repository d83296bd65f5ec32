//! `#[launch_contract(…)]`: what every launch of a kernel keeps to.
//!
//! ```text
//! domain = 1                              the axes that a launch has
//! coordinates = u32                       fewer than 2³² positions along each
//! block = (128, 1, 1)                     exactly this block
//! dynamic_shared = 4096                   exactly this much dynamic shared memory, 0 where nothing is said; or
//! dynamic_shared_range = (0, 4096)
//! dynamic_shared_alignment = 128
//! min_compute_capability = (9, 0)
//! requires = (a.len() >= n, out.len() == a.len())
//! ```

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{
    Attribute, Error, Expr, ExprTuple, Ident, ItemFn, LitInt, Meta, Token, parenthesized,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
};

use crate::{
    launch::{self, Launch},
    relation,
    signature::{self, Argument, Errors, Parameter},
};

const KEYS: &str = "`domain`, `coordinates`, `block`, `dynamic_shared`, `dynamic_shared_range`, `dynamic_shared_alignment`, \
                    `min_compute_capability` or `requires`";

/// A contract, well formed by itself.
#[derive(Clone)]
pub struct Contract {
    /// The axes that a launch has.
    pub rank: u32,
    /// Whether coordinates have 32 bits.
    u32_coordinates: bool,
    pub block: Option<[Expr; 3]>,
    dynamic_shared: Option<DynamicShared>,
    dynamic_shared_alignment: Option<Expr>,
    min_compute_capability: Option<[Expr; 2]>,
    pub relations: Vec<Expr>,
}

/// Bytes of dynamic shared memory.
#[derive(Clone)]
enum DynamicShared {
    Exact(Expr),
    Range([Expr; 2]),
}

impl Contract {
    /// The contract of an attribute.
    pub fn of(attribute: &Attribute) -> Result<Self, Error> {
        let keys = match &attribute.meta {
            Meta::List(_) => attribute.parse_args::<Keys>()?,
            _ => Keys::default(),
        };
        let Some(rank) = keys.domain else {
            return Err(Error::new_spanned(attribute.path(), "a `#[launch_contract]` needs `domain = 1`, `2` or `3`"));
        };
        Ok(Self {
            rank,
            u32_coordinates: keys.u32_coordinates,
            block: keys.block,
            dynamic_shared: keys.dynamic_shared,
            dynamic_shared_alignment: keys.dynamic_shared_alignment,
            min_compute_capability: keys.min_compute_capability,
            relations: keys.relations,
        })
    }

    /// Whether the kernel's parameters can be launched so.
    pub fn check(&self, function: &ItemFn) -> Result<(), Error> {
        // What is wrong with the signature itself is reported elsewhere.
        let Ok(parameters) = signature::parameters(function) else { return Ok(()) };
        let mut errors = Errors::default();
        for Parameter { name, argument } in &parameters {
            match argument {
                Argument::SliceMut(_) => {
                    errors.add(
                        name,
                        "with a `#[launch_contract]` no `&mut [T]` is taken, since all threads have all of it: use `DisjointSlice`",
                    );
                }
                Argument::Disjoint { space: Some(space), .. } => _ = errors.keep(self.check_space(space)),
                _ => {}
            }
        }
        for relation in &self.relations {
            errors.keep(relation::check(relation, &parameters));
        }
        errors.finish(())
    }

    fn check_space(&self, space: &Ident) -> Result<(), Error> {
        let ranks: &[u32] = match space.to_string().as_str() {
            "Index1D" | "LinearTiles" | "WarpIndex" => &[1],
            "Index2D" | "Runtime2DIndex" => &[1, 2],
            "RowMajorTiles" | "RuntimeRowMajorTiles" => &[2],
            _ => return Ok(()),
        };
        if ranks.contains(&self.rank) {
            return Ok(());
        }
        let ranks: Vec<_> = ranks.iter().map(|rank| format!("`domain = {rank}`")).collect();
        let message = format!("`{space}` is for launches with {}, got `domain = {}`", ranks.join(" or "), self.rank);
        Err(Error::new(space.span(), message))
    }

    /// The types that stand for the domain and the coordinates in a launch context.
    pub fn context(&self) -> TokenStream {
        let domain = match self.rank {
            1 => quote!(Domain1D),
            2 => quote!(Domain2D),
            _ => quote!(Domain3D),
        };
        let coordinates = if self.u32_coordinates { quote!(U32Coordinates) } else { quote!(NativeCoordinates) };
        quote!(::cuda_device::thread::#domain, ::cuda_device::thread::#coordinates)
    }

    /// What the compiler reads at the head of the kernel's body, beside the shapes.
    pub fn markers(&self) -> TokenStream {
        let mut markers = TokenStream::new();
        if let Some(DynamicShared::Range([min, max])) = &self.dynamic_shared {
            markers.extend(quote_spanned! {min.span()=> const { ::cuda_device::kernel::check_range(#min, #max) }; });
        }
        if let Some(bytes) = &self.dynamic_shared_alignment {
            markers.extend(quote_spanned! {bytes.span()=> const { ::cuda_device::kernel::check_alignment(#bytes) }; });
            markers.extend(quote!(::cuda_device::kernel::dynamic_shared_alignment(const { #bytes });));
        }
        markers
    }

    /// The type that shapes of launches have.
    pub fn config(&self) -> TokenStream {
        let config = format_ident!("LaunchConfig{}D", self.rank);
        quote!(::cuda_core::#config)
    }

    /// The contract as a constant of the host: `LaunchContractSpec`. `launch` is what it stands in.
    pub fn spec(&self, kernel: &str, launch: &Launch) -> TokenStream {
        let block = match (&self.block, launch.max_threads()) {
            (Some([x, y, z]), _) => quote!(Exact((#x, #y, #z))),
            (None, Some(max)) => quote!(MaxThreads(#max)),
            // This is an error already.
            (None, None) => quote!(MaxThreads(1)),
        };
        let most = match &self.dynamic_shared {
            Some(DynamicShared::Exact(bytes) | DynamicShared::Range([_, bytes])) => quote!(#bytes),
            None => quote!(0),
        };
        let alignment = match &self.dynamic_shared_alignment {
            Some(bytes) => quote!(#bytes),
            None => quote!(if #most == 0 { 1 } else { 16 }),
        };
        let memory = match &self.dynamic_shared {
            Some(DynamicShared::Range([min, max])) => quote!(Range { min_bytes: #min, max_bytes: #max, min_alignment: #alignment }),
            _ => quote!(Exact { bytes: #most, min_alignment: #alignment }),
        };
        let cluster = launch.cluster.as_ref().map(|[x, y, z]| quote!(.with_cluster((#x, #y, #z))));
        let cooperative = launch.cooperative.then(|| quote!(.with_cooperative()));
        let capability = match (&self.min_compute_capability, &cluster) {
            (Some([major, minor]), None) => Some(quote!(.with_min_compute_capability(#major, #minor))),
            // Clusters came with compute capability 9.0.
            (Some([major, minor]), Some(_)) => Some(quote! {
                .with_min_compute_capability(if #major < 9 { 9 } else { #major }, if #major < 9 { 0 } else { #minor })
            }),
            (None, Some(_)) => Some(quote!(.with_min_compute_capability(9, 0))),
            (None, None) => None,
        };
        let coordinates = self.u32_coordinates.then(|| quote!(.with_u32_coordinates()));
        quote! {
            ::cuda_core::LaunchContractSpec::new(
                #kernel,
                ::cuda_core::BlockRequirement::#block,
                ::cuda_core::DynamicSharedMemoryRequirement::#memory,
            ) #cluster #cooperative #capability #coordinates
        }
    }

    /// The expressions that may name the kernel's generic parameters.
    pub fn expressions(&mut self) -> impl Iterator<Item = &mut Expr> {
        let shared = match &mut self.dynamic_shared {
            Some(DynamicShared::Exact(bytes)) => std::slice::from_mut(bytes),
            Some(DynamicShared::Range(range)) => range,
            None => &mut [],
        };
        let capability = self.min_compute_capability.iter_mut().flatten();
        self.block.iter_mut().flatten().chain(shared).chain(&mut self.dynamic_shared_alignment).chain(capability)
    }
}

/// The keys of a contract as they are read.
#[derive(Default)]
struct Keys {
    domain: Option<u32>,
    u32_coordinates: bool,
    block: Option<[Expr; 3]>,
    dynamic_shared: Option<DynamicShared>,
    dynamic_shared_alignment: Option<Expr>,
    min_compute_capability: Option<[Expr; 2]>,
    relations: Vec<Expr>,
}

impl Parse for Keys {
    fn parse(input: ParseStream) -> Result<Self, Error> {
        let mut keys = Self::default();
        let mut seen: Vec<Ident> = Vec::new();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            if seen.contains(&key) {
                return Err(Error::new(key.span(), format!("a second `{key}`")));
            }
            input.parse::<Token![=]>()?;
            keys.read(&key, input)?;
            seen.push(key);
            if input.is_empty() {
                break;
            }
            input.parse::<Token![,]>()?;
        }
        if let (Some(_), Some(range)) =
            (seen.iter().find(|key| *key == "dynamic_shared"), seen.iter().find(|key| *key == "dynamic_shared_range"))
        {
            return Err(Error::new(range.span(), "`dynamic_shared` already sets the bytes"));
        }
        Ok(keys)
    }
}

impl Keys {
    fn read(&mut self, key: &Ident, input: ParseStream) -> Result<(), Error> {
        match key.to_string().as_str() {
            "domain" => {
                let rank: LitInt = input.parse()?;
                self.domain = match rank.base10_parse() {
                    Ok(rank @ 1..=3) => Some(rank),
                    _ => return Err(Error::new(rank.span(), "`domain` is 1, 2 or 3")),
                };
            }
            "coordinates" => {
                let width: Ident = input.parse()?;
                if width != "u32" {
                    return Err(Error::new(width.span(), "`coordinates` is `u32`"));
                }
                self.u32_coordinates = true;
            }
            "block" => {
                let block = tuple(input, "`block` is `(x, y, z)`")?;
                block.iter().try_for_each(launch::check_extent)?;
                self.block = Some(block);
            }
            "dynamic_shared" => {
                self.dynamic_shared = Some(DynamicShared::Exact(input.parse()?));
            }
            "dynamic_shared_range" => {
                let [min, max] = tuple(input, "`dynamic_shared_range` is `(min, max)`")?;
                if let (Some(least), Some(most)) = (launch::number(&min), launch::number(&max))
                    && least > most
                {
                    return Err(Error::new(min.span(), "`dynamic_shared_range` is `(min, max)`"));
                }
                self.dynamic_shared = Some(DynamicShared::Range([min, max]));
            }
            "dynamic_shared_alignment" => {
                let bytes: Expr = input.parse()?;
                if launch::number(&bytes).is_some_and(|bytes| !bytes.is_power_of_two()) {
                    return Err(Error::new(bytes.span(), "`dynamic_shared_alignment` is a power of two"));
                }
                self.dynamic_shared_alignment = Some(bytes);
            }
            "min_compute_capability" => {
                self.min_compute_capability = Some(tuple(input, "`min_compute_capability` is `(major, minor)`")?);
            }
            "requires" => {
                let content;
                parenthesized!(content in input);
                self.relations = Punctuated::<Expr, Token![,]>::parse_terminated(&content)?.into_iter().collect();
            }
            _ => return Err(Error::new(key.span(), format!("`{key}` is not a key of a contract: expected {KEYS}"))),
        }
        Ok(())
    }
}

fn tuple<const N: usize>(input: ParseStream, expected: &str) -> Result<[Expr; N], Error> {
    let expression: Expr = input.parse()?;
    let span = expression.span();
    match expression {
        Expr::Tuple(ExprTuple { elems, .. }) => <[Expr; N]>::try_from(elems.into_iter().collect::<Vec<_>>()).ok(),
        _ => None,
    }
    .ok_or_else(|| Error::new(span, expected))
}
