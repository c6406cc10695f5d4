import { z } from "zod";
import { Message } from "#lib/accounts/schema.ts";
import { nothing, only, operation } from "#lib/operation/operation.ts";
import { Pagination, pagination } from "#lib/operation/fields.ts";
import * as notifications from "#lib/notifications/notifications.ts";
import * as queries from "#lib/notifications/queries.ts";
import { Notification, NotificationsQuery, Setting, SettingsChange } from "#lib/notifications/schema.ts";
import { idInPath } from "#lib/operation/path-params.ts";
import type { Subject } from "#lib/operation/policy.ts";

/** What one is told of, and how (contract 11.1). */

const notificationScope = only(async (params): Promise<Subject & { notificationId: string }> => ({
  notificationId: idInPath(params.id),
}));

export const listNotifications = operation({
  name: "listNotifications",
  summary: "Your notifications, newest first, and how many are unread",
  on: nothing,
  can: "notification.own",
  input: NotificationsQuery,
  output: z.object({ notifications: z.array(Notification), unread: z.int(), pagination: Pagination }),
  run: async ({ actor }, query) => {
    const found = await queries.listNotifications(actor, query);
    return { ...found, pagination: pagination(query, found.total) };
  },
});

/** For the frame around every page: one query. Programs read it from the list. */
export const countNotifications = operation({
  name: "countNotifications",
  summary: "How many of your notifications are unread",
  on: nothing,
  can: "notification.own",
  output: z.object({ unread: z.int() }),
  run: async ({ actor }) => ({ unread: await queries.countUnread(actor) }),
});

export const readNotification = operation({
  name: "readNotification",
  summary: "Mark a notification as read",
  on: notificationScope,
  can: "notification.own",
  output: z.object({ notification: Notification, unread: z.int() }),
  run: async ({ actor, notificationId }) => ({
    notification: await notifications.markRead(actor, notificationId),
    unread: await queries.countUnread(actor),
  }),
});

export const readAllNotifications = operation({
  name: "readAllNotifications",
  summary: "Mark all your notifications as read",
  on: nothing,
  can: "notification.own",
  output: Message.extend({ unread: z.int() }),
  run: async ({ actor }) => ({
    message: "All notifications are marked as read.",
    unread: await notifications.markAllRead(actor),
  }),
});

export const removeNotification = operation({
  name: "removeNotification",
  summary: "Remove a notification from your list",
  on: notificationScope,
  can: "notification.own",
  output: z.undefined(),
  status: 204,
  run: async ({ actor, notificationId }) => {
    await notifications.removeNotification(actor, notificationId);
    return undefined;
  },
});

const Settings = z.object({ settings: z.array(Setting) });

export const showNotificationSettings = operation({
  name: "showNotificationSettings",
  summary: "What you are told of, in the list and by mail",
  on: nothing,
  can: "notification.own",
  output: Settings,
  run: async ({ actor }) => ({ settings: await queries.settingsOf(actor.id) }),
});

export const changeNotificationSettings = operation({
  name: "changeNotificationSettings",
  summary: "Choose what you are told of, in the list and by mail",
  on: nothing,
  can: "notification.own",
  input: SettingsChange,
  output: Settings,
  run: async ({ actor }, { settings }) => {
    await notifications.saveSettings(actor.id, settings);
    return { settings: await queries.settingsOf(actor.id) };
  },
});
