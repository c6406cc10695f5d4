import packageFile from "../package.json" with { type: "json" };

/** The version of this service, from package.json. The build includes a copy of it. */
export const VERSION = packageFile.version;
