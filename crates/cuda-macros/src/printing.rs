//! `gpu_printf!` and `gpu_assert!`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Error, Expr, Lit, LitStr, Token,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
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
        let format = input.parse::<Lit>()?;
        let Lit::Str(format) = format else { return Err(Error::new_spanned(format, "the format is a string literal")) };
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        let arguments = Punctuated::<Expr, Token![,]>::parse_terminated(input)?.into_iter().collect();
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
        let message = format!("the format has {}, and there {}", count(asked, "placeholder"), are(given, "argument"));
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
    let pieces = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => quote!(cuda_device::debug::Piece::Text(#text)),
        Piece::Star => quote!(cuda_device::debug::Piece::Star),
        Piece::Value { modifiers, letter: None } => {
            quote!(cuda_device::debug::Piece::Value { modifiers: #modifiers, letter: ::core::option::Option::None })
        }
        Piece::Value { modifiers, letter: Some(letter) } => {
            quote!(cuda_device::debug::Piece::Value { modifiers: #modifiers, letter: ::core::option::Option::Some(#letter) })
        }
    });
    let arguments = &input.arguments;
    Ok(quote! {{
        struct Format;
        impl cuda_device::debug::Format for Format {
            const PIECES: &'static [cuda_device::debug::Piece] = &[#(#pieces),*];
        }
        cuda_device::debug::print::<#bytes, Format, _>(Format, (#(#arguments,)*))
    }})
}

fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

fn are(number: usize, what: &str) -> String {
    format!("{} {}", if number == 1 { "is" } else { "are" }, count(number, what))
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
        None => return refused("arguments are taken in order, without names or numbers"),
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
        return refused("after flags, width and precision comes at most one letter");
    }
    let letter = match letter {
        None => None,
        Some(letter) if "xXoeEcsdifgapu".contains(letter) => u8::try_from(letter).ok(),
        Some('?') => return refused("kernels print no `Debug`: print the parts"),
        Some(_) => return refused("the letters are x X o e E c s d i u f g a p"),
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
        let message = Some(text.clone());
        input.parse::<Option<Token![,]>>()?;
        if !input.is_empty() {
            return Err(input.error("the message takes no arguments: kernels format none"));
        }
        Ok(Self { condition, message })
    }
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
    quote! {
        if !(#condition) {
            #fail
        }
    }
}
