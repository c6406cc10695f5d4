import type { TestProject } from "vitest/node";
import { spawnTestServer } from "./database.ts";

declare module "vitest" {
  interface ProvidedContext {
    databaseServer: string;
    sharedServices: string;
  }
}

/** Before the first test file: the production build (for tests over HTTP) and a database server. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await spawnTestServer({ build: project.name === "api" });
  project.provide("databaseServer", server.url);
  project.provide("sharedServices", server.services);
  return server.close;
}
