import fs from "node:fs";
import path from "node:path";
import satisfies from "spdx-satisfies";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/**
 * Checks that the licenses of all runtime packages allow redistribution. Reads package-lock.json without development
 * packages, and lists each package whose license is neither allowed nor a justified exception.
 */

/** These only require that the notice is kept. */
const ALLOWED_LICENSES = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT-0",
  "PSF-2.0",
  "Python-2.0",
  "Unlicense",
];

type LicenseException = { packages: RegExp; license: string; because: string };

const LICENSE_EXCEPTIONS: LicenseException[] = [
  {
    packages: /^@img\/sharp-(libvips-|wasm32$|win32-)/,
    license: "LGPL-3.0-or-later",
    because: "libvips is a library of its own, beside sharp, and can be replaced.",
  },
  {
    packages: /^libheif-js$/,
    license: "LGPL-3.0",
    because: "A module of its own, unchanged, which can be replaced or left out (docs/decisions/014).",
  },
  {
    packages: /^(exifreader|lightningcss(-.+)?)$/,
    license: "MPL-2.0",
    because: "Unchanged; the terms reach as far as its own files.",
  },
  {
    packages: /^elkjs$/,
    license: "EPL-2.0",
    because: "Comes with Prisma's command and is not loaded by the service.",
  },
  {
    packages: /^@fontsource(-variable)?\//,
    license: "OFL-1.1",
    because: "Fonts, passed on under their own names.",
  },
  { packages: /^caniuse-lite$/, license: "CC-BY-4.0", because: "Data for the build, with its notice." },
  {
    packages: /^@visx\/vendor$/,
    license: "MIT and ISC",
    because: "Both are on the list; only the spelling isn't.",
  },
  {
    packages: /^(png-js|seq-queue)$/,
    license: "",
    because: "MIT by the file LICENSE; package.json doesn't say so.",
  },
];

type LockedPackage = { name: string; license: string };

/** Returns the packages of a lock file that are installed at runtime, on any system. */
export function listLockedRuntimePackages(lock: {
  packages: Record<string, { dev?: boolean; license?: string }>;
}): LockedPackage[] {
  return Object.entries(lock.packages)
    .filter(([place, { dev }]) => place !== "" && !dev)
    .map(([place, { license = "" }]) => ({
      name: place.split("node_modules/").at(-1) ?? "",
      license,
    }));
}

/** Returns one line per problem: packages that nothing allows, and exceptions that are no longer needed. */
export function listLicenseProblems(packages: readonly LockedPackage[]): string[] {
  const unknown = packages.filter((one) => !isAllowed(one.license) && !findException(one));
  const needed = new Set(packages.filter(({ license }) => !isAllowed(license)).map(findException));
  return [
    ...unknown.map(({ name, license }) => `${name}: ${license || "no license"} is not on the list.`),
    ...LICENSE_EXCEPTIONS.filter((one) => !needed.has(one)).map(
      ({ packages, license }) => `Nothing needs the exception ${packages.source} (${license}) anymore.`,
    ),
  ];
}

/** License texts that aren't SPDX expressions can only be allowed by an exception. */
function isAllowed(license: string): boolean {
  try {
    return satisfies(license, ALLOWED_LICENSES);
  } catch {
    return false;
  }
}

function findException({ name, license }: LockedPackage): LicenseException | undefined {
  return LICENSE_EXCEPTIONS.find(
    (one) => one.packages.test(name) && (license === one.license || isCoveredBy(license, one)),
  );
}

/** Returns whether the list and the exception together allow a license, such as `Apache-2.0 AND LGPL-3.0-or-later`. */
function isCoveredBy(license: string, exception: LicenseException): boolean {
  try {
    return satisfies(license, [...ALLOWED_LICENSES, exception.license]);
  } catch {
    return false;
  }
}

if (import.meta.main) {
  const lock = JSON.parse(fs.readFileSync(path.join(PROJECT_ROOT, "package-lock.json"), "utf8"));
  const packages = listLockedRuntimePackages(lock);
  const problems = listLicenseProblems(packages);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${packages.length} packages, and every license is allowed.`);
}
