/** API paths that are aliases of others, each with all paths below it. next.config.mjs rewrites them. */
export const API_PATH_ALIASES: readonly { path: string; target: string }[] = [
  { path: "/events", target: "/api/events" },
  { path: "/session", target: "/api/auth/session" },
  { path: "/api/session", target: "/api/auth/session" },
];
