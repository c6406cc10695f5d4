import { API_PATH_ALIASES } from "./lib/server/path-aliases.ts";

/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  productionBrowserSourceMaps: false,
  // lib/server/server.ts does it, with Brotli.
  compress: false,
  // `npm test` checks types, tests included; a start needn't wait for it.
  typescript: { ignoreBuildErrors: true },
  // The image optimizer has had remote-code holes; logos are re-encoded by sharp and served as they are.
  images: { unoptimized: true },
  serverExternalPackages: [
    "formidable",
    "sharp",
    "pg",
    "graphile-worker",
    "@react-pdf/renderer",
    "bcryptjs",
    "pino",
    "prom-client",
    "file-type",
    "@aws-sdk/client-s3",
    "@aws-sdk/lib-storage",
    "nodemailer",
    "rate-limiter-flexible",
    "echarts",
    // Otherwise copied into the code of many routes, each copy in memory.
    "zod",
    "@zxcvbn-ts/core",
    "@zxcvbn-ts/language-common",
    "@formatjs/intl-localematcher",
    "@opentelemetry/api",
    "@prisma/adapter-pg",
    "ipaddr.js",
    "iron-session",
  ],
  // Title, description and link preview stand in the head for everybody. By default, only for bots that Next knows.
  htmlLimitedBots: /./,
  // Of what is too long the form says so and keeps it: lib/design/form-size.ts.
  experimental: {
    serverActions: { bodySizeLimit: "4mb" },
    // Loading every page at the start takes 25 MB of heap and speeds up few first visits (docs/performance.md).
    preloadEntriesOnStart: false,
  },
  // Pages that have become part of another.
  async redirects() {
    return [
      { source: "/e/:slug/invites", destination: "/e/:slug/team#invites", permanent: true },
      { source: "/orgs/:slug/invites", destination: "/orgs/:slug/members#invites", permanent: true },
    ];
  },
  async rewrites() {
    return {
      beforeFiles: API_PATH_ALIASES.map(({ path, target }) => ({
        source: `${path}/:path*`,
        destination: `${target}/:path*`,
      })),
      afterFiles: [],
      fallback: [],
    };
  },
};

export default config;
