//! What a kernel's signature requires of its launch.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    Attribute, Error, FnArg, GenericArgument, GenericParam, Generics, Ident, ItemFn, Lifetime, ParenthesizedGenericArguments, Pat,
    PathArguments, ReturnType, Signature, Type, TypeFnPtr, TypePath, TypeReference,
    spanned::Spanned,
    visit_mut::{self, VisitMut},
};

/// A kernel parameter with its name.
pub struct Parameter {
    pub name: Ident,
    pub argument: Argument,
}

/// What the launcher takes for a parameter, chosen by the spelling of its type's last path segment.
pub enum Argument {
    /// `&[T]`: a buffer.
    Slice(Type),
    /// `&mut [T]`: a buffer, written.
    SliceMut(Type),
    /// `DisjointSlice<T, …>`: a buffer, written; with the last segment of its space, which is `Index1D` where there is none.
    Disjoint { slice: Type, element: Box<Type>, space: Option<Ident> },
    /// `Uniform<T>`: a value of `T`.
    Uniform { uniform: Type, element: Box<Type> },
    /// Anything else: itself.
    Value(Type),
}

impl Argument {
    /// The type of what is passed by value.
    pub fn value(&self) -> Option<&Type> {
        match self {
            Self::Uniform { element, .. } => Some(element),
            Self::Value(kind) => Some(kind),
            Self::Slice(_) | Self::SliceMut(_) | Self::Disjoint { .. } => None,
        }
    }
}

/// Whether an attribute's path ends in `kernel`.
pub fn is_kernel(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "kernel")
}

/// Whether the kernel has an instance a type or a constant, rather than one entry.
pub fn is_generic(generics: &Generics) -> bool {
    generics.params.iter().any(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))
}

/// The turbofish that names an instance. Lifetimes are left out: they make no instances and may be late bound.
pub fn turbofish(generics: &Generics) -> TokenStream {
    let arguments = generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(parameter) => Some(&parameter.ident),
        GenericParam::Const(parameter) => Some(&parameter.ident),
        _ => None,
    });
    quote::quote!(::<#(#arguments),*>)
}

/// The parameters of a kernel, or everything in its signature that no kernel can have.
pub fn parameters(function: &ItemFn) -> Result<Vec<Parameter>, Error> {
    let signature = &function.sig;
    let mut errors = Errors::default();
    check_head(signature, &mut errors);
    let parameters = signature.inputs.iter().filter_map(|input| errors.keep(parameter(input))).collect();
    errors.finish(parameters)
}

fn check_head(signature: &Signature, errors: &mut Errors) {
    let name = signature.ident.to_string();
    if name.starts_with("r#") {
        errors.add(&signature.ident, "a kernel's name is its name in the PTX, and cannot be a raw identifier");
    }
    if name.starts_with("cuda_oxide_") {
        errors.add(&signature.ident, "names that start with `cuda_oxide_` are reserved");
    }
    if let ReturnType::Type(_, output) = &signature.output
        && !matches!(&**output, Type::Tuple(tuple) if tuple.elems.is_empty())
    {
        errors.add(output, "a kernel returns nothing: it writes results to memory [OX203]");
    }
    for (keyword, token) in [
        ("const", signature.constness.as_ref().map(ToTokens::to_token_stream)),
        ("async", signature.asyncness.as_ref().map(ToTokens::to_token_stream)),
        ("extern", signature.abi.as_ref().map(ToTokens::to_token_stream)),
        ("variadic", signature.variadic.as_ref().map(ToTokens::to_token_stream)),
    ] {
        if let Some(token) = token {
            errors.add(&token, &format!("a kernel cannot be {keyword}"));
        }
    }
}

fn parameter(input: &FnArg) -> Result<Parameter, Error> {
    let FnArg::Typed(input) = input else {
        return Err(Error::new(input.span(), "a kernel is not a method: it cannot take `self`"));
    };
    let name = match &*input.pat {
        Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => pattern.ident.clone(),
        pattern => return Err(Error::new(pattern.span(), "a kernel parameter is a plain identifier, not a pattern")),
    };
    Ok(Parameter { name, argument: argument(&input.ty)? })
}

