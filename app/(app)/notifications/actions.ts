"use server";

import { revalidatePath } from "next/cache";
import { submit } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { readAllNotifications, readNotification, removeNotification } from "#lib/notifications/operations.ts";

const idIn = (form: FormData) => ({ id: String(form.get("id") ?? "") });

export async function readAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(readNotification, idIn(form), form);
  if (!sent.ok && sent.code !== "NOT_FOUND") return sent.state;
  revalidatePath("/", "layout");
  return { ok: true };
}

export async function readAllAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(readAllNotifications, {}, form);
  if (!sent.ok) return sent.state;
  revalidatePath("/", "layout");
  return { ok: true };
}

/** One that is gone already is no reason to complain. */
export async function removeAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(removeNotification, idIn(form), form);
  if (!sent.ok && sent.code !== "NOT_FOUND") return sent.state;
  revalidatePath("/", "layout");
  return { ok: true };
}
