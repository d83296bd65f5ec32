//! The conversation with the driver over `OXIDE_SOCKET`, as `docs/formats.md` describes it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustc_middle::ty::TyCtxt;
use rustc_session::Session;
use rustc_session::config::OutputFilenames;
use rustc_span::Span;
use serde_json::{Value, json};

use crate::collect::Dumped;

/// An answer that the driver still owes.
pub struct Pending {
    stream: UnixStream,
    crate_name: String,
    spans: Vec<Span>,
}

/// Tell the driver that a dump is ready. Without a driver there is nobody to tell.
pub fn announce(tcx: TyCtxt<'_>, dumped: Dumped) -> Option<Pending> {
    let socket = std::env::var_os("OXIDE_SOCKET")?;
    let message = json!({
        "type": "dump",
        "crate": dumped.crate_name,
        "package": std::env::var("CARGO_PKG_NAME").ok(),
        "dump": dumped.path,
    });
    let sent = UnixStream::connect(&socket).and_then(|mut stream| {
        writeln!(stream, "{message}")?;
        Ok(stream)
    });
    match sent {
        Ok(stream) => Some(Pending { stream, crate_name: dumped.crate_name, spans: dumped.spans }),
        Err(error) => tcx.dcx().fatal(format!("cannot reach the oxide driver at {}: {error}", socket.display())),
    }
}

impl Pending {
    /// Wait for the driver's answer: the object that joins the link with warnings, or errors, which end the compilation.
    pub fn artifact(self, session: &Session, outputs: &OutputFilenames) -> Option<PathBuf> {
        let mut line = String::new();
        if let Err(error) = BufReader::new(&self.stream).read_line(&mut line) {
            session.dcx().fatal(format!("lost the oxide driver while it compiled `{}`: {error}", self.crate_name));
        }
        let answer: Value = match serde_json::from_str(&line) {
            Ok(answer) => answer,
            Err(_) => session.dcx().fatal(format!("the oxide driver ended before it had compiled `{}`", self.crate_name)),
        };
        for diagnostic in answer["diagnostics"].as_array().into_iter().flatten() {
            self.emit(session, diagnostic);
        }
        match answer["type"].as_str() {
            Some("artifact") => {
                let object = answer["object"].as_str().expect("an artifact names its object");
                Some(keep_artifact(session, outputs, Path::new(object)))
            }
            Some("diagnostics") => {
                session.dcx().abort_if_errors();
                None
            }
            Some("failed") => {
                // The driver has shown the error itself.
                rustc_span::fatal_error::FatalError.raise()
            }
            _ => session.dcx().fatal(format!("the oxide driver answered what this backend does not know: {line}")),
        }
    }

    fn emit(&self, session: &Session, diagnostic: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let span = |value: &Value| value.as_u64().and_then(|id| self.spans.get(id as usize)).copied();
        let message = text(&diagnostic["message"]);
        if diagnostic["level"] == "warning" {
            let mut warning = match span(&diagnostic["span"]) {
                Some(span) => session.dcx().struct_span_warn(span, message),
                None => session.dcx().struct_warn(message),
            };
            self.add_notes(&mut warning, diagnostic);
            warning.emit();
        } else {
            let mut error = match span(&diagnostic["span"]) {
                Some(span) => session.dcx().struct_span_err(span, message),
                None => session.dcx().struct_err(message),
            };
            self.add_notes(&mut error, diagnostic);
            error.emit();
        }
    }

    fn add_notes<G: rustc_errors::EmissionGuarantee>(&self, diag: &mut rustc_errors::Diag<'_, G>, diagnostic: &Value) {
        for note in diagnostic["notes"].as_array().into_iter().flatten() {
            let message = note["message"].as_str().unwrap_or_default().to_owned();
            match note["span"].as_u64().and_then(|id| self.spans.get(id as usize)) {
                Some(span) => diag.span_note(*span, message),
                None => diag.note(message),
            };
        }
        for help in diagnostic["help"].as_array().into_iter().flatten() {
            diag.help(help.as_str().unwrap_or_default().to_owned());
        }
    }
}

/// The one symbol that an artifact object defines.
pub fn artifact_symbol(crate_name: &str) -> String {
    format!("oxide_artifact_{crate_name}")
}

/// Where a crate's artifact stays, beside its other outputs: a sign that its rlib holds one.
fn artifact_path(outputs: &OutputFilenames) -> PathBuf {
    outputs.with_extension("oxide.o")
}

/// Whether the crate of this rlib has an artifact: `deps/libNAME-HASH.rlib` lies beside `deps/NAME-HASH.oxide.o`.
pub fn rlib_has_artifact(rlib: &Path) -> bool {
    let stem = rlib.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.strip_prefix("lib"));
    stem.is_some_and(|stem| rlib.with_file_name(format!("{stem}.oxide.o")).exists())
}

/// Remove the sign of an artifact that an earlier compilation of this crate left.
pub fn forget_artifact(outputs: &OutputFilenames) {
    // Most crates never had one.
    let _ = std::fs::remove_file(artifact_path(outputs));
}

/// Copy the driver's object, once as the sign and once for rustc, which deletes what it has linked.
fn keep_artifact(session: &Session, outputs: &OutputFilenames, object: &Path) -> PathBuf {
    let sign = artifact_path(outputs);
    // Not `*.rcgu.o`: fat LTO takes those for its own.
    let linked = outputs.with_extension("oxide-link.o");
    let copied = std::fs::copy(object, &sign).and_then(|_| std::fs::copy(object, &linked));
    if let Err(error) = copied {
        session.dcx().fatal(format!("cannot copy the artifact to {}: {error}", sign.display()));
    }
    linked
}
