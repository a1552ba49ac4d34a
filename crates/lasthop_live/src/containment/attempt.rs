use core::fmt;
use core::panic::Location;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

/// A caught panic, with its message and place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Panic {
    pub(crate) what: String,
    /// File and line, without the folders of the build machine.
    pub(crate) place: String,
}

thread_local! {
    /// Whether a panic of this thread is awaited, and so is told of by who awaits it.
    static IS_AWAITED: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work` and catches a panic. Data that `work` borrows must stay usable after a panic.
pub(crate) fn attempt<R>(work: impl FnOnce() -> R) -> Result<R, Panic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| match IS_AWAITED.get() {
            true => note(info),
            false => before(info),
        }));
    });
    let before = IS_AWAITED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    IS_AWAITED.set(before);
    result.map_err(|payload| Panic {
        what: words(&*payload),
        place: PLACE.take().unwrap_or_default(),
    })
}

fn note(info: &PanicHookInfo<'_>) {
    let place = info.location().map(place_of);
    PLACE.set(place);
}

/// A panic says a text, unless a library gives something else of its own.
fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("an unknown panic");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn place_of(location: &Location<'_>) -> String {
    format!("{}:{}", short(location.file()), location.line())
}

/// A path from its crate on: `crates/lasthop_tls/src/connection.rs`, `rustls-0.23.46/src/conn.rs`.
fn short(file: &str) -> &str {
    let from_source = file.rfind("/src/").map_or(0, |source| {
        let before = &file[..source];
        before.rfind('/').map_or(0, |at| at + 1)
    });
    let ours = ["crates/", "third_party/"].into_iter();
    let ours = ours.filter_map(|folder| file.rfind(folder)).min();
    &file[ours.unwrap_or(from_source)..]
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.what, self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_says_what_and_where_in_one_line() {
        let (line, result) = (line!(), attempt(|| -> u8 { panic!("two\n lines") }));
        let panic = result.expect_err("it panics");
        assert_eq!(panic.what, "two lines");
        let place = format!("crates/lasthop_live/src/containment/attempt.rs:{line}");
        assert_eq!(panic.place, place);
        assert_eq!(attempt(|| 7), Ok(7));
    }

    #[test]
    fn a_place_shows_no_folder_of_the_machine() {
        for (file, shown) in [
            (
                "crates/lasthop_tls/src/tls.rs",
                "crates/lasthop_tls/src/tls.rs",
            ),
            (
                "/build/a/crates/lasthop_tls/src/tls.rs",
                "crates/lasthop_tls/src/tls.rs",
            ),
            (
                "/build/a/third_party/dimpl/src/lib.rs",
                "third_party/dimpl/src/lib.rs",
            ),
            (
                "/build/b/rustls-0.23.46/src/conn.rs",
                "rustls-0.23.46/src/conn.rs",
            ),
            ("lib.rs", "lib.rs"),
        ] {
            assert_eq!(short(file), shown);
        }
    }
}
