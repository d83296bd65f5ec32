//! `ptx_asm!`.
//!
//! ```text
//! ptx_asm!("add.u32 %0, %1, %2;", out("=r") sum, in("r") one, in("r") other, options(register_only))
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Error, Expr, Ident, LitStr, Token, parenthesized,
    parse::{Parse, ParseStream},
};

use crate::signature::Errors;

const MOST_OPERANDS: usize = 16;

/// Registers by their letter: 16, 32, 64 and 128 bits, `f32` and `f64`.
const REGISTERS: &str = "hrlqfd";

/// The constraint of a constant byte string, whose text stands in the place of the operand.
const STRING: &str = "C";

pub struct Assembly {
    template: LitStr,
    outputs: Vec<Operand>,
    inputs: Vec<Operand>,
    clobbers: Vec<LitStr>,
    options: Vec<Ident>,
}

struct Operand {
    constraint: LitStr,
    value: Expr,
    /// It is read first.
    both: bool,
}

impl Operand {
    fn is_string(&self) -> bool {
        self.constraint.value() == STRING
    }
}

impl Parse for Assembly {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let template =
            input.parse().map_err(|error| Error::new(error.span(), "expected a template, a string literal: `\"mov.u32 %0, %1;\"`"))?;
        let mut assembly = Self { template, outputs: Vec::new(), inputs: Vec::new(), clobbers: Vec::new(), options: Vec::new() };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            assembly.part(input)?;
        }
        Ok(assembly)
    }
}

impl Assembly {
    fn part(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let inside;
        if input.peek(Token![in]) {
            input.parse::<Token![in]>()?;
            parenthesized!(inside in input);
            let constraint = only(&inside)?;
            self.inputs.push(Operand { constraint, value: input.parse()?, both: false });
            return Ok(());
        }
        let word: Ident = input.parse()?;
        parenthesized!(inside in input);
        match word.to_string().as_str() {
            "out" | "inout" => {
                let constraint = only(&inside)?;
                if !self.inputs.is_empty() {
                    return Err(Error::new(word.span(), "outputs must precede inputs: `%0` and so on number them in this order"));
                }
                self.outputs.push(Operand { constraint, value: input.parse()?, both: word == "inout" });
            }
            "clobber" => self.clobbers.push(only(&inside)?),
            "options" => self.options.extend(inside.parse_terminated(Ident::parse, Token![,])?),
            _ => return Err(Error::new(word.span(), "expected `out`, `inout`, `in`, `clobber` or `options`")),
        }
        Ok(())
    }
}

fn only(inside: ParseStream<'_>) -> syn::Result<LitStr> {
    let text = inside.parse().map_err(|error| Error::new(error.span(), "expected one string, such as `\"=r\"`"))?;
    if inside.is_empty() { Ok(text) } else { Err(inside.error("expected one string alone")) }
}

