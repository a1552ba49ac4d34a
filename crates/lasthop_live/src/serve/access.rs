//! Who may use a server: passwords and rules in the files that mosquitto has for them.

mod failures;
mod hashing;
mod passwords;
mod rules;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_broker::{
    Admission, Authority, Client, Credentials, Identity, Readiness, Refusal, TopicFilter,
};
use lasthop_units::Instant;
use sha2::{Digest, Sha512};
use thiserror::Error;

use failures::{Failures, Who};
use hashing::Check;
pub(crate) use hashing::Hashing;
use passwords::Secret;
use rules::{Rule, Wish};

/// Users with their passwords and permissions.
///
/// Everybody is served until a user or a password file is added, though it be one without users: from then on those who show
/// nothing are refused, unless they are allowed. Without rules who is served may do everything.
#[derive(Debug, Default)]
pub struct Access {
    users: Vec<User>,
    /// Whether it was said who is served: by a user, or by a file of any number of them.
    knows_users: bool,
    by_name: BTreeMap<Box<str>, Identity>,
    allows_anonymous: bool,
    rules: Option<Vec<Rule>>,
    /// How many hashes the password takes that takes most.
    most_effort: u32,
    failures: RefCell<Failures>,
    /// How many hashes were made for passwords that were wrong.
    spent: Cell<u64>,
    /// What checks passwords, where that takes long.
    hashing: Option<Hashing>,
}

#[derive(Debug)]
struct User {
    name: Box<str>,
    secret: Arc<Secret>,
    /// A hash of what was shown last and was right: CoAP shows it with each request.
    shown_last: Cell<Option<Shown>>,
}

/// One hash, where a password file may ask for many.
type Shown = [u8; 64];

/// Something in a file of passwords or rules that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {why}")]
pub struct AccessError {
    /// The line, from 1.
    pub line: usize,
    /// The problem and the remedy.
    pub why: String,
}

impl Access {
    /// Adds a user by its password.
    pub fn add_user(&mut self, name: &str, password: &str) {
        self.knows_users = true;
        self.add(name, Secret::Plain(password.as_bytes().into()));
    }

    /// Adds the users of a password file, as `mosquitto_passwd` writes it.
    ///
    /// # Errors
    /// For a line that is none of such a file.
    pub fn add_password_file(&mut self, text: &str) -> Result<(), AccessError> {
        self.knows_users = true;
        for (line, text) in meant_lines(text) {
            let (name, secret) = passwords::read_line(text).map_err(|why| AccessError {
                line,
                why: why.into(),
            })?;
            self.add(name, secret);
        }
        Ok(())
    }

    /// Adds the rules of an ACL file of mosquitto: `user`, `topic` and `pattern`.
    ///
    /// # Errors
    /// For a line that is none of such a file, or that this server does not know.
    pub fn add_acl_file(&mut self, text: &str) -> Result<(), AccessError> {
        let mut rules = self.rules.take().unwrap_or_default();
        let mut user = None;
        for (line, text) in meant_lines(text) {
            rules::read_line(text, &mut user, &mut rules)
                .map_err(|why| AccessError { line, why })?;
        }
        self.rules = Some(rules);
        Ok(())
    }

    /// Allows clients without credentials.
    pub const fn allow_anonymous(&mut self) {
        self.allows_anonymous = true;
    }

    /// Whether everybody may do everything.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        !self.knows_users && self.rules.is_none()
    }

    fn add(&mut self, name: &str, secret: Secret) {
        self.most_effort = self.most_effort.max(secret.effort());
        let user = User {
            name: name.into(),
            secret: Arc::new(secret),
            shown_last: Cell::new(None),
        };
        // Identity 0 is anybody's.
        self.users.push(user);
        let identity = Identity(self.users.len() as u32);
        self.by_name.insert(name.into(), identity);
    }

    /// Whether a password takes long to check.
    pub(crate) const fn is_costly(&self) -> bool {
        self.most_effort > 1
    }

    /// Has passwords checked beside.
    pub(crate) fn check_beside(&mut self, hashing: Hashing) {
        self.hashing = Some(hashing);
    }

    /// Whether this is the password of a user.
    fn is_password(&self, user: Option<&User>, who: Who, shown: &[u8]) -> bool {
        let is_right = user.is_some_and(|user| user.is_known_to_show(shown))
            || self
                .hashing
                .as_ref()
                .and_then(|hashing| hashing.take(who, shown))
                .unwrap_or_else(|| {
                    let secret = user.map(|user| &*user.secret);
                    Secret::is_or_as_long(secret, shown, self.most_effort)
                });
        match user {
            Some(user) if is_right => user.remember(shown),
            _ => {
                let spent = self.spent.get() + u64::from(self.most_effort);
                self.spent.set(spent);
            }
        }
        is_right
    }

    fn named(&self, name: &[u8]) -> Option<Identity> {
        let name = str::from_utf8(name).ok()?;
        self.by_name.get(name).copied()
    }

    fn user(&self, identity: Identity) -> Option<&User> {
        let place = (identity.0 as usize).checked_sub(1)?;
        self.users.get(place)
    }

    fn allows(&self, client: Client<'_>, wish: Wish<'_>) -> bool {
        let Some(rules) = &self.rules else {
            return true;
        };
        let user = self.user(client.identity).map(|user| &*user.name);
        let mut rules = rules.iter();
        rules.any(|rule| rule.allows(user, client.client_id, wish))
    }
}

