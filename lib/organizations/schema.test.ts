import { expect, test, vi } from "vitest";
import {
  NewOrganizationInput,
  Organization,
  OrganizationChangeInput,
  toOrganizationRecord,
} from "./schema.ts";

// URLs in responses come from BASE_URL alone, which is read when the first module loads.
vi.hoisted(() => {
  process.env.BASE_URL = "https://heed.example.org";
});

test("a new organization needs a name and a slug; the rest is null when missing or blank", () => {
  expect(NewOrganizationInput.parse({ name: " Rust Days ", slug: "rust-days", website: " " })).toEqual({
    name: "Rust Days",
    slug: "rust-days",
    description: null,
    website: null,
    joinAsAdmin: false,
  });
  expect(NewOrganizationInput.safeParse({ name: "   ", slug: "rust-days" }).success).toBe(false);
});

test("a change holds exactly what was given and never the slug", () => {
  expect(OrganizationChangeInput.parse({ slug: "other", description: "" })).toEqual({ description: null });
  expect(OrganizationChangeInput.safeParse({ name: null }).success).toBe(false);
});

test("an organization is shown with its logo's address and times as text", () => {
  const at = new Date("2026-01-02T03:04:05.678Z");
  const row = {
    id: "o1",
    name: "A",
    slug: "a",
    description: null,
    website: null,
    requireSecondFactor: false,
    conflictCheck: false,
    createdAt: at,
    updatedAt: at,
  };
  const shown = Organization.parse(toOrganizationRecord({ ...row, logoKey: "12345678-aaaa" }));
  expect(shown).toEqual({
    ...row,
    logoUrl: "https://heed.example.org/api/organizations/o1/logo?v=12345678",
    createdAt: "2026-01-02T03:04:05.678Z",
    updatedAt: "2026-01-02T03:04:05.678Z",
  });
  expect(toOrganizationRecord({ ...row, logoKey: null }).logoUrl).toBeNull();
});
