use lasthop_gateway::UnixTime;

use super::GatewayError;
use super::administration::{Administration, bounded};
use super::database::{Database, Value};

/// The criteria for old log messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trim {
    /// Messages before this time, up to the first later one.
    pub before: Option<UnixTime>,
    /// All messages except this number of the newest.
    pub keep: Option<u64>,
    /// Whether messages that a subscription has not acknowledged are removed, too.
    pub even_unread: bool,
}

/// The result of trimming.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trimmed {
    /// The number of removed messages.
    pub gone: u64,
    /// The number of messages kept for a subscription.
    pub held: u64,
    /// The subscription that is furthest behind; what it has not read cannot be deleted.
    pub holder: Option<String>,
    /// Whether disk space is reserved for the next time, if that applies.
    pub has_reserve: Option<bool>,
}

/// So many go at once: whoever writes to the log waits for no more.
const AT_ONCE: i64 = 10_000;
/// On a disk that is full: what is removed is journaled first.
const AT_ONCE_WITHOUT_ROOM: i64 = 500;

impl Administration {
    /// Removes old messages from the log. The positions of other messages do not change. A message is removed if it is
    /// old by every criterion; an unacknowledged one only if `even_unread` is set. On a full disk, the reserved space
    /// is released first.
    ///
    /// # Errors
    /// When the database fails.
    pub fn trim_log(&mut self, trim: &Trim) -> Result<Trimmed, GatewayError> {
        let database = self.database();
        let Some(end) = end_of_old(database, trim)? else {
            return Ok(Trimmed::default());
        };
        let holder = slowest(database)?
            .filter(|(_, next)| *next < end && !trim.even_unread)
            .map(|(name, next)| (name, next, end));
        let end = holder.as_ref().map_or(end, |(_, next, _)| *next);
        let mut trimmed = Trimmed::default();
        if let Some((name, next, old)) = holder {
            trimmed.held = count(database, next, old)?;
            trimmed.holder = (trimmed.held > 0).then_some(name);
        }
        let mut at_once = AT_ONCE;
        loop {
            let some = "SELECT \"offset\" FROM messages WHERE \"offset\" < $1 ORDER BY \"offset\" LIMIT 1 OFFSET $2";
            let values = [end, at_once].map(Value::Number);
            let upto = first_number(database, some, &values)?;
            let delete = "DELETE FROM messages WHERE \"offset\" < $1";
            match database.execute(delete, &[Value::Number(upto.unwrap_or(end))]) {
                Ok(gone) => trimmed.gone += gone,
                Err(GatewayError::Full(_)) if at_once == AT_ONCE && database.make_room()? => {
                    at_once = AT_ONCE_WITHOUT_ROOM;
                    continue;
                }
                Err(error) => return Err(error),
            }
            if upto.is_none() {
                trimmed.has_reserve = match database.give_back() {
                    Err(GatewayError::Full(_)) => Some(false),
                    kept => kept?,
                };
                return Ok(trimmed);
            }
        }
    }
}

/// The place behind the last old message; none where nothing is old.
fn end_of_old(database: &mut dyn Database, trim: &Trim) -> Result<Option<i64>, GatewayError> {
    let newest = "SELECT \"offset\" FROM messages ORDER BY \"offset\" DESC LIMIT 1";
    let Some(newest) = first_number(database, newest, &[])? else {
        return Ok(None);
    };
    let mut end = newest + 1;
    if let Some(UnixTime(before)) = trim.before {
        let young = "SELECT \"offset\" FROM messages WHERE at >= $1 ORDER BY \"offset\" LIMIT 1";
        let values = [Value::Number(bounded(before))];
        end = end.min(first_number(database, young, &values)?.unwrap_or(end));
    }
    if let Some(keep) = trim.keep.filter(|keep| *keep > 0) {
        // The oldest of those that stay; 0 where there are no more than that.
        let kept = "SELECT \"offset\" FROM messages ORDER BY \"offset\" DESC LIMIT 1 OFFSET $1";
        let values = [Value::Number(bounded(keep - 1))];
        end = end.min(first_number(database, kept, &values)?.unwrap_or(0));
    }
    Ok(Some(end))
}

/// The subscription that has read least, and the place of the first message that it has not acknowledged.
fn slowest(database: &mut dyn Database) -> Result<Option<(String, i64)>, GatewayError> {
    let query = "SELECT name, next FROM subscriptions ORDER BY next, name LIMIT 1";
    let found = database.rows(query, &[])?.into_iter().next();
    Ok(found.map(|mut row| (row.text(0), row.number(1))))
}

fn count(database: &mut dyn Database, from: i64, end: i64) -> Result<u64, GatewayError> {
    let query = "SELECT count(*) FROM messages WHERE \"offset\" >= $1 AND \"offset\" < $2";
    let values = [from, end].map(Value::Number);
    Ok(first_number(database, query, &values)?.map_or(0, i64::unsigned_abs))
}

fn first_number(
    database: &mut dyn Database,
    query: &str,
    values: &[Value<'_>],
) -> Result<Option<i64>, GatewayError> {
    let found = database.rows(query, values)?.into_iter().next();
    Ok(found.map(|mut row| row.number(0)))
}
