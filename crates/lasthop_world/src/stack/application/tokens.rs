//! Tokens by which clients show who they are: the options of every protocol that has a place for them.

use lasthop_broker::Authority;
use lasthop_jwt::{TokenAuthority, TokenSource};
use lasthop_tls::RUN_STARTS;
use lasthop_units::Duration;

use crate::stack::{ClientEnd, OptionEntry, OptionKind, Options};

/// What a client shows to be believed.
pub(super) const AUTH: OptionEntry = OptionEntry::new(
    "auth",
    OptionKind::Word(&["none", "jwt"]),
    "what the client shows",
)
.default("none")
.credentials(&[("jwt", "token")]);

/// How long a client shows one token.
pub(super) const TOKEN_LIFETIME: OptionEntry = OptionEntry::new(
    "token_lifetime",
    OptionKind::Time,
    "how long a token is good: what shows one behind that shows a new one",
)
.default("1h")
.needs("auth", &["jwt"]);

/// Who may use a server of a study.
pub(crate) fn token_authority() -> Box<dyn Authority> {
    Box::new(TokenAuthority {
        calendar: RUN_STARTS,
    })
}

/// Whether the clients of a stack show tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokens {
    lifetime: Option<Duration>,
}

impl Tokens {
    pub(super) fn of(options: Options<'_>) -> Self {
        let name = TOKEN_LIFETIME.name;
        Self {
            lifetime: options.has(name).then(|| options.time(name)),
        }
    }

    pub(super) const fn are_asked_for(self) -> bool {
        self.lifetime.is_some()
    }

    /// Those of a device.
    pub(super) fn source(self, end: &ClientEnd<'_>) -> Option<TokenSource> {
        let lifetime = self.lifetime?;
        Some(TokenSource::new(
            end.host.stream("token"),
            lifetime,
            RUN_STARTS,
        ))
    }
}
