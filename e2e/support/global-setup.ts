import type { TestProject } from "vitest/node";
import { spawnTestServer } from "./database.ts";
import { loadDocumentedErrors, type DocumentedErrors } from "./documented-errors.ts";

declare module "vitest" {
  interface ProvidedContext {
    databaseServer: string;
    sharedServices: string;
    /** Null for tests that send no requests. */
    documentedErrors: DocumentedErrors | null;
  }
}

type Provided = {
  databaseServer: string;
  sharedServices: string;
  documentedErrors: DocumentedErrors | null;
  close(): Promise<void>;
};

/** Each project of Vitest loads this module anew; the projects over HTTP use one database server, the others another. */
const shared = globalThis as typeof globalThis & {
  heedApiTests?: Promise<Provided>;
  heedDomainTests?: Promise<Provided>;
};

/** Runs before the first test file: updates the production build (for tests over HTTP) and starts a database server. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const sendsRequests = project.name.startsWith("api");
  const { close, ...provided } = await (sendsRequests
    ? (shared.heedApiTests ??= start(true))
    : (shared.heedDomainTests ??= start(false)));
  for (const [name, value] of Object.entries(provided)) project.provide(name as keyof typeof provided, value);
  return close;
}

async function start(sendsRequests: boolean): Promise<Provided> {
  const server = await spawnTestServer({ build: sendsRequests });
  let closing: Promise<void> | undefined;
  return {
    databaseServer: server.url,
    sharedServices: server.services,
    // The build has written the table of routes by now.
    documentedErrors: sendsRequests ? await loadDocumentedErrors() : null,
    close: () => (closing ??= server.close()),
  };
}