/// The call that the compiler replaces.
pub fn expand(assembly: &Assembly) -> Result<TokenStream, Error> {
    let mut errors = Errors::default();
    let Assembly { template, outputs, inputs, clobbers, options } = assembly;
    for (operands, kind) in [(outputs, "outputs"), (inputs, "inputs")] {
        if let Some(extra) = operands.get(MOST_OPERANDS) {
            errors.add(&extra.constraint, &format!("at most {MOST_OPERANDS} {kind}"));
        }
    }
    let mut constraints = Vec::new();
    let mut tied = Vec::new();
    for (number, Operand { constraint, both, .. }) in outputs.iter().enumerate() {
        let sign = if *both { '+' } else { '=' };
        let text = constraint.value();
        match text.strip_prefix(sign).filter(|letter| letter.len() == 1 && REGISTERS.contains(letter)) {
            Some(letter) => constraints.push(format!("={letter}")),
            None => errors.add(constraint, &format!("expected `{sign}` and one of the registers {}", spread(REGISTERS))),
        }
        if *both {
            tied.push(number.to_string());
        }
    }
    for Operand { constraint, .. } in inputs {
        let text = constraint.value();
        if text == STRING {
            // It becomes part of the text.
        } else if text.len() == 1 && (REGISTERS.contains(&text) || text == "n") {
            constraints.push(text);
        } else {
            errors.add(constraint, &format!("expected one of the registers {}, `n` for a constant or `C` for a string", spread(REGISTERS)));
        }
    }
    constraints.extend(tied);
    for clobber in clobbers {
        match clobber.value().as_str() {
            "memory" => constraints.push("~{memory}".into()),
            _ => errors.add(clobber, "the one clobber is `memory`: other registers are the text's own, declared in it"),
        }
    }
    let mut flags = 0_u32;
    for option in options {
        match option.to_string().as_str() {
            "register_only" => flags |= 1,
            "may_diverge" => flags |= 2,
            _ => errors.add(option, "the options are `register_only` and `may_diverge`"),
        }
    }
    if let Some(first) = options.first() {
        if flags == 2 {
            errors.add(first, "`may_diverge` is for what is `register_only` too: write `options(register_only, may_diverge)`");
        }
        if flags & 1 != 0 && outputs.is_empty() {
            errors.add(first, "`register_only` needs an output: it would do nothing");
        }
        if flags & 1 != 0 && !clobbers.is_empty() {
            errors.add(first, "`register_only` touches no memory: leave out the clobber");
        }
    }
    let strings: Vec<_> = outputs.iter().chain(inputs).map(|operand| operand.is_string().then_some(&operand.value)).collect();
    let text = errors.keep(text(template, &strings));
    let Some(text) = errors.finish(text)? else { return Ok(TokenStream::new()) };
    let constraints = constraints.join(",");
    let (places, values) =
        (outputs.iter().map(|output| &output.value), inputs.iter().filter(|input| !input.is_string()).map(|input| &input.value));
    let places: Vec<_> = places.collect();
    let read = outputs.iter().filter(|output| output.both).map(|output| &output.value);
    // A place need not hold a value before.
    let results: Vec<_> = (0..places.len()).map(|number| format_ident!("result_{number}", span = Span::mixed_site())).collect();
    Ok(quote! {{
        #(let mut #results = ::core::mem::MaybeUninit::uninit();)*
        cuda_device::ptx::assembly(#text, #constraints, #flags, (#(#results.as_mut_ptr(),)*), (#(#values,)* #(#read,)*));
        #(#places = #results.assume_init();)*
    }})
}

fn spread(letters: &str) -> String {
    letters.chars().map(|letter| format!("`{letter}`")).collect::<Vec<_>>().join(" ")
}

/// The parts of the template as LLVM writes it, `%0` as `$0` and a dollar sign twice, and between them the strings that stand in it.
fn text(template: &LitStr, operands: &[Option<&Expr>]) -> Result<TokenStream, Error> {
    let value = template.value();
    if value.contains('\0') {
        return Err(Error::new_spanned(template, "a template is text, and contains no NUL"));
    }
    let mut parts = TokenStream::new();
    let mut text = String::new();
    let mut letters = value.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '$' => text.push_str("$$"),
            '%' if letters.next_if_eq(&'%').is_some() => text.push('%'),
            '%' if letters.peek().is_some_and(char::is_ascii_digit) => {
                let mut number = String::new();
                while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                    number.push(digit);
                }
                let Some((operand, before)) = number.parse().ok().and_then(|place: usize| Some((operands.get(place)?, &operands[..place])))
                else {
                    let count = operands.len();
                    return Err(Error::new_spanned(template, format!("`%{number}`: there are only {count} operands, counted from 0")));
                };
                if let Some(string) = operand {
                    let part = std::mem::take(&mut text);
                    parts.extend(quote!(#part.as_bytes(), #string,));
                } else {
                    text.push('$');
                    text.push_str(&before.iter().filter(|operand| operand.is_none()).count().to_string());
                }
            }
            // A register of PTX, as in `%tid.x`.
            _ => text.push(letter),
        }
    }
    Ok(quote!(const { &[#parts #text.as_bytes()] as &[&[u8]] }))
}
