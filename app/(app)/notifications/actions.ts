"use server";

import { revalidatePath } from "next/cache";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import {
  markAllNotificationsRead,
  markNotificationRead,
  removeNotification,
} from "#lib/notifications/operations.ts";

const readNotificationId = (form: FormData) => ({ id: String(form.get("id") ?? "") });

export async function markNotificationReadAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(markNotificationRead, readNotificationId(form), form);
  if (!sent.ok && sent.code !== "NOT_FOUND") return sent.state;
  revalidatePath("/", "layout");
  return { ok: true };
}

export async function markAllNotificationsReadAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(markAllNotificationsRead, {}, form);
  if (!sent.ok) return sent.state;
  revalidatePath("/", "layout");
  return { ok: true };
}

/** Removes a notification. One that is already gone is not an error. */
export async function deleteNotificationAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(removeNotification, readNotificationId(form), form);
  if (!sent.ok && sent.code !== "NOT_FOUND") return sent.state;
  revalidatePath("/", "layout");
  return { ok: true };
}
