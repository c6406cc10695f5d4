import { expect, test } from "vitest";
import { z } from "zod";
import { ProfileChangeInput } from "#lib/accounts/schema.ts";
import { ReportSettingsChangeInput } from "#lib/events/report-settings.ts";
import { EventChangeInput } from "#lib/events/schema.ts";
import audit from "#lib/i18n/messages/en/audit.json" with { type: "json" };
import { OrganizationChangeInput } from "#lib/organizations/schema.ts";
import { SystemSettingsChangeInput } from "#lib/settings/schema.ts";
import { WebhookChangeInput } from "#lib/webhooks/schema.ts";

test.each(
  Object.entries({
    EventChangeInput,
    OrganizationChangeInput,
    ProfileChangeInput,
    ReportSettingsChangeInput,
    SystemSettingsChangeInput,
    WebhookChangeInput,
  }),
)("the audit log has a label for each field of %s", (_, schema) => {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const names = Object.keys(properties).filter((name) => name !== "currentPassword");
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !(`field.${name}` in audit))).toEqual([]);
});
