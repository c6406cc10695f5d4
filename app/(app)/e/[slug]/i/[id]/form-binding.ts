import type { FormState } from "#lib/design/form-state.ts";

/** The account to which this page's forms are bound, and a form that it sent when its session was over. */
export type FormAccountBinding = {
  /** Id of the account; unsent text is never shown to another account. */
  writer: string;
  /** The account's id in an opaque form, for whoever receives a form of this page (`sealWriterIdAsFormTicket`). */
  ticket: string;
  /** State of a form that was sent without a session; `values.form` names the form. */
  returned: FormState | null;
};

export const findReturnedFormState = (form: string, returned: FormState | null): FormState | null =>
  returned?.values?.form === form ? returned : null;

/** Returns a function that builds something once for each incident of a request. */
export function buildOncePerIncident<Of extends object, Built>(build: (incident: Of) => Built) {
  const built = new WeakMap<Of, Built>();
  return (incident: Of): Built => {
    const fields = built.get(incident) ?? build(incident);
    built.set(incident, fields);
    return fields;
  };
}

/** Returns the hidden fields that name an incident. */
export const buildPlaceFields = buildOncePerIncident(
  ({ id, event }: { id: string; event: { slug: string } }) => ({ slug: event.slug, incidentId: id }),
);
