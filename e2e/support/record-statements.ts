import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import pg from "pg";

/**
 * Loaded into the processes of a whole test run, which names a folder in TEST_STATEMENTS_FOLDER: writes the text of each
 * statement there as it is sent to PostgreSQL for the first time, a line of JSON, for lib/scripts/ran-statements.ts.
 */

const folder = process.env.TEST_STATEMENTS_FOLDER;
if (folder) recordStatements(path.join(folder, `${randomUUID()}.jsonl`));

function recordStatements(file: string): void {
  const texts = new Set<string>();
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function queryAndRecord(this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [string | { text?: string } | undefined];
    const text = typeof statement === "string" ? statement : statement?.text;
    if (text && !texts.has(text)) {
      texts.add(text);
      // At once: a process may be killed.
      fs.appendFileSync(file, `${JSON.stringify(text)}\n`);
    }
    return query.apply(this, args);
  };
}
