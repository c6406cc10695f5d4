"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  redeliverWebhook,
  rotateWebhookSecret,
  testWebhook,
} from "#lib/webhooks/operations.ts";

const readOrganizationSlug = (form: FormData) => String(form.get("organization") ?? "");

const readPathParamsFromForm = (form: FormData) => ({
  orgSlug: readOrganizationSlug(form),
  webhookId: String(form.get("webhookId") ?? ""),
  deliveryId: String(form.get("deliveryId") ?? ""),
});

const buildListPath = (form: FormData) => `/orgs/${readOrganizationSlug(form)}/webhooks`;
const buildWebhookPath = (form: FormData) =>
  `${buildListPath(form)}/${readPathParamsFromForm(form).webhookId}`;

/** Creates a webhook. The form's response is the only place that ever shows its secret. */
export async function createWebhookAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    createWebhook,
    { orgSlug: readOrganizationSlug(form) },
    form,
    readWebhookInput(form),
  );
  if (!sent.ok) return labelErrors(sent.state, form);
  revalidatePath(buildListPath(form));
  return buildSecretState(sent.result.secret, "created");
}

/** Changes a webhook's URL, the kinds it receives, and its description. */
export async function changeWebhookAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    changeWebhook,
    readPathParamsFromForm(form),
    form,
    readWebhookInput(form),
  );
  if (!sent.ok) return labelErrors(sent.state, form);
  revalidatePath(buildWebhookPath(form));
  return { ok: true, message: (await getTranslator("webhooks"))("changed") };
}

/** Disables a webhook, or enables it again. */
export async function toggleWebhookAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    changeWebhook,
    readPathParamsFromForm(form),
    form,
    ({ enabled }) => ({
      enabled: enabled === "true",
    }),
  );
  if (!sent.ok) return sent.state;
  revalidatePath(buildWebhookPath(form));
  return { ok: true };
}

export async function rotateWebhookSecretAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(rotateWebhookSecret, readPathParamsFromForm(form), form);
  return sent.ok ? buildSecretState(sent.result.secret, "rotated") : sent.state;
}

/** Sends a test delivery; the page then shows it at the top of the log. */
export async function testWebhookAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(testWebhook, readPathParamsFromForm(form), form);
  if (!sent.ok) return sent.state;
  redirect(`${buildWebhookPath(form)}?after=test#deliveries`);
}

export async function redeliverWebhookAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(redeliverWebhook, readPathParamsFromForm(form), form);
  if (!sent.ok) return sent.state;
  redirect(`${buildWebhookPath(form)}?after=redelivered#deliveries`);
}

/** Removes a webhook. A webhook that is already gone is not an error. */
export async function deleteWebhookAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(deleteWebhook, readPathParamsFromForm(form), form);
  if (!sent.ok && sent.code !== "NOT_FOUND") return sent.state;
  redirect(`${buildListPath(form)}?after=removed`);
}

/** The checked kinds are several fields with the same name. */
const readWebhookInput =
  (form: FormData) =>
  ({ url, description }: Record<string, string>) => ({ url, description, kinds: form.getAll("kinds") });

async function buildSecretState(secret: string, how: "created" | "rotated"): Promise<FormState> {
  const t = await getTranslator("webhooks");
  return { ok: true, message: t(`secret.${how}`), values: { secret } };
}

async function labelErrors(state: FormState, form: FormData): Promise<FormState> {
  const t = await getTranslator("webhooks");
  const values = { ...state.values, kinds: form.getAll("kinds").join("\n") };
  const labels = { url: t("field.url"), kinds: t("field.kinds"), description: t("field.description") };
  return labelFieldErrors({ ...state, values }, labels);
}
