import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import pg from "pg";

/**
 * Loaded into the processes of a whole test run, which names a folder in TEST_STATEMENTS_FOLDER: writes the texts of the
 * statements that they send to PostgreSQL there, for lib/scripts/ran-statements.ts.
 */

const folder = process.env.TEST_STATEMENTS_FOLDER;
if (folder) recordStatements(path.join(folder, `${randomUUID()}.json`));

function recordStatements(file: string): void {
  const texts = new Set<string>();
  let writtenCount = 0;
  const write = () => {
    if (texts.size === writtenCount) return;
    writtenCount = texts.size;
    fs.writeFileSync(file, JSON.stringify([...texts]));
  };
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function queryAndRecord(this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [string | { text?: string } | undefined];
    const text = typeof statement === "string" ? statement : statement?.text;
    if (text) texts.add(text);
    return query.apply(this, args);
  };
  // A process may be killed.
  setInterval(write, 2000).unref();
  process.once("exit", write);
}