impl User {
    /// Whether this is its password as far as that is known without long work.
    fn is_known_to_show(&self, shown: &[u8]) -> bool {
        match self.secret.effort() {
            0 | 1 => self.secret.is(shown),
            _ => self.shown_last.get() == Some(Sha512::digest(shown).into()),
        }
    }

    /// It has shown its password.
    fn remember(&self, shown: &[u8]) {
        if self.secret.effort() > 1 {
            self.shown_last.set(Some(Sha512::digest(shown).into()));
        }
    }
}

impl Authority for Access {
    fn identify(&self, now: Instant, credentials: &Credentials<'_>) -> Result<Admission, Refusal> {
        if !self.knows_users {
            return Ok(Identity::ANONYMOUS.into());
        }
        let Some(name) = credentials.user_name else {
            return match self.allows_anonymous {
                true => Ok(Identity::ANONYMOUS.into()),
                false => Err(Refusal::NoCredentials),
            };
        };
        let who = Failures::key(name, credentials.address);
        if !self.failures.borrow_mut().may_try(now, &who) {
            return Err(Refusal::BadCredentials);
        }
        let identity = self.named(name);
        let user = identity.and_then(|identity| self.user(identity));
        let shown = credentials.password.unwrap_or_default();
        let is_right = self.is_password(user, who, shown);
        self.failures.borrow_mut().note(now, who, is_right);
        let identity = identity.filter(|_| is_right);
        Ok(identity.ok_or(Refusal::BadCredentials)?.into())
    }

    fn readiness(&self, now: Instant, credentials: &Credentials<'_>) -> Readiness {
        let (Some(hashing), Some(name)) = (&self.hashing, credentials.user_name) else {
            return Readiness::Ready;
        };
        let who = Failures::key(name, credentials.address);
        let user = self.named(name).and_then(|it| self.user(it));
        let shown = credentials.password.unwrap_or_default();
        let is_known = user.is_some_and(|user| user.is_known_to_show(shown));
        if is_known || !self.failures.borrow_mut().may_try(now, &who) {
            return Readiness::Ready;
        }
        hashing.ask(Check {
            who,
            shown: shown.into(),
            secret: user.map(|user| Arc::clone(&user.secret)),
            effort: self.most_effort,
        })
    }

    fn checks_done(&self) -> u64 {
        self.hashing.as_ref().map_or(0, Hashing::done)
    }

    fn may_publish(&self, client: Client<'_>, topic: &str) -> bool {
        self.allows(client, Wish::Write(topic))
    }

    fn may_subscribe(&self, client: Client<'_>, filter: &TopicFilter<'_>) -> bool {
        self.allows(client, Wish::Read(filter.filter()))
    }
}

