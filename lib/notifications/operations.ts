import { z } from "zod";
import { MessageResponse } from "#lib/accounts/schema.ts";
import { globalScope, createContainerScope, defineOperation } from "#lib/operation/operation.ts";
import { Pagination, buildPaginationFromTotal } from "#lib/operation/fields.ts";
import * as notifications from "#lib/notifications/notifications.ts";
import * as queries from "#lib/notifications/queries.ts";
import {
  NotificationOutput,
  NotificationsQuery,
  NotificationSetting,
  NotificationSettingsChangeInput,
} from "#lib/notifications/schema.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";
import type { PermissionSubject } from "#lib/operation/policy.ts";

/** A person's notifications and their settings (contract 11.1). */

const notificationScope = createContainerScope(
  async (params): Promise<PermissionSubject & { notificationId: string }> => ({
    notificationId: parsePathIdOrNilUuid(params.id),
  }),
);

export const listNotifications = defineOperation({
  name: "listNotifications",
  summary: "List your notifications, newest first, with the number of unread ones",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "notification.own",
  input: NotificationsQuery,
  output: z.object({ notifications: z.array(NotificationOutput), unread: z.int(), pagination: Pagination }),
  run: async ({ actor }, query) => {
    const listing = await queries.listNotifications(actor, query);
    return { ...listing, pagination: buildPaginationFromTotal(query, listing.total) };
  },
});

/** The number of unread notifications for the layout of every page, in one query; API clients read it from the list. */
export const countNotifications = defineOperation({
  name: "countNotifications",
  summary: "Count your unread notifications",
  on: globalScope,
  can: "notification.own",
  output: z.object({ unread: z.int() }),
  run: async ({ actor }) => ({ unread: await queries.countUnreadNotifications(actor) }),
});

export const markNotificationRead = defineOperation({
  name: "markNotificationRead",
  summary: "Mark a notification as read",
  ignoresUnknownNames: true,
  on: notificationScope,
  can: "notification.own",
  output: z.object({ notification: NotificationOutput, unread: z.int() }),
  run: async ({ actor, notificationId }) => ({
    notification: await notifications.markNotificationRead(actor, notificationId),
    unread: await queries.countUnreadNotifications(actor),
  }),
});

export const markAllNotificationsRead = defineOperation({
  name: "markAllNotificationsRead",
  summary: "Mark all your notifications as read",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "notification.own",
  output: MessageResponse.extend({ unread: z.int() }),
  run: async ({ actor }) => ({
    message: "All notifications were marked as read.",
    unread: await notifications.markAllNotificationsRead(actor),
  }),
});

export const removeNotification = defineOperation({
  name: "removeNotification",
  summary: "Remove a notification from your list",
  ignoresUnknownNames: true,
  on: notificationScope,
  can: "notification.own",
  output: z.undefined(),
  status: 204,
  run: async ({ actor, notificationId }) => {
    await notifications.removeNotification(actor, notificationId);
    return undefined;
  },
});

const NotificationSettingsResponse = z.object({ settings: z.array(NotificationSetting) });

export const showNotificationSettings = defineOperation({
  name: "showNotificationSettings",
  summary: "Show your notification settings, for the list and for email",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "notification.own",
  output: NotificationSettingsResponse,
  run: async ({ actor }) => ({ settings: await queries.listNotificationSettings(actor.id) }),
});

export const changeNotificationSettings = defineOperation({
  name: "changeNotificationSettings",
  summary: "Change your notification settings, for the list and for email",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "notification.own",
  input: NotificationSettingsChangeInput,
  output: NotificationSettingsResponse,
  run: async ({ actor }, { settings }) => {
    await notifications.saveNotificationSettings(actor.id, settings);
    return { settings: await queries.listNotificationSettings(actor.id) };
  },
});
