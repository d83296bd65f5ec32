//! `cuda_launch!` and `cuda_launch_async!`: a launch without a `#[cuda_module]`.
//!
//! ```text
//! cuda_launch! {
//!     kernel: map::<f32, _>,
//!     stream: stream,
//!     module: module,
//!     config: LaunchConfig::for_num_elems(n),
//!     args: [move |x| factor * x, slice(input), slice_mut(output)]
//! }
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Error, Expr, ExprCall, ExprPath, Ident, PathArguments, Token, TypePath, bracketed,
    parse::{Parse, ParseStream, discouraged::Speculative},
    punctuated::Punctuated,
    spanned::Spanned,
};

use crate::kernel;

/// What both macros take.
pub struct Invocation {
    kernel: ExprPath,
    stream: Option<Expr>,
    module: Expr,
    config: Expr,
    cluster: Option<Expr>,
    cooperative: Option<Expr>,
    arguments: Vec<Argument>,
}

enum Argument {
    Value(Expr),
    Slice(Expr),
    SliceMut(Expr),
    Closure(Expr),
}

impl Parse for Invocation {
    fn parse(input: ParseStream) -> Result<Self, Error> {
        let mut fields: Vec<(Ident, Expr)> = Vec::new();
        let (mut kernel, mut arguments) = (None, None);
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            let is_read = match name.to_string().as_str() {
                "kernel" => kernel.is_some(),
                "args" => arguments.is_some(),
                _ => fields.iter().any(|(other, _)| *other == name),
            };
            if is_read {
                return Err(Error::new(name.span(), format!("a second `{name}`")));
            }
            input.parse::<Token![:]>()?;
            match name.to_string().as_str() {
                "args" => arguments = Some(read_arguments(input)?),
                "kernel" => kernel = Some(read_kernel(input)?),
                "stream" | "module" | "config" | "cluster_dim" | "cooperative" => fields.push((name, input.parse()?)),
                _ => {
                    let known = "`kernel`, `stream`, `module`, `config`, `cluster_dim`, `cooperative` or `args`";
                    return Err(Error::new(name.span(), format!("a launch has no `{name}`: expected {known}")));
                }
            }
            if input.is_empty() {
                break;
            }
            input.parse::<Token![,]>()?;
        }
        let mut take = |name: &str| {
            let position = fields.iter().position(|(field, _)| field == name)?;
            Some(fields.swap_remove(position).1)
        };
        let missing = |name: &str| Error::new(Span::call_site(), format!("a launch needs `{name}: …`"));
        Ok(Self {
            kernel: kernel.ok_or_else(|| missing("kernel"))?,
            stream: take("stream"),
            module: take("module").ok_or_else(|| missing("module"))?,
            config: take("config").ok_or_else(|| missing("config"))?,
            cluster: take("cluster_dim"),
            cooperative: take("cooperative"),
            arguments: arguments.ok_or_else(|| missing("args"))?,
        })
    }
}

/// The path of a kernel, as an expression or, which a `$kernel:path` may be, as a type: `scale::<f32>`, `scale<f32>`.
fn read_kernel(input: ParseStream) -> Result<ExprPath, Error> {
    let ahead = input.fork();
    let path = ahead.parse().ok().filter(|_| ahead.is_empty() || ahead.peek(Token![,]));
    let Some(TypePath { qself, mut path, .. }) = path else {
        return Err(Error::new(input.parse::<Expr>()?.span(), "`kernel` is the path of a kernel"));
    };
    input.advance_to(&ahead);
    for segment in &mut path.segments {
        if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token.get_or_insert_default();
        }
    }
    Ok(ExprPath { attrs: Vec::new(), qself, path })
}

fn read_arguments(input: ParseStream) -> Result<Vec<Argument>, Error> {
    let content;
    bracketed!(content in input);
    let arguments: Vec<_> = Punctuated::<Expr, Token![,]>::parse_terminated(&content)?.into_iter().map(argument).collect();
    let mut closures = arguments.iter().filter_map(|argument| match argument {
        Argument::Closure(closure) => Some(closure),
        _ => None,
    });
    match (closures.next(), closures.next()) {
        (Some(_), Some(second)) => Err(Error::new(second.span(), "a second closure: the instance is that of one closure's type")),
        _ => Ok(arguments),
    }
}

fn argument(argument: Expr) -> Argument {
    match argument {
        Expr::Paren(inner) => self::argument(*inner.expr),
        Expr::Closure(_) => Argument::Closure(argument),
        Expr::Call(ExprCall { ref func, ref args, .. }) if args.len() == 1 && is(func, "slice") => Argument::Slice(args[0].clone()),
        Expr::Call(ExprCall { ref func, ref args, .. }) if args.len() == 1 && is(func, "slice_mut") => Argument::SliceMut(args[0].clone()),
        _ => Argument::Value(argument),
    }
}

fn is(function: &Expr, name: &str) -> bool {
    matches!(function, Expr::Path(path) if path.path.is_ident(name))
}