fn argument(kind: &Type) -> Result<Argument, Error> {
    match kind {
        Type::Paren(paren) => argument(&paren.elem),
        Type::ImplTrait(_) => Err(Error::new(kind.span(), "`impl Trait` has no name for the launcher: write a type parameter")),
        Type::Reference(reference) => {
            let Type::Slice(slice) = &*reference.elem else {
                let message = "a kernel parameter cannot refer to host memory: pass a slice, a raw device pointer or a value [OX201]";
                return Err(Error::new(kind.span(), message));
            };
            let element = (*slice.elem).clone();
            Ok(if reference.mutability.is_some() { Argument::SliceMut(element) } else { Argument::Slice(element) })
        }
        Type::Path(path) => by_name(path),
        _ => Ok(Argument::Value(kind.clone())),
    }
}

fn by_name(path: &TypePath) -> Result<Argument, Error> {
    let kind = Type::Path(path.clone());
    let Some(segment) = path.path.segments.last() else { return Ok(Argument::Value(kind)) };
    let name = &segment.ident;
    if name != "DisjointSlice" && name != "Uniform" {
        return Ok(Argument::Value(kind));
    }
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    let mut types = arguments.into_iter().flatten().filter_map(|argument| match argument {
        GenericArgument::Type(kind) => Some(kind),
        _ => None,
    });
    let Some(element) = types.next().cloned().map(Box::new) else {
        return Err(Error::new(segment.span(), format!("`{name}` without its element type")));
    };
    if name == "Uniform" {
        return Ok(Argument::Uniform { uniform: kind, element });
    }
    let space = match types.next() {
        Some(Type::Path(path)) => path.path.segments.last().map(|segment| segment.ident.clone()),
        Some(_) => None,
        None => Some(Ident::new("Index1D", segment.span())),
    };
    let mut slice = kind;
    EraseLifetimes.visit_type_mut(&mut slice);
    Ok(Argument::Disjoint { slice, element, space })
}

/// Makes a kernel's type one that a body may name: that `T` outlives `'a` follows from a parameter `DisjointSlice<'a, T>`, which a launcher
/// has not.
struct EraseLifetimes;

impl VisitMut for EraseLifetimes {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        *lifetime = Lifetime::new("'_", lifetime.span());
    }
}

/// The type with a lifetime wherever one is left out.
pub fn with_lifetime(kind: &Type, lifetime: Lifetime) -> Type {
    let mut kind = kind.clone();
    StateLifetime(lifetime).visit_type_mut(&mut kind);
    kind
}

struct StateLifetime(Lifetime);

impl VisitMut for StateLifetime {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.0.clone();
        }
    }

    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        reference.lifetime.get_or_insert_with(|| self.0.clone());
        visit_mut::visit_type_reference_mut(self, reference);
    }

    /// Lifetimes that a function's own parameters leave out are the function's.
    fn visit_type_fn_ptr_mut(&mut self, _: &mut TypeFnPtr) {}

    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut ParenthesizedGenericArguments) {}
}

/// Whether a lifetime is in a type.
pub fn has_lifetime(kind: &Type, lifetime: &Lifetime) -> bool {
    struct Found<'a> {
        wanted: &'a Lifetime,
        is_there: bool,
    }

    impl VisitMut for Found<'_> {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            self.is_there |= lifetime == self.wanted;
        }
    }

    let mut found = Found { wanted: lifetime, is_there: false };
    found.visit_type_mut(&mut kind.clone());
    found.is_there
}

/// Whether the slices of a space carry the width of their rows.
pub fn has_width(space: Option<&Ident>) -> bool {
    space.is_some_and(|space| space == "Runtime2DIndex" || space == "RuntimeRowMajorTiles")
}

/// Collects errors, so that all of them are reported at once.
#[derive(Default)]
pub struct Errors(Option<Error>);

impl Errors {
    pub fn add(&mut self, at: &dyn ToTokens, message: &str) {
        self.push(Error::new_spanned(at.to_token_stream(), message));
    }

    pub fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub fn keep<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub fn finish<T>(self, value: T) -> Result<T, Error> {
        match self.0 {
            Some(error) => Err(error),
            None => Ok(value),
        }
    }
}
