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

/** Runs before the first test file: updates the production build (for tests over HTTP) and starts a database server. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const sendsRequests = project.name === "api";
  const server = await spawnTestServer({ build: sendsRequests });
  project.provide("databaseServer", server.url);
  project.provide("sharedServices", server.services);
  // The build has written the table of routes by now.
  project.provide("documentedErrors", sendsRequests ? await loadDocumentedErrors() : null);
  return server.close;
}