impl Invocation {
    /// Queues the kernel: a `Result<(), DriverError>`.
    pub fn launch(&self) -> Result<TokenStream, Error> {
        let Some(stream) = &self.stream else { return Err(Error::new(Span::call_site(), "a launch needs `stream: …`")) };
        let cluster = match &self.cluster {
            Some(cluster) => quote!(::core::option::Option::Some(#cluster)),
            None => quote!(::core::option::Option::None),
        };
        let cooperative = self.cooperative.as_ref().map_or(quote!(false), |cooperative| quote!(#cooperative));
        let (module, config) = (&self.module, &self.config);
        let (statements, name, arguments) = self.arguments();
        Ok(quote_spanned! {Span::mixed_site()=> {
            #[allow(unused_imports)]
            use ::cuda_host::launch::SliceArgument as _;
            let module: &::std::sync::Arc<::cuda_core::CudaModule> = &#module;
            let shape = ::cuda_host::launch::Shape { config: #config, cluster: #cluster, cooperative: #cooperative };
            let stream = &#stream;
            let stream: &::cuda_core::CudaStream = stream.as_ref();
            #statements
            ::cuda_host::launch::Kernel::of_module(module, #name).launch_unchecked(stream, shape, &mut [#(&mut #arguments),*])
        }})
    }

    /// The launch as an operation: an `AsyncKernelLaunch`.
    pub fn operation(&self) -> Result<TokenStream, Error> {
        for (name, field) in [("stream", &self.stream), ("cluster_dim", &self.cluster), ("cooperative", &self.cooperative)] {
            if let Some(field) = field {
                return Err(Error::new(field.span(), format!("`cuda_launch_async!` has no `{name}`: use `cuda_launch!`")));
            }
        }
        let (module, config) = (&self.module, &self.config);
        let (statements, name, arguments) = self.arguments();
        Ok(quote_spanned! {Span::mixed_site()=> {
            #[allow(unused_imports)]
            use ::cuda_host::launch::SliceArgument as _;
            let module: &::std::sync::Arc<::cuda_core::CudaModule> = &#module;
            let shape = ::cuda_host::launch::Shape { config: #config, cluster: ::core::option::Option::None, cooperative: false };
            #statements
            let mut operation = ::cuda_host::async_launch::Builder::new(::cuda_host::launch::Kernel::of_module(module, #name));
            #(operation.push(#arguments);)*
            operation.check_argument_count();
            operation.finish(shape)
        }})
    }

    /// Statements that come first, the name of the entry, and the arguments.
    fn arguments(&self) -> (TokenStream, TokenStream, Vec<TokenStream>) {
        let closure = Ident::new("closure", Span::mixed_site());
        let name = Ident::new("name", Span::mixed_site());
        let module = Ident::new("module", Span::mixed_site());
        let arguments = self.arguments.iter().map(|argument| match argument {
            Argument::Value(value) => quote!(::cuda_host::launch::word(#value)),
            Argument::Slice(buffer) => quote!((#buffer).shared_slice(#module.context())),
            Argument::SliceMut(buffer) => quote!((#buffer).exclusive_slice(#module.context())),
            Argument::Closure(_) => quote!(::cuda_host::launch::value(#closure)),
        });
        let closure_at = self.arguments.iter().position(|argument| matches!(argument, Argument::Closure(_)));
        let statements = closure_at.map(|position| {
            let witnesses = self.arguments.iter().map(|argument| match argument {
                Argument::Closure(closure) => quote!(::core::option::Option::Some(#closure)),
                _ => quote!(::core::default::Default::default()),
            });
            let instance = self.beside(kernel::instance_function, true);
            let position = syn::Index::from(position);
            quote_spanned! {Span::mixed_site()=>
                let (#name, witnesses) = #instance(#(#witnesses),*);
                let ::core::option::Option::Some(#closure) = witnesses.#position else { ::core::unreachable!() };
            }
        });
        let entry = match (&statements, self.kernel.path.segments.last().map(|segment| &segment.arguments)) {
            (Some(_), _) => quote!(#name),
            (None, None | Some(PathArguments::None)) => {
                let marker = self.beside(kernel::marker_type, false);
                quote!(<#marker as ::cuda_host::CudaKernel>::PTX_NAME)
            }
            (None, Some(_)) => {
                let ptx_name = self.beside(kernel::ptx_name_function, true);
                quote!(#ptx_name())
            }
        };
        (statements.unwrap_or_default(), entry, arguments.collect())
    }

    /// The path of what stands beside the kernel under a name made of its own.
    fn beside(&self, name: fn(&Ident) -> Ident, keep_arguments: bool) -> ExprPath {
        let mut path = self.kernel.clone();
        if let Some(last) = path.path.segments.last_mut() {
            let span = last.ident.span();
            last.ident = name(&last.ident);
            last.ident.set_span(span);
            if !keep_arguments {
                last.arguments = PathArguments::None;
            }
        }
        path
    }
}
