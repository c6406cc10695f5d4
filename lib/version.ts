import packageFile from "../package.json" with { type: "json" };

/** The version of this service, as in package.json. The build holds a copy of it. */
export const VERSION = packageFile.version;
