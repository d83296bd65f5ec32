//! `gpu_printf!` and `gpu_assert!`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Error, Expr, Ident, Lit, LitStr, Token,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
};

/// As many arguments as the device's `vprintf` takes.
const MOST_ARGUMENTS: usize = 32;

/// Letters and length of the longest conversion of a type, with the percent sign.
const LONGEST_CONVERSION: usize = 5;

/// `"format", argument, …`
pub struct Printf {
    format: LitStr,
    arguments: Vec<Expr>,
}

impl Parse for Printf {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let arguments = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
        let mut arguments = arguments.into_iter();
        let Some(format) = arguments.next() else { return Err(input.error("expected a format, a string literal")) };
        let Expr::Lit(syn::ExprLit { lit: Lit::Str(format), .. }) = format else {
            return Err(Error::new_spanned(format, "the format is a string literal, so that it is known when the kernel is compiled"));
        };
        let arguments: Vec<_> = arguments.collect();
        if let Some(Expr::Assign(named)) = arguments.iter().find(|argument| matches!(argument, Expr::Assign(_))) {
            return Err(Error::new_spanned(named, "arguments are taken in order, without names: write the value alone, and `{}`"));
        }
        Ok(Self { format, arguments })
    }
}

/// A part of a format.
enum Piece {
    Text(String),
    Star,
    Value { modifiers: String, letter: Option<u8> },
}

