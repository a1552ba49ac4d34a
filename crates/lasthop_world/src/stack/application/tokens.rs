//! Options for client authentication by token, shared by the protocols that support it.

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

/// How long a token is good where the stack asks for none, and the server does.
const USUAL_LIFETIME: Duration = Duration::from_secs(3600);

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

    /// Those of a device: a gateway asks for them, whatever the stack says.
    pub(super) fn source(self, end: &ClientEnd<'_>) -> Option<TokenSource> {
        if let Some((guest, device)) = end.registered() {
            let lifetime = self.lifetime.unwrap_or(USUAL_LIFETIME);
            let project = device.project();
            return TokenSource::by_pem(&device.key, project, lifetime, guest.calendar);
        }
        let lifetime = self.lifetime?;
        Some(TokenSource::new(
            end.host.stream("token"),
            lifetime,
            RUN_STARTS,
        ))
    }
}
