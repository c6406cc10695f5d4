import { z } from "zod";
import { MessageResponse } from "#lib/accounts/schema.ts";
import { listHiddenIncidentIds } from "#lib/access/readers-queries.ts";
import { loadSystemHealth } from "#lib/admin/health.ts";
import { sendTestMail } from "#lib/admin/mail-test.ts";
import * as queries from "#lib/admin/queries.ts";
import {
  AdminEvent,
  AdminEventsQuery,
  AdminUser,
  AdminUserChangeInput,
  AdminUserDetails,
  AdminUsersQuery,
  SecondFactorResetInput,
  SystemHealth,
  MailTestInput,
  MailTestResult,
  SystemStatistics,
} from "#lib/admin/schema.ts";
import { accountScope } from "#lib/admin/scope.ts";
import { changeSystemSettings } from "#lib/admin/settings.ts";
import { SystemSettingsOutput, SystemSettingsChangeInput } from "#lib/settings/schema.ts";
import {
  DEFAULT_SYSTEM_SETTINGS,
  loadSystemSettings,
  computeSettingsVersion,
} from "#lib/settings/settings.ts";
import { loadSystemStatistics } from "#lib/admin/stats-queries.ts";
import * as users from "#lib/admin/users.ts";
import { globalScope, defineOperation } from "#lib/operation/operation.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";
import { Pagination, buildPaginationFromTotal } from "#lib/operation/fields.ts";

/** System administration (contract 12): SystemAdmin only. */

export const listAllUsers = defineOperation({
  name: "listAllUsers",
  summary: "Search the accounts of the installation",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "admin.manageUsers",
  input: AdminUsersQuery,
  output: z.object({ users: z.array(AdminUser), pagination: Pagination }),
  limit: "search",
  run: async (_, query) => {
    const { users, total } = await queries.listUsers(query);
    return { users, pagination: buildPaginationFromTotal(query, total) };
  },
});

export const showUser = defineOperation({
  name: "showUser",
  summary: "Show an account, its memberships and how it signs in",
  on: accountScope,
  can: "admin.manageUsers",
  output: z.object({ user: AdminUserDetails }),
  run: async ({ userId }) => ({ user: await queries.loadUserDetailsForSystemAdmin(userId) }),
});

export const changeAccount = defineOperation({
  name: "changeAccount",
  summary:
    "Grant or revoke the system role, or disable or enable an account; disabling ends its access immediately",
  ignoresUnknownNames: true,
  on: accountScope,
  can: "admin.manageUsers",
  input: AdminUserChangeInput,
  output: MessageResponse.extend({ user: AdminUserDetails }),
  errors: ["LAST_ADMIN"],
  run: async (context, change) => {
    await users.changeSystemRoleOrDisabled(context, change);
    return {
      message: "The account was changed.",
      user: await queries.loadUserDetailsForSystemAdmin(context.userId),
    };
  },
});

export const resetSecondFactor = defineOperation({
  name: "resetSecondFactor",
  summary: "Reset two-factor sign-in for an account; its sessions end, and its owner is notified",
  on: accountScope,
  can: "admin.resetSecondFactor",
  input: SecondFactorResetInput,
  output: MessageResponse.extend({ user: AdminUserDetails }),
  limit: "login",
  run: async (context, proof) => {
    await users.resetSecondFactor(context, proof);
    return {
      message: "Two-factor sign-in was reset.",
      user: await queries.loadUserDetailsForSystemAdmin(context.userId),
    };
  },
});

export const listAllEvents = defineOperation({
  name: "listAllEvents",
  summary: "Search the events of all organizations, with their numbers of people, incidents and bytes",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "admin.listEvents",
  input: AdminEventsQuery,
  output: z.object({ events: z.array(AdminEvent), pagination: Pagination }),
  limit: "search",
  run: async ({ actor }, query) => {
    const { events, total } = await queries.listEvents(query, actor);
    return { events, pagination: buildPaginationFromTotal(query, total) };
  },
});

export const showSettings = defineOperation({
  name: "showSettings",
  summary: "Show the settings of the installation and their defaults",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "admin.settings",
  output: SystemSettingsOutput,
  version: ({ version }) => version,
  run: readSettingsView,
});

export const updateSettings = defineOperation({
  name: "updateSettings",
  summary: "Change the settings of the installation; null restores the default",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "admin.settings",
  input: SystemSettingsChangeInput,
  output: MessageResponse.extend(SystemSettingsOutput.shape),
  ifMatch: true,
  run: async (context, change) => {
    await changeSystemSettings(context, change);
    return { message: "The settings were saved.", ...(await readSettingsView()) };
  },
});

async function readSettingsView() {
  const values = await loadSystemSettings();
  return { ...values, defaults: DEFAULT_SYSTEM_SETTINGS, version: computeSettingsVersion(values) };
}

export const showStats = defineOperation({
  name: "showStats",
  summary: "Show totals for the whole installation",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "admin.viewStats",
  output: SystemStatistics,
  limit: "search",
  run: ({ actor }) => loadSystemStatistics(new Date(), actor),
});

export const testMail = defineOperation({
  name: "testMail",
  summary: "Send a test email immediately and return the result",
  on: globalScope,
  can: "admin.testMail",
  input: MailTestInput,
  output: MailTestResult,
  run: async (context, { to }) => {
    await consumeLimit("mail-test", context.actor.id);
    return sendTestMail(context, to);
  },
});

export const showHealth = defineOperation({
  name: "showHealth",
  summary: "Show the health of the database, storage, mail, jobs and disk",
  on: globalScope,
  can: "admin.viewHealth",
  output: SystemHealth,
  limit: "search",
  run: async ({ actor }) => loadSystemHealth(await listHiddenIncidentIds(actor)),
});
