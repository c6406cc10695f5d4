"use server";

import { refresh } from "next/cache";
import { submit, valuesOf } from "#lib/http/form.ts";
import { pinIncident, unpinIncident } from "#lib/pins/operations.ts";

/** Pins a report, or removes the pin; the page stays where it is and shows how things stand. */
export async function pinAction(form: FormData): Promise<void> {
  const { incidentId = "", pinned } = valuesOf(form);
  if (pinned) await submit(unpinIncident, { incidentId }, form);
  else await submit(pinIncident, {}, form);
  refresh();
}
