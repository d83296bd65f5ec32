//! What the attributes change in the body of a kernel or device function.
//!
//! ```text
//!                                      let launch = LaunchContext::new();
//!                                      let scope = launch.scope();
//! let i = thread::index_1d();     →    let i = thread::index_1d(scope);
//! out.get_mut_indexed()                out.get_mut_indexed(scope)
//! #[unroll(4)]                         { unroll(0, 4, false);
//! for j in 0..n { … }                    for j in 0..n { unroll(0, 4, true); … } }
//! ```

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Attribute, Block, Error, Expr, ExprCall, ExprClosure, ExprMethodCall, Generics, Ident, Item, ItemFn, Macro, Meta, Stmt, Token, Type,
    parse_quote, parse_quote_spanned,
    punctuated::Punctuated,
    spanned::Spanned,
    visit_mut::{self, VisitMut},
};

use crate::{launch::number, signature::Errors};

const INDEX_FUNCTIONS: [&str; 4] = ["index_1d", "index_2d", "index_2d_runtime", "warp_index"];

/// What stands at the head of a body.
#[derive(Default)]
pub struct Head {
    /// Domain and coordinates of the launch, where a contract sets them.
    pub context: Option<TokenStream>,
    /// Whether the scope is a parameter, `scope()`, rather than made here.
    pub is_given: bool,
    /// The user's name for the scope.
    pub name: Option<Ident>,
    /// What the compiler reads.
    pub markers: TokenStream,
    /// Whether elements are taken without a check of the index, in closures of the body too.
    pub unchecked_indexing: bool,
}

/// Gives every call of an index function the scope of this launch, and makes that scope where it is used.
pub fn expand(block: &mut Block, head: &Head) -> Result<(), Error> {
    let scope = scope();
    let mut calls =
        Calls { scope: scope.clone(), found: false, loops: 0, unchecked_indexing: head.unchecked_indexing, errors: Errors::default() };
    calls.visit_block_mut(block);
    let Head { context, is_given, name, markers, unchecked_indexing } = head;
    let unchecked = unchecked_indexing.then(unchecked_indexing_marker);
    let context = (calls.found || name.is_some()).then(|| {
        let launch = Ident::new("launch", Span::mixed_site());
        let context = context.clone().unwrap_or_else(|| quote!(::cuda_device::thread::UnknownDomain));
        let name = name.iter();
        if *is_given {
            return quote!(#(let #name = #scope;)*);
        }
        quote! {
            // SAFETY: this is the head of a function that runs on the device, and its launches satisfy the contract, if there is one.
            let #launch = unsafe { ::cuda_device::thread::LaunchContext::<#context>::new() };
            let #scope = #launch.scope();
            #(let #name = #scope;)*
        }
    });
    if context.is_some() || unchecked.is_some() || !markers.is_empty() {
        let statements = &block.stmts;
        *block = parse_quote!({
            #markers
            #unchecked
            #context
            #(#statements)*
        });
    }
    calls.errors.finish(())
}

/// The name of the scope.
pub fn scope() -> Ident {
    // No name that the body can write is this one.
    Ident::new("scope", Span::mixed_site())
}

/// Says of the body that it stands in that elements are taken without a check.
fn unchecked_indexing_marker() -> TokenStream {
    quote!(::cuda_device::kernel::unchecked_indexing();)
}

/// Refuses shared arrays in a body whose type names what the function is generic over: rustc's own error for a static does not explain it.
/// They become locals, so that rustc reports nothing about them.
pub fn check_statics(function: &mut ItemFn) -> Result<(), Error> {
    struct Statics<'a> {
        generics: &'a Generics,
        errors: Errors,
    }

    impl VisitMut for Statics<'_> {
        fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
            if let Stmt::Item(Item::Static(item)) = statement
                && let kind = &item.ty
                && let Type::Path(path) = &**kind
                && path.path.segments.last().is_some_and(|segment| segment.ident == "SharedArray")
                && let Some(parameter) = names_parameter(kind.to_token_stream(), self.generics)
            {
                let name = &item.ident;
                let message = format!(
                    "a static cannot be of a type that names the generic parameter `{parameter}`: \
                     write `let {} = unsafe {{ shared_array!(T, N) }};`, which each instance has its own of",
                    name.to_string().to_lowercase()
                );
                self.errors.add(kind, &message);
                let value = &item.expr;
                *statement = parse_quote!(let mut #name: #kind = #value;);
            }
            visit_mut::visit_stmt_mut(self, statement);
        }

        /// Functions inside the body have no part in what it is generic over.
        fn visit_item_mut(&mut self, _item: &mut Item) {}
    }

    let mut statics = Statics { generics: &function.sig.generics, errors: Errors::default() };
    statics.visit_block_mut(&mut function.block);
    statics.errors.finish(())
}

