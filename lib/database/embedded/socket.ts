import net from "node:net";
import path from "node:path";

/** The socket on which the embedded server listens, in the database's own folder. */

/** Returns the path of the database's socket; undefined on Windows, and where the path is too long for a socket. */
export function findSocketPath(databaseFolder: string): string | undefined {
  const socketPath = path.join(databaseFolder, ".s.PGSQL.5432");
  return Buffer.byteLength(socketPath) <= 100 && process.platform !== "win32" ? socketPath : undefined;
}

/**
 * Checks that no server listens on the database's socket. Pids mean nothing in another container, but a socket on a
 * shared volume connects, whatever the server behind it says. The port of an old server may by now be a stranger's, so
 * a database that listens on a port isn't checked.
 * @throws Error that says what to do
 */
export async function assertNoServerListens(databaseFolder: string): Promise<void> {
  const socketPath = findSocketPath(databaseFolder);
  if (socketPath && (await isListening(socketPath)))
    throw new Error(
      `The database in ${databaseFolder} is in use by a server that isn't among the processes seen here, as when another container has the same volume. A second server would damage the database.\nStop that container first, or run this command inside it (docker compose exec).`,
    );
}

/** Returns whether a process listens there. What a dead server leaves behind refuses the connection. */
function isListening(socketPath: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const connection = net.connect(socketPath, () => {
      connection.destroy();
      resolve(true);
    });
    connection.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(false);
      // Too many connections wait for the server.
      else if (error.code === "EAGAIN") resolve(true);
      else reject(error);
    });
  });
}
