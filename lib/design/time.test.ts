import { expect, test } from "vitest";
import type { Locale } from "#lib/i18n/locales.ts";
import {
  formatDate,
  formatDateTime,
  formatCalendarDate,
  formatMonthAndYear,
  formatDateAndQuarterHourSpan,
  formatRelativeTimeOrQuarterHour,
  isInLaterQuarterHour,
  isQuarterHour,
  formatRelativeTime,
  formatWallClockDateTime,
  createUtcTimeFormatOptions,
} from "./time.ts";

const now = new Date("2026-03-14T14:02:30.000Z");

test("the exact time names its zone, the month its year", () => {
  expect(formatDateTime(now, createUtcTimeFormatOptions())).toBe("14 Mar 2026, 14:02 UTC");
  expect(formatDate(new Date("2025-12-31T23:59:59.999Z"), createUtcTimeFormatOptions())).toBe("31 Dec 2025");
  expect(formatMonthAndYear("2026-01")).toBe("Jan 2026");
});

test.each([
  ["en", "Europe/Berlin", "2026-03-29T00:59:00Z", "29 Mar 2026, 01:59 CET"],
  ["en", "Europe/Berlin", "2026-03-29T01:00:00Z", "29 Mar 2026, 03:00 CEST"],
  ["en", "America/New_York", "2026-11-01T05:30:00Z", "1 Nov 2026, 01:30 EDT"],
  ["en", "America/New_York", "2026-11-01T06:30:00Z", "1 Nov 2026, 01:30 EST"],
  ["en", "Pacific/Auckland", "2026-12-31T11:00:00Z", "1 Jan 2027, 00:00 NZDT"],
  ["en", "America/Sao_Paulo", "2026-07-01T02:00:00Z", "30 Jun 2026, 23:00 GMT-3"],
  ["de", "Europe/Berlin", "2026-07-01T10:00:00Z", "1. Juli 2026, 12:00 MESZ"],
  ["fr", "Europe/Paris", "2026-01-01T10:00:00Z", "1 janv. 2026, 11:00 CET"],
  ["es", "America/Bogota", "2026-01-01T10:00:00Z", "1 ene 2026, 05:00 GMT-5"],
])("in %s and %s, %s is %s", (locale, timeZone, at, expected) => {
  expect(formatDateTime(new Date(at), { locale: locale as Locale, timeZone })).toBe(expected);
});

test("a day begins at midnight of the zone", () => {
  const at = new Date("2026-07-04T22:30:00Z");
  const days = ["Europe/Berlin", "America/New_York"].map((timeZone) =>
    formatDate(at, { locale: "en", timeZone }),
  );
  expect(days).toEqual(["5 Jul 2026", "4 Jul 2026"]);
  expect(formatCalendarDate("2026-07-04", "de")).toBe("4. Juli 2026");
});

test("a time from a form is shown without a zone", () => {
  expect(formatWallClockDateTime("2026-11-20T10:00")).toBe("20 Nov 2026, 10:00");
  expect(formatWallClockDateTime("2026-11-20T10:00", "de")).toBe("20. Nov. 2026, 10:00");
  expect(formatWallClockDateTime("12026-11-20T10:00", "fr")).toBe("12026-11-20T10:00");
});

test.each([
  ["2026-03-14T14:02:00.000Z", "just now"],
  ["2026-03-14T14:01:30.000Z", "1 min ago"],
  ["2026-03-14T13:02:31.000Z", "59 min ago"],
  ["2026-03-14T11:02:30.000Z", "3 h ago"],
  ["2026-03-13T14:02:30.000Z", "1 day ago"],
  ["2026-03-08T10:00:00.000Z", "6 days ago"],
  ["2026-02-12T14:02:30.000Z", "12 Feb 2026"],
  ["2026-03-14T19:30:00.000Z", "in 5 h"],
  ["2026-05-01T00:00:00.000Z", "1 May 2026"],
])("%s is %s", (at, expected) => {
  expect(formatRelativeTime(new Date(at), now, createUtcTimeFormatOptions())).toBe(expected);
});

// 47 hours from Saturday afternoon end on Monday: no language says "tomorrow".
test.each([
  ["en", "in 1 day", "1 day ago"],
  ["de", "in 1 Tag", "vor 1 Tag"],
  ["es", "dentro de 1 día", "hace 1 día"],
  ["fr", "dans 1 jour", "il y a 1 jour"],
  ["ar", "خلال يوم واحد", "قبل يوم واحد"],
] as const)("in %s, a distance of less than two days is one day", (locale, ahead, ago) => {
  const relative = (hours: number) =>
    formatRelativeTime(new Date(now.getTime() + hours * 3_600_000), now, { locale, timeZone: "UTC" });
  expect([relative(47), relative(-47)]).toEqual([ahead, ago]);
});

const berlin = (locale: Locale) => ({ locale, timeZone: "Europe/Berlin" });

test.each([
  ["en", "15:00–15:15", "14 Mar 2026, 15:00–15:15 CET"],
  ["de", "15:00–15:15", "14. März 2026, 15:00–15:15 MEZ"],
  ["fr", "15:00–15:15", "14 mars 2026, 15:00–15:15 CET"],
  ["es", "15:00–15:15", "14 mar 2026, 15:00–15:15 CET"],
  ["ar", "03:00 م–03:15 م", "14 مارس 2026، 03:00 م–03:15 م CET"],
] as const)("in %s, a rounded time of the last hour is its quarter of an hour", (locale, span, exact) => {
  const at = new Date("2026-03-14T14:00:00.000Z");
  expect(formatRelativeTimeOrQuarterHour(at, now, berlin(locale))).toBe(span);
  expect(formatDateAndQuarterHourSpan(at, berlin(locale))).toBe(exact);
});

test.each([
  // A reply from a mailbox is dated just after the message that it replies to.
  ["2026-03-14T14:01:07.124Z", "14:01–14:15"],
  ["2026-03-14T13:45:00.001Z", "13:45–14:00"],
  ["2026-03-14T13:02:30.000Z", "1 h ago"],
  ["2026-03-08T10:00:00.000Z", "6 days ago"],
])("the rounded time %s is %s", (at, expected) => {
  expect(formatRelativeTimeOrQuarterHour(new Date(at), now, createUtcTimeFormatOptions())).toBe(expected);
});

test.each([
  ["2026-03-14T14:15:00.000Z", true],
  ["2026-03-14T14:15:00.001Z", false],
  ["2026-03-14T14:10:00.000Z", false],
])("only the beginning of a quarter of an hour is rounded: %s", (at, expected) => {
  expect(isQuarterHour(at)).toBe(expected);
});

test("the milliseconds that keep files in their order are no later quarter of an hour", () => {
  const report = "2026-03-14T14:15:00.000Z";
  expect(isInLaterQuarterHour("2026-03-14T14:15:00.010Z", report)).toBe(false);
  expect(isInLaterQuarterHour("2026-03-14T14:30:00.001Z", report)).toBe(true);
});
