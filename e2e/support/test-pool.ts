import pg from "pg";

/**
 * Opens a pool of connections for a test, which the caller ends. Errors of idle connections are ignored: the database
 * can go away before `end`, and also after it, which doesn't wait until connections are closed. Failed queries reject.
 */
export function openTestPool(connectionString = "", max = 3): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, application_name: "heed-test" });
  pool.on("error", () => {});
  return pool;
}
