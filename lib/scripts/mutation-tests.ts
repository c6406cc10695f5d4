import { defineConfig } from "vitest/config";

/** The unit tests of the files that `npm run mutation` changes. */
export default defineConfig({
  test: {
    include: ["lib/operation/{policy,visibility}.test.ts", "lib/incidents/{lifecycle,redaction}.test.ts"],
    // Vite sets it to "/", and to the service it is a URL.
    env: { BASE_URL: "" },
  },
});
