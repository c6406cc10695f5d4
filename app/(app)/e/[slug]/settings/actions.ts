"use server";

import { refresh } from "next/cache";
import { redirect } from "next/navigation";
import { submit, valuesOf } from "#lib/api/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";
import { updateEvent } from "#lib/events/operations.ts";

export async function saveEventAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "" } = valuesOf(form);
  const sent = await submit(updateEvent, { slug }, form, changeOf);
  if (!sent.ok) return inWords(sent.state);
  const { event } = sent.result;
  if (event.slug !== slug) redirect(`/e/${event.slug}/settings`);
  refresh();
  return { ok: true, message: "The event is saved." };
}

export async function removeLogoAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "" } = valuesOf(form);
  const sent = await submit(updateEvent, { slug }, form, () => ({ logo: null }));
  if (!sent.ok) return sent.state;
  refresh();
  return { ok: true };
}

/** A form has texts only: times are in UTC, as the form says, and a box that isn't ticked sends nothing. */
const changeOf = ({ startDate, endDate, isActive, ...texts }: Record<string, string>) => ({
  ...texts,
  startDate: startDate ? `${startDate}:00Z` : null,
  endDate: endDate ? `${endDate}:00Z` : null,
  isActive: isActive === "true",
});

const LABELS: Record<string, string> = {
  name: "The name",
  newSlug: "The address",
  description: "The description",
  startDate: "The start",
  endDate: "The end",
  website: "The website",
  contactEmail: "The contact",
  codeOfConduct: "The code of conduct",
};

function inWords(state: FormState): FormState {
  const named = nameErrors(state, LABELS);
  const { endDate } = named.fieldErrors ?? {};
  if (!endDate?.includes("startDate")) return named;
  return {
    ...named,
    fieldErrors: { ...named.fieldErrors, endDate: "The end must not be before the start." },
  };
}
