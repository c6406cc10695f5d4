"use server";

import { refresh } from "next/cache";
import { submitForm, readFormValues } from "#lib/http/form.ts";
import { pinIncident, unpinIncident } from "#lib/pins/operations.ts";

/** Pins a report, or removes the pin; the page stays where it is and shows how things stand. */
export async function togglePinAction(form: FormData): Promise<void> {
  const { incidentId = "", pinned } = readFormValues(form);
  if (pinned) await submitForm(unpinIncident, { incidentId }, form);
  else await submitForm(pinIncident, {}, form);
  refresh();
}
