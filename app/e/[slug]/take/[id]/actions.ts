"use server";

import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { endDeviceHandOverAndSignOut, findActorWhoHandedOverDevice } from "#lib/http/handed-over-device.ts";
import { confirmIntake } from "#lib/conversations/intake-operations.ts";

/** Records that the person has read their report, and shows them their receipt. */
export async function confirmIntakeAction(_: FormState, form: FormData): Promise<FormState> {
  const path = { slug: String(form.get("slug")), incidentId: String(form.get("incidentId")) };
  const handingOver = await findActorWhoHandedOverDevice(path.incidentId);
  const shape = (values: Record<string, string>) => ({ ...values, openMailbox: "true" });
  const sent = await submitFormToOperation(confirmIntake, path, form, shape, handingOver ?? undefined);
  if (sent.ok) {
    if (handingOver) await endDeviceHandOverAndSignOut();
    redirect("/mailbox");
  }
  const t = await getTranslator("intake");
  return labelFieldErrors(sent.state, {
    description: t("read.description"),
    title: t("subject"),
    location: t("where"),
    parties: t("who"),
    reportedPersonName: t("reportedPerson"),
  });
}
