import { defineConfig } from "vitest/config";

/** The unit tests of the files that `npm run mutation` changes. */
export default defineConfig({
  test: {
    include: [
      "lib/operation/policy.test.ts",
      "lib/access/visibility.test.ts",
      "lib/incidents/{lifecycle,redaction}.test.ts",
    ],
    // Vite sets BASE_URL to "/", which lib/env.ts would refuse, since its BASE_URL has to be a URL. "" counts as unset.
    env: { BASE_URL: "" },
  },
});