/// The first type or constant parameter that these tokens name.
fn names_parameter(tokens: TokenStream, generics: &Generics) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => names_parameter(group.stream(), generics),
        TokenTree::Ident(name) => {
            let types = generics.type_params().map(|parameter| &parameter.ident);
            let constants = generics.const_params().map(|parameter| &parameter.ident);
            types.chain(constants).any(|parameter| *parameter == name).then_some(name)
        }
        _ => None,
    })
}

struct Calls {
    scope: Ident,
    found: bool,
    /// The loops that are to be unrolled so far.
    loops: u32,
    unchecked_indexing: bool,
    errors: Errors,
}

impl Calls {
    /// Mark a loop that has `#[unroll]`: at the head of its body, and before it, by which the compiler recognises a loop that is entered once.
    fn mark_loop(&mut self, expression: &mut Expr) {
        let (attributes, body, span) = match expression {
            Expr::ForLoop(inner) => (&mut inner.attrs, &mut inner.body, inner.for_token.span),
            Expr::While(inner) => (&mut inner.attrs, &mut inner.body, inner.while_token.span),
            Expr::Loop(inner) => (&mut inner.attrs, &mut inner.body, inner.loop_token.span),
            _ => return,
        };
        let Some(position) = attributes.iter().position(is_unroll) else { return };
        let attribute = attributes.remove(position);
        if let Some(second) = attributes.iter().find(|attribute| is_unroll(attribute)) {
            self.errors.add(second, "a second `#[unroll]`");
            attributes.retain(|attribute| !is_unroll(attribute));
        }
        let Some(factor) = self.errors.keep(unroll_factor(&attribute)) else { return };
        let number = self.loops;
        self.loops += 1;
        body.stmts.insert(0, parse_quote_spanned!(span=> ::cuda_device::kernel::unroll(#number, #factor, true);));
        *expression = parse_quote_spanned!(span=> {
            ::cuda_device::kernel::unroll(#number, #factor, false);
            #expression
        });
    }
}

fn is_unroll(attribute: &Attribute) -> bool {
    attribute.path().is_ident("unroll")
}

/// How many copies of a loop's body there are to be: 0 for all.
fn unroll_factor(attribute: &Attribute) -> Result<TokenStream, Error> {
    const FACTORS: &str = "`#[unroll]` takes no factor, or one from 2 to 1024";
    if matches!(attribute.meta, Meta::Path(_)) {
        return Ok(quote!(0));
    }
    let factor: Expr = attribute.parse_args().map_err(|error| Error::new(error.span(), FACTORS))?;
    match number(&factor) {
        Some(factor @ (0 | 2..=1024)) => {
            let factor = u32::try_from(factor).unwrap_or_default();
            Ok(quote!(#factor))
        }
        Some(_) => Err(Error::new(factor.span(), FACTORS)),
        None => {
            let cast = quote_spanned!(factor.span()=> (#factor) as ::core::primitive::u64);
            Ok(quote! {
                const {
                    #[allow(clippy::unnecessary_cast, trivial_numeric_casts)]
                    let factor = #cast;
                    ::cuda_device::kernel::unroll_factor(factor)
                }
            })
        }
    }
}

impl VisitMut for Calls {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        self.mark_loop(expression);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        visit_mut::visit_expr_closure_mut(self, closure);
        if self.unchecked_indexing {
            let (marker, body) = (unchecked_indexing_marker(), &closure.body);
            *closure.body = parse_quote!({ #marker #body });
        }
    }

    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        visit_mut::visit_expr_call_mut(self, call);
        let Expr::Path(function) = &*call.func else { return };
        let Some(name) = function.path.segments.last().map(|segment| segment.ident.to_string()) else { return };
        if INDEX_FUNCTIONS.contains(&name.as_str()) {
            let scope = &self.scope;
            call.args.insert(0, parse_quote!(#scope));
            self.found = true;
        }
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        visit_mut::visit_expr_method_call_mut(self, call);
        if call.method == "get_mut_indexed" && call.args.is_empty() {
            let scope = &self.scope;
            call.args.push(parse_quote!(#scope));
            self.found = true;
        }
    }

    /// The arguments of macros such as `assert!`, where they are expressions.
    fn visit_macro_mut(&mut self, invocation: &mut Macro) {
        type Expressions = Punctuated<Expr, Token![,]>;
        let Ok(mut arguments) = invocation.parse_body_with(Expressions::parse_terminated) else { return };
        let found = std::mem::replace(&mut self.found, false);
        arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
        if self.found {
            invocation.tokens = arguments.into_token_stream();
        }
        self.found |= found;
    }

    /// Items inside the body are not part of it.
    fn visit_item_mut(&mut self, _item: &mut Item) {}
}
