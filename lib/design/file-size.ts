import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";

/** Formats a file size in decimal units: "640 kB", "2.4 MB", "5.4 GB". */
export function formatFileSize(bytes: number, locale: Locale = DEFAULT_LOCALE): string {
  const [unit, factor] = UNITS.find(([, from]) => bytes >= from) ?? (["byte", 1] as const);
  const value = bytes / factor;
  const digits = unit === "megabyte" || unit === "gigabyte" ? 1 : 0;
  const format = { style: "unit", unit, unitDisplay: unit === "byte" ? "long" : "short" } as const;
  return new Intl.NumberFormat(locale, { ...format, maximumFractionDigits: digits }).format(value);
}

const UNITS = [
  ["gigabyte", 1e9],
  ["megabyte", 1e6],
  ["kilobyte", 1e3],
] as const;
