//! What the attributes change in the body of a kernel or device function.
//!
//! ```text
//!                                      let launch = LaunchContext::new();
//!                                      let scope = launch.scope();
//! let i = thread::index_1d();     →    let i = thread::index_1d(scope);
//! out.get_mut_indexed()                out.get_mut_indexed(scope)
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Attribute, Block, Error, Expr, ExprCall, ExprMethodCall, Ident, Item, Macro, Token, parse_quote,
    punctuated::Punctuated,
    visit_mut::{self, VisitMut},
};

use crate::signature::Errors;

const INDEX_FUNCTIONS: [&str; 4] = ["index_1d", "index_2d", "index_2d_runtime", "warp_index"];

/// What stands at the head of a body.
#[derive(Default)]
pub struct Head {
    /// Domain and coordinates of the launch, where a contract says something about them.
    pub context: Option<TokenStream>,
    /// The user's name for the scope.
    pub name: Option<Ident>,
    /// What the compiler reads.
    pub markers: TokenStream,
}

/// Gives every call of an index function the scope of this launch, and makes that scope where it is used.
pub fn expand(block: &mut Block, head: &Head) -> Result<(), Error> {
    // No name that the body can write is this one.
    let scope = Ident::new("scope", Span::mixed_site());
    let mut calls = Calls { scope: scope.clone(), found: false, errors: Errors::default() };
    calls.visit_block_mut(block);
    let Head { context, name, markers } = head;
    let context = (calls.found || name.is_some()).then(|| {
        let launch = Ident::new("launch", Span::mixed_site());
        let context = context.clone().unwrap_or_else(|| quote!(::cuda_device::thread::UnknownDomain));
        let name = name.iter();
        quote! {
            // SAFETY: this is the head of a function that runs on the device, and its launches are as the contract says, if there is one.
            let #launch = unsafe { ::cuda_device::thread::LaunchContext::<#context>::new() };
            let #scope = #launch.scope();
            #(let #name = #scope;)*
        }
    });
    if context.is_some() || !markers.is_empty() {
        let statements = &block.stmts;
        *block = parse_quote!({
            #markers
            #context
            #(#statements)*
        });
    }
    calls.errors.finish(())
}

struct Calls {
    scope: Ident,
    found: bool,
    errors: Errors,
}

impl Calls {
    fn refuse_unroll(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| {
            let unroll = attribute.path().is_ident("unroll");
            if unroll {
                self.errors.add(attribute, "`#[unroll]` is not yet supported");
            }
            !unroll
        });
    }
}

impl VisitMut for Calls {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match expression {
            Expr::ForLoop(inner) => self.refuse_unroll(&mut inner.attrs),
            Expr::While(inner) => self.refuse_unroll(&mut inner.attrs),
            Expr::Loop(inner) => self.refuse_unroll(&mut inner.attrs),
            _ => {}
        }
        visit_mut::visit_expr_mut(self, expression);
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
