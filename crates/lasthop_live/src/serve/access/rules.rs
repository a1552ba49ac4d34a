use lasthop_broker::TopicFilter;

/// What one line of an ACL file allows (mosquitto.conf(5), `acl_file`).
#[derive(Debug)]
pub(super) struct Rule {
    whose: Principal,
    reads: bool,
    writes: bool,
    levels: Vec<Level>,
}

/// What a client wants to do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wish<'a> {
    /// To have all that a filter matches.
    Read(&'a str),
    /// To publish to a topic.
    Write(&'a str),
}

#[derive(Clone, Debug)]
enum Principal {
    Everybody,
    Anonymous,
    User(Box<str>),
}

#[derive(Debug)]
enum Level {
    Text(Box<str>),
    /// `+`
    Any,
    /// `#`
    Rest,
    /// `%u`
    UserName,
    /// `%c`
    ClientId,
}

/// Reads a line: it names the user of the next ones, or is a rule.
pub(super) fn read_line(
    line: &str,
    user: &mut Option<Box<str>>,
    rules: &mut Vec<Rule>,
) -> Result<(), String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let whose = match word {
        "user" if !rest.is_empty() => {
            *user = Some(rest.into());
            return Ok(());
        }
        "topic" => user.clone().map_or(Principal::Anonymous, Principal::User),
        "pattern" => Principal::Everybody,
        _ => return Err(format!("\"{line}\" is no rule; write {EXAMPLE}")),
    };
    rules.push(Rule::read(whose, word == "pattern", rest)?);
    Ok(())
}

const EXAMPLE: &str = "user NAME, topic readwrite TOPIC, or pattern read devices/%u/#";

impl Rule {
    fn read(whose: Principal, is_pattern: bool, text: &str) -> Result<Self, String> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (reads, writes, topic) = match word {
            "read" => (true, false, rest.trim()),
            "write" => (false, true, rest.trim()),
            "readwrite" => (true, true, rest.trim()),
            "deny" => {
                let advice = "deny is not known; leave the topic out of what is allowed";
                return Err(advice.into());
            }
            _ => (true, true, text),
        };
        if TopicFilter::parse(topic).is_err() {
            return Err(format!("\"{topic}\" is no topic filter; write {EXAMPLE}"));
        }
        let level = |text: &str| match text {
            "+" => Level::Any,
            "#" => Level::Rest,
            "%u" if is_pattern => Level::UserName,
            "%c" if is_pattern => Level::ClientId,
            text => Level::Text(text.into()),
        };
        Ok(Self {
            whose,
            reads,
            writes,
            levels: topic.split('/').map(level).collect(),
        })
    }

    pub(super) fn allows(&self, user: Option<&str>, client_id: &str, wish: Wish<'_>) -> bool {
        let is_for = match &self.whose {
            Principal::Everybody => true,
            Principal::Anonymous => user.is_none(),
            Principal::User(name) => user == Some(name),
        };
        let (is_of_kind, wanted) = match wish {
            Wish::Read(filter) => (self.reads, filter),
            Wish::Write(topic) => (self.writes, topic),
        };
        is_for && is_of_kind && self.covers(user, client_id, wanted)
    }

    /// Whether all that a filter matches is allowed; a topic is a filter that matches itself.
    fn covers(&self, user: Option<&str>, client_id: &str, wanted: &str) -> bool {
        let is_wildcard = |text: &str| matches!(text, "+" | "#");
        let mut wanted_levels = wanted.split('/');
        for (depth, level) in self.levels.iter().enumerate() {
            // MQTT-4.7.2-1.
            let is_reserved = depth == 0 && wanted.starts_with('$');
            let is_covered = match (level, wanted_levels.next()) {
                (Level::Rest, _) => return !is_reserved,
                (_, None) => false,
                (Level::Any, Some(wanted)) => wanted != "#" && !is_reserved,
                (Level::Text(text), Some(wanted)) => **text == *wanted,
                (Level::UserName, Some(wanted)) => user == Some(wanted) && !is_wildcard(wanted),
                (Level::ClientId, Some(wanted)) => {
                    client_id == wanted && !wanted.is_empty() && !is_wildcard(wanted)
                }
            };
            if !is_covered {
                return false;
            }
        }
        wanted_levels.next().is_none()
    }
}
