"use server";

import { refresh } from "next/cache";
import { submitFormToOperation, readFormValues } from "#lib/http/form.ts";
import { pinIncident, unpinIncident } from "#lib/incidents/pin-operations.ts";

/** Pins an incident or unpins it; the page stays and refreshes. */
export async function togglePinAction(form: FormData): Promise<void> {
  const { incidentId = "", pinned } = readFormValues(form);
  if (pinned) await submitFormToOperation(unpinIncident, { incidentId }, form);
  else await submitFormToOperation(pinIncident, {}, form);
  refresh();
}
