use postgres::Client;

use super::{PostgresServer, SERVER_LOCK};
use crate::gateway::GatewayError;

/// The version of a database that has been through all of [`STEPS`].
const VERSION: i64 = STEPS.len() as i64;

/// What makes each version of the one before. What was written here once stays as it is.
const STEPS: [&str; 2] = ["
    CREATE TABLE lasthop_gateway.devices (path TEXT PRIMARY KEY, device TEXT NOT NULL UNIQUE, keys TEXT NOT NULL, attaches TEXT);
    CREATE TABLE lasthop_gateway.configs (path TEXT PRIMARY KEY, version BIGINT NOT NULL, payload BYTEA NOT NULL);
    CREATE TABLE lasthop_gateway.messages (
        \"offset\" BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
        device TEXT NOT NULL, at BIGINT NOT NULL, kind TEXT NOT NULL, folder TEXT NOT NULL, payload BYTEA NOT NULL
    );
    CREATE TABLE lasthop_gateway.subscriptions (name TEXT PRIMARY KEY, next BIGINT NOT NULL);
    CREATE TABLE lasthop_gateway.changes (
        number BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
        what TEXT NOT NULL, path TEXT NOT NULL, folder TEXT NOT NULL, payload BYTEA NOT NULL
    );
    CREATE TABLE lasthop_gateway.bindings (gateway TEXT NOT NULL, device TEXT NOT NULL, PRIMARY KEY (gateway, device));
",
    "
    ALTER TABLE lasthop_gateway.devices ADD COLUMN blocked BIGINT NOT NULL DEFAULT 0;
"];

/// Creates the tables if missing and checks their version.
///
/// # Errors
/// When they are of a newer one or of something else, or the server does not keep what it acknowledges; nothing is changed then.
pub(super) fn check(server: &PostgresServer, client: &mut Client) -> Result<(), GatewayError> {
    check_server(server, client)?;
    if version_of(server, client)? < VERSION {
        create(server, client)?;
    }
    Ok(())
}

/// What is acknowledged has to be on the disk, and every name has to fit.
fn check_server(server: &PostgresServer, client: &mut Client) -> Result<(), GatewayError> {
    let ask = "SELECT current_setting('fsync'), current_setting('server_encoding')";
    let row = client.query_one(ask, &[]);
    let row = row.map_err(|error| server.failed(&error))?;
    let [syncs, encoding] = [0, 1].map(|column| row.try_get::<_, String>(column));
    if syncs.is_ok_and(|it| it != "on") {
        let why = "this server writes with fsync=off, and what it has acknowledged would be lost with its power; set fsync=on";
        return Err(server.foreign(why));
    }
    if encoding.is_ok_and(|it| it != "UTF8") {
        let why = "this database cannot hold every text; create one by: createdb --encoding UTF8 --template template0";
        return Err(server.foreign(why));
    }
    Ok(())
}

/// The version of the tables that are there; 0 for none.
fn version_of(server: &PostgresServer, client: &mut Client) -> Result<i64, GatewayError> {
    let fail = |error| server.failed(&error);
    let ask = "SELECT to_regclass('lasthop_gateway.version') IS NOT NULL, EXISTS (
            SELECT FROM pg_class WHERE relnamespace = to_regnamespace('lasthop_gateway')
        )";
    let row = client.query_one(ask, &[]).map_err(fail)?;
    let has_version: bool = row.try_get(0).map_err(fail)?;
    let has_something: bool = row.try_get(1).map_err(fail)?;
    if !has_version {
        let why = "its schema lasthop_gateway is none of a gateway; name another database";
        return if has_something {
            Err(server.foreign(why))
        } else {
            Ok(0)
        };
    }
    let ask = "SELECT version FROM lasthop_gateway.version";
    let row = client.query_opt(ask, &[]).map_err(fail)?;
    let version = row.map_or(Ok(0), |row| row.try_get(0)).map_err(fail)?;
    if version > VERSION {
        return Err(GatewayError::newer(&server.name, version, VERSION));
    }
    Ok(version)
}

fn create(server: &PostgresServer, client: &mut Client) -> Result<(), GatewayError> {
    let fail = |error| server.failed(&error);
    // One at a time, and who comes second finds it done.
    let lock = format!("BEGIN; SELECT pg_advisory_xact_lock({SERVER_LOCK}::INT, 1)");
    client.batch_execute(&lock).map_err(fail)?;
    let done = usize::try_from(version_of(server, client)?).unwrap_or(STEPS.len());
    if done == 0 {
        let has_schema = "SELECT to_regnamespace('lasthop_gateway') IS NOT NULL";
        let row = client.query_one(has_schema, &[]).map_err(fail)?;
        // Whoever looks after the server may have made it, for a role that may not.
        if !row.try_get::<_, bool>(0).map_err(fail)? {
            client
                .batch_execute("CREATE SCHEMA lasthop_gateway")
                .map_err(fail)?;
        }
        let table = "CREATE TABLE lasthop_gateway.version (version BIGINT NOT NULL);
            INSERT INTO lasthop_gateway.version VALUES (0)";
        client.batch_execute(table).map_err(fail)?;
    }
    for step in STEPS.iter().skip(done) {
        client.batch_execute(step).map_err(fail)?;
    }
    let set = "UPDATE lasthop_gateway.version SET version = $1";
    client.execute(set, &[&VERSION]).map_err(fail)?;
    client.batch_execute("COMMIT").map_err(fail)
}
