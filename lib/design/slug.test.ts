import { expect, test } from "vitest";
import { MAX_SLUG_LENGTH, slugify } from "./slug.ts";

test.each([
  ["Harbour Conf 2027: Lisboa!", "harbour-conf-2027-lisboa"],
  ["  Café – Zürich  ", "cafe-zurich"],
  ["Straße & Ærø", "strasse-aero"],
  ["Ana’s meetup", "anas-meetup"],
  ["--- ---", ""],
  ["Конференция", ""],
  ["A", ""],
])("%j suggests %j", (name, slug) => {
  expect(slugify(name)).toBe(slug);
});

test("a long name is cut without a trailing hyphen", () => {
  const slug = slugify(`${"a".repeat(MAX_SLUG_LENGTH - 1)} and more`);
  expect(slug).toBe("a".repeat(MAX_SLUG_LENGTH - 1));
});
