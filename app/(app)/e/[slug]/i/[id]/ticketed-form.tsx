import type { ComponentProps } from "react";
import { Form } from "#components/ui/form.tsx";
import type { FormState } from "#lib/design/form-state.ts";
import { VersionConflictRefresher } from "./conflict-refresher.tsx";
import { IncidentVersionField } from "./version-field.tsx";

/** The account to which this page's forms are bound, and a form that it sent when its session was over. */
export type FormAccountBinding = {
  /** Id of the account; unsent text is never shown to another account. */
  writer: string;
  /** The account's id in an opaque form, for whoever receives a form of this page (`sealWriterIdAsFormTicket`). */
  ticket: string;
  /** State of a form that was sent without a session; `values.form` names the form. */
  returned: FormState | null;
};

type Props = Omit<ComponentProps<typeof Form>, "returned" | "hidden"> & {
  writing: FormAccountBinding;
  /** Name of this form among the page's forms. */
  form: string;
  hidden: Record<string, string>;
};

/**
 * A form bound to its writer: no other account can submit it, whoever is signed in by then. Unsent text
 * returns to it for that account only, with the version of the incident it was written for.
 */
export function AccountBoundForm({
  writing: { writer, ticket, returned },
  form,
  hidden,
  children,
  ...rest
}: Props) {
  const ownReturned = findReturnedFormState(form, returned);
  const ifMatch = ownReturned?.values?.ifMatch ?? hidden.ifMatch;
  return (
    <Form key={writer} {...rest} hidden={{ ...hidden, ifMatch: null, form, ticket }} returned={ownReturned}>
      {ifMatch !== undefined && <IncidentVersionField value={ifMatch} />}
      {hidden.incidentId && <VersionConflictRefresher incidentId={hidden.incidentId} />}
      {children}
    </Form>
  );
}

export const findReturnedFormState = (form: string, returned: FormState | null): FormState | null =>
  returned?.values?.form === form ? returned : null;

/** Returns the hidden fields that name an incident. */
export const buildPlaceFields = ({ id, event }: { id: string; event: { slug: string } }) => ({
  slug: event.slug,
  incidentId: id,
});
