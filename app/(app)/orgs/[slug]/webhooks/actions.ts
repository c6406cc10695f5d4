"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { pageWords } from "#components/words/page-words.ts";
import { submit } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  redeliver,
  rotateWebhookSecret,
  testWebhook,
} from "#lib/webhooks/operations.ts";

const orgOf = (form: FormData) => String(form.get("organization") ?? "");

const pathOf = (form: FormData) => ({
  orgSlug: orgOf(form),
  webhookId: String(form.get("webhookId") ?? ""),
  deliveryId: String(form.get("deliveryId") ?? ""),
});

const listOf = (form: FormData) => `/orgs/${orgOf(form)}/webhooks`;
const pageOf = (form: FormData) => `${listOf(form)}/${pathOf(form).webhookId}`;

/** Sets a webhook up; the form's answer is the only place where its secret is ever shown. */
export async function createWebhookAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(createWebhook, { orgSlug: orgOf(form) }, form, wantedIn(form));
  if (!sent.ok) return named(sent.state, form);
  revalidatePath(listOf(form));
  return withSecret(sent.result.secret, "created");
}

/** Changes where a webhook leads, what it is told, and what it is for. */
export async function changeWebhookAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(changeWebhook, pathOf(form), form, wantedIn(form));
  if (!sent.ok) return named(sent.state, form);
  revalidatePath(pageOf(form));
  return { ok: true, message: (await pageWords("webhooks"))("changed") };
}

/** Turns a webhook off, or on again. */
export async function switchWebhookAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(changeWebhook, pathOf(form), form, ({ enabled }) => ({
    enabled: enabled === "true",
  }));
  if (!sent.ok) return sent.state;
  revalidatePath(pageOf(form));
  return { ok: true };
}

export async function rotateSecretAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(rotateWebhookSecret, pathOf(form), form);
  return sent.ok ? withSecret(sent.result.secret, "rotated") : sent.state;
}

/** Sends a test message; the page then shows it on top of the log. */
export async function testWebhookAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(testWebhook, pathOf(form), form);
  if (!sent.ok) return sent.state;
  redirect(`${pageOf(form)}?after=test#deliveries`);
}

export async function redeliverAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(redeliver, pathOf(form), form);
  if (!sent.ok) return sent.state;
  redirect(`${pageOf(form)}?after=redelivered#deliveries`);
}

/** Removes a webhook. One that is gone already is no reason to complain. */
export async function deleteWebhookAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(deleteWebhook, pathOf(form), form);
  if (!sent.ok && sent.code !== "NOT_FOUND") return sent.state;
  redirect(`${listOf(form)}?after=removed`);
}

/** The ticked kinds are several fields of one name. */
const wantedIn =
  (form: FormData) =>
  ({ url, description }: Record<string, string>) => ({ url, description, kinds: form.getAll("kinds") });

async function withSecret(secret: string, how: "created" | "rotated"): Promise<FormState> {
  const t = await pageWords("webhooks");
  return { ok: true, message: t(`secret.${how}`), values: { secret } };
}

async function named(state: FormState, form: FormData): Promise<FormState> {
  const t = await pageWords("webhooks");
  const values = { ...state.values, kinds: form.getAll("kinds").join("\n") };
  const labels = { url: t("field.url"), kinds: t("field.kinds"), description: t("field.description") };
  return nameErrors({ ...state, values }, labels);
}