/// The call that prints.
pub fn printf(input: &Printf) -> Result<TokenStream, Error> {
    let pieces = pieces(&input.format)?;
    let asked = pieces.iter().filter(|piece| !matches!(piece, Piece::Text(_))).count();
    let given = input.arguments.len();
    if asked != given {
        let stars = if pieces.iter().any(|piece| matches!(piece, Piece::Star)) { ", one of them for each `*`" } else { "" };
        let message = format!("the format needs {}{stars}, and there {}", count(asked, "argument"), are(given));
        let at: &dyn quote::ToTokens = input.arguments.get(asked).map_or(&input.format, |extra| extra as _);
        return Err(Error::new_spanned(at.to_token_stream(), message));
    }
    if given > MOST_ARGUMENTS {
        return Err(Error::new_spanned(
            &input.arguments[MOST_ARGUMENTS],
            format!("at most {MOST_ARGUMENTS} arguments are printed at once"),
        ));
    }
    let bytes = 1 + pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.len(),
            Piece::Star => 0,
            Piece::Value { modifiers, .. } => modifiers.len() + LONGEST_CONVERSION,
        })
        .sum::<usize>();
    let parsed = pieces;
    let pieces = parsed.iter().map(|piece| match piece {
        Piece::Text(text) => quote!(cuda_device::debug::Piece::Text(#text)),
        Piece::Star => quote!(cuda_device::debug::Piece::Star),
        Piece::Value { modifiers, letter: None } => {
            quote!(cuda_device::debug::Piece::Value { modifiers: #modifiers, letter: ::core::option::Option::None })
        }
        Piece::Value { modifiers, letter: Some(letter) } => {
            quote!(cuda_device::debug::Piece::Value { modifiers: #modifiers, letter: ::core::option::Option::Some(#letter) })
        }
    });
    let arguments = input.arguments.iter().zip(argument_checks(&parsed)).map(|(argument, check)| {
        // Where the argument has another type than its placeholder, rustc shows the argument.
        let check = Ident::new(check, argument.span());
        quote_spanned!(argument.span()=> cuda_device::debug::#check(#argument))
    });
    Ok(quote! {{
        struct Format;
        impl cuda_device::debug::Format for Format {
            const PIECES: &'static [cuda_device::debug::Piece] = &[#(#pieces),*];
        }
        cuda_device::debug::print::<#bytes, Format, _>(Format, (#(#arguments,)*))
    }})
}

/// The function of `cuda_device::debug` that takes only the type of each argument's placeholder.
fn argument_checks(pieces: &[Piece]) -> impl Iterator<Item = &'static str> {
    pieces.iter().filter_map(|piece| match piece {
        Piece::Text(_) => None,
        Piece::Star => Some("width"),
        Piece::Value { letter: None, .. } => Some("any"),
        Piece::Value { letter: Some(letter), .. } => Some(match letter {
            b'e' | b'E' | b'f' | b'g' | b'G' | b'a' | b'A' => "float",
            b's' | b'p' => "address",
            b'c' => "letter",
            _ => "integer",
        }),
    })
}

fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

fn are(number: usize) -> String {
    match number {
        0 => "is none".into(),
        1 => "is 1".into(),
        _ => format!("are {number}"),
    }
}

/// Takes a format apart. A percent sign is C's escape, so one in the text is written twice.
fn pieces(format: &LitStr) -> Result<Vec<Piece>, Error> {
    let text = format.value();
    let wrong = |message: &str| Error::new_spanned(format, message);
    if text.contains('\0') {
        return Err(wrong("C's formats end at a 0"));
    }
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '{' | '}' if letters.peek() == Some(&letter) => {
                letters.next();
                plain.push(letter);
            }
            '{' => {
                let mut inside = String::new();
                loop {
                    match letters.next() {
                        Some('}') => break,
                        Some(letter) => inside.push(letter),
                        None => return Err(wrong("`{` without `}`: write `{{` for a brace")),
                    }
                }
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.extend(placeholder(&inside).map_err(|message| wrong(&message))?);
            }
            '}' => return Err(wrong("`}` without `{`: write `}}` for a brace")),
            '%' => plain.push_str("%%"),
            _ => plain.push(letter),
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

/// What stands between braces: `:`, flags, width, `.` and precision, a letter.
fn placeholder(inside: &str) -> Result<Vec<Piece>, String> {
    let refused = |why: &str| Err(format!("`{{{inside}}}`: {why}"));
    let rest = match inside.strip_prefix(':') {
        Some(rest) => rest,
        None if inside.is_empty() => "",
        None => return refused("arguments are taken in order, without names or numbers: write `{}`, and the value after the format"),
    };
    let mut stars = 0;
    let mut modifiers = String::new();
    let mut letters = rest.chars().peekable();
    while let Some(flag) = letters.next_if(|letter| "-+ #0".contains(*letter)) {
        modifiers.push(flag);
    }
    let mut number = |letters: &mut std::iter::Peekable<std::str::Chars<'_>>, modifiers: &mut String| {
        if letters.next_if_eq(&'*').is_some() {
            modifiers.push('*');
            stars += 1;
        }
        while let Some(digit) = letters.next_if(char::is_ascii_digit) {
            modifiers.push(digit);
        }
    };
    number(&mut letters, &mut modifiers);
    if letters.next_if_eq(&'.').is_some() {
        modifiers.push('.');
        number(&mut letters, &mut modifiers);
    }
    let letter = letters.next();
    if letters.next().is_some() {
        return refused("a placeholder is `{:`, flags of `-+ #0`, a width, `.` and a precision, and at most one letter");
    }
    let letter = match letter {
        None => None,
        Some(letter) if "xXoeEcsdifgGaApu".contains(letter) => u8::try_from(letter).ok(),
        Some('?') => return refused("kernels print no `Debug`: print the parts, each by its own placeholder"),
        Some(_) => return refused("the letters are x X o e E c s d i u f g G a A p"),
    };
    let mut pieces: Vec<Piece> = std::iter::repeat_with(|| Piece::Star).take(stars).collect();
    pieces.push(Piece::Value { modifiers, letter });
    Ok(pieces)
}

/// `condition`, or `condition, "message"`
pub struct Assertion {
    condition: Expr,
    message: Option<LitStr>,
}

impl Parse for Assertion {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            return Err(input.error("expected a condition"));
        }
        let condition = input.parse()?;
        if input.is_empty() {
            return Ok(Self { condition, message: None });
        }
        input.parse::<Token![,]>()?;
        if input.is_empty() {
            return Ok(Self { condition, message: None });
        }
        let message = input.parse::<Expr>()?;
        let Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) = &message else {
            return Err(Error::new_spanned(message, "the message is a string literal: kernels format none"));
        };
        if has_placeholder(&text.value()) {
            let message = "the message has no placeholders: print values with `gpu_printf!` before";
            return Err(Error::new_spanned(text, message));
        }
        let message = Some(text.clone());
        input.parse::<Option<Token![,]>>()?;
        if !input.is_empty() {
            return Err(input.error("the message takes no arguments: kernels format none"));
        }
        Ok(Self { condition, message })
    }
}

/// Whether there is a `{}`, `{name}` or `{:x}` in a message.
fn has_placeholder(message: &str) -> bool {
    message.split('{').skip(1).any(|rest| {
        let inside = rest.split_once('}').map(|(inside, _)| inside.split_once(':').map_or(inside, |(name, _)| name));
        inside.is_some_and(|name| name.chars().all(|letter| letter.is_alphanumeric() || letter == '_'))
    })
}

/// The test, and what ends the launch.
pub fn assertion(Assertion { condition, message }: &Assertion) -> TokenStream {
    let fail = match message {
        None => quote!(cuda_device::debug::trap()),
        Some(message) => quote! {
            cuda_device::debug::fail_assertion(
                ::core::concat!(#message, "\0"),
                ::core::concat!(::core::file!(), "\0"),
                ::core::line!(),
                ::core::concat!(::core::module_path!(), "\0"),
            )
        },
    };
    // rustc shows the condition where it is not a `bool`.
    let holds = Ident::new("holds", Span::mixed_site());
    quote! {{
        let #holds: ::core::primitive::bool = #condition;
        if !#holds {
            #fail
        }
    }}
}