/// The lines of a file that say something, with their numbers.
fn meant_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // Editors of Windows begin a file with it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = (1..).zip(text.lines().map(str::trim));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use core::net::Ipv4Addr;

    use lasthop_units::Duration;

    use super::*;

    /// As `mosquitto_passwd` 2.0.11 writes it, of the passwords `secret` and `%$ :x`, the second with `-H sha512`.
    const FILE: &str = include_str!("access/passwords.txt");

    fn shown<'a>(name: &'a str, password: &'a str) -> Credentials<'a> {
        Credentials {
            user_name: Some(name.as_bytes()),
            password: Some(password.as_bytes()),
            ..Credentials::default()
        }
    }

    fn identified(access: &Access, shown: &Credentials<'_>) -> Result<Identity, Refusal> {
        let admission = access.identify(Instant::ZERO, shown)?;
        Ok(admission.identity)
    }

    #[test]
    fn users_of_mosquittos_file_are_known_by_their_passwords() {
        let mut access = Access::default();
        access.add_password_file(FILE).expect("it is one");
        let [ann, bob] = [shown("ann", "secret"), shown("bob", "%$ :x")];
        assert_eq!(identified(&access, &ann), Ok(Identity(1)));
        assert_eq!(identified(&access, &bob), Ok(Identity(2)));
        for (name, password) in [
            ("ann", "%$ :x"),
            ("ann", "secret\0"),
            ("bob", "%$ :x\0"),
            ("ann", ""),
            ("eve", "secret"),
            ("", ""),
        ] {
            let refused = identified(&access, &shown(name, password));
            assert_eq!(refused, Err(Refusal::BadCredentials), "{name} {password}");
        }
        let nothing = Credentials::default();
        assert_eq!(identified(&access, &nothing), Err(Refusal::NoCredentials));
        access.allow_anonymous();
        assert_eq!(identified(&access, &nothing), Ok(Identity::ANONYMOUS));
        assert!(identified(&access, &shown("ann", "guess")).is_err());
    }

    #[test]
    fn a_password_that_was_right_is_right_again_and_no_other() {
        let mut access = Access::default();
        access.add_password_file(FILE).expect("it is one");
        for _ in 0..3 {
            assert_eq!(
                identified(&access, &shown("ann", "secret")),
                Ok(Identity(1))
            );
            assert!(identified(&access, &shown("ann", "secret ")).is_err());
            assert!(identified(&access, &shown("bob", "secret")).is_err());
        }
    }

    #[test]
    fn known_and_unknown_names_cost_the_same_hashes() {
        let mut access = Access::default();
        access.add_password_file(FILE).expect("it is one");
        access.add_user("cid", "plain");
        let mut costs = Vec::new();
        for (place, name) in ["ann", "bob", "cid", "eve", ""].into_iter().enumerate() {
            let before = access.spent.get();
            let address = Some(Ipv4Addr::new(192, 0, 2, place as u8).into());
            let guess = Credentials {
                address,
                ..shown(name, "guess\0")
            };
            assert!(identified(&access, &guess).is_err());
            costs.push(access.spent.get() - before);
        }
        assert_eq!(costs, [101; 5]);
    }

    #[test]
    fn whoever_guesses_waits_longer_each_time_and_nobody_else_does() {
        let mut access = Access::default();
        access.add_user("ann", "secret");
        let [here, there] = [7, 8].map(|last| Some(Ipv4Addr::new(192, 0, 2, last).into()));
        let ask = |seconds: u64, password, address| {
            let now = Instant::ZERO + Duration::from_millis(500) + Duration::from_secs(seconds);
            let credentials = Credentials {
                address,
                ..shown("ann", password)
            };
            access.identify(now, &credentials).is_ok()
        };
        for _ in 0..3 {
            assert!(!ask(0, "guess", here));
        }
        let before = access.spent.get();
        assert!(!ask(0, "secret", here), "it is too soon, whatever is shown");
        assert_eq!(access.spent.get(), before);
        assert!(ask(0, "secret", there));
        assert!(!ask(1, "guess", here), "a second is over");
        assert!(!ask(2, "secret", here), "the next wait is of two");
        assert!(ask(3, "secret", here));
        // Whoever knew it begins anew.
        for _ in 0..3 {
            assert!(!ask(3, "guess", here));
        }
        assert!(!ask(3, "secret", here));
        assert!(ask(3 + 600, "secret", here));
    }

    #[test]
    fn a_password_file_without_users_serves_nobody() {
        for file in ["", "# nobody yet\n\n"] {
            let mut access = Access::default();
            access.add_password_file(file).expect("it is one");
            assert!(!access.is_open(), "{file:?}");
            let nothing = Credentials::default();
            let refused = identified(&access, &nothing);
            assert_eq!(refused, Err(Refusal::NoCredentials), "{file:?}");
            access.allow_anonymous();
            assert_eq!(identified(&access, &nothing), Ok(Identity::ANONYMOUS));
            let refused = identified(&access, &shown("ann", "secret"));
            assert_eq!(refused, Err(Refusal::BadCredentials), "{file:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_none_of_the_first_line() {
        let mut access = Access::default();
        let marked = |text: &str| format!("\u{feff}{text}");
        access.add_password_file(&marked(FILE)).expect("it is one");
        assert_eq!(
            identified(&access, &shown("ann", "secret")),
            Ok(Identity(1))
        );
        access.add_acl_file(&marked(RULES)).expect("they are rules");
    }

    #[test]
    fn who_has_two_passwords_has_the_last_one() {
        let mut access = Access::default();
        access.add_user("ann", "old");
        access.add_user("ann", "new");
        assert!(identified(&access, &shown("ann", "old")).is_err());
        assert_eq!(identified(&access, &shown("ann", "new")), Ok(Identity(2)));
    }

    #[test]
    fn a_line_that_cannot_be_used_is_named() {
        let mut access = Access::default();
        for (text, line) in [
            ("ann", 1),
            ("# users\n\nann:secret", 3),
            ("ann:$7$101$c2FsdA==", 1),
            ("ann:$7$many$c2FsdA==$aGFzaA==", 1),
            ("ann:$7$100001$c2FsdA==$aGFzaA==", 1),
            ("ann:$7$101$?$aGFzaA==", 1),
            (":$6$c2FsdA==$aGFzaA==", 1),
        ] {
            let error = access.add_password_file(text).expect_err(text);
            assert_eq!(error.line, line, "{text}");
        }
        for (text, line) in [
            ("user", 1),
            ("user ann\ntopic", 2),
            ("topic a/#/b", 1),
            ("topic deny a", 1),
            ("pattern write a/%u+", 1),
            ("allow a", 1),
        ] {
            let error = access.add_acl_file(text).expect_err(text);
            assert_eq!(error.line, line, "{text}");
        }
    }

    const RULES: &str = "topic read news/#
        user ann
        topic house/+/lamp
        topic read $SYS/#
        topic write log/my file
        pattern readwrite own/%u/#
        pattern write id/%c
        user bob
        topic readwrite #";

    fn may(name: Option<&str>, client_id: &str, wish: Wish<'_>) -> bool {
        let mut access = Access::default();
        access.add_user("ann", "");
        access.add_user("bob", "");
        access.add_acl_file(RULES).expect("they are rules");
        let identity = name.map_or(Identity::ANONYMOUS, |name| access.by_name[name]);
        let client = Client {
            identity,
            client_id,
        };
        match wish {
            Wish::Write(topic) => access.may_publish(client, topic),
            Wish::Read(filter) => {
                let filter = TopicFilter::parse(filter).expect("it is a filter");
                access.may_subscribe(client, &filter)
            }
        }
    }

    #[test]
    fn rules_are_those_of_a_user_of_all_users_or_of_nobody() {
        use Wish::{Read, Write};
        let (ann, bob) = (Some("ann"), Some("bob"));
        for (name, wish, is_allowed) in [
            (None, Read("news/today"), true),
            (None, Read("news"), true),
            (None, Write("news/today"), false),
            (None, Read("house/1/lamp"), false),
            (ann, Read("news/today"), false),
            (ann, Read("house/1/lamp"), true),
            (ann, Write("house/1/lamp"), true),
            (ann, Write("house/1/door"), false),
            (ann, Write("log/my file"), true),
            (ann, Read("log/my file"), false),
            (ann, Write("own/ann/x"), true),
            (ann, Write("own/bob/x"), false),
            (None, Write("own//x"), false),
            (bob, Write("own/bob"), true),
            (bob, Write("anything"), true),
            (bob, Read("$SYS/load"), false),
            (ann, Read("$SYS/load"), true),
            (None, Write("id/c"), true),
            (None, Write("id/d"), false),
        ] {
            assert_eq!(may(name, "c", wish), is_allowed, "{name:?} {wish:?}");
        }
    }

    #[test]
    fn a_filter_is_allowed_where_all_that_it_matches_is() {
        use Wish::Read;
        let (ann, bob) = (Some("ann"), Some("bob"));
        for (name, filter, is_allowed) in [
            (None, "news/#", true),
            (None, "news/+/x", true),
            (None, "$share/g/news/#", true),
            (None, "#", false),
            (None, "+/today", false),
            (None, "+/#", false),
            (ann, "house/+/lamp", true),
            (ann, "house/#", false),
            (ann, "house/+/+", false),
            (ann, "own/ann/#", true),
            (ann, "own/+/x", false),
            (bob, "#", true),
            (bob, "+/+", true),
            (bob, "$SYS/#", false),
        ] {
            assert_eq!(may(name, "c", Read(filter)), is_allowed, "{filter}");
        }
        // Who calls itself by a wildcard has no more than others.
        assert!(!may(None, "+", Read("id/+")));
    }
}
