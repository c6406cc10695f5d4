import type { ComponentProps } from "react";
import { Form } from "#components/ui/form.tsx";
import type { FormState } from "#lib/design/form-state.ts";
import { VersionRefresher } from "./fresh-versions.tsx";

/** Who writes on this page, and what was not sent for want of a session. */
export type WriterContext = {
  /** Id of the account: nobody else is given what it leaves unsent. */
  writer: string;
  /** Says so, unreadable to others, to whoever takes a form of this page (`createFormTicket`). */
  ticket: string;
  /** What a form that was sent without a session comes back with; `values.form` says which of them. */
  returned: FormState | null;
};

type Props = Omit<ComponentProps<typeof Form>, "returned" | "hidden"> & {
  writing: WriterContext;
  /** Which of the page's forms it is. */
  form: string;
  hidden: Record<string, string>;
};

/**
 * A form that is its writer's: nobody else sends it, whoever is signed in by then, and what was not sent comes back
 * into it for that account alone, together with the version of the report that it was written over.
 */
export function TicketedForm({
  writing: { writer, ticket, returned },
  form,
  hidden,
  children,
  ...rest
}: Props) {
  const ownReturned = findReturnedState(form, returned);
  const ifMatch = ownReturned?.values?.ifMatch ?? hidden.ifMatch;
  return (
    <Form
      key={writer}
      {...rest}
      hidden={{ ...hidden, ...(ifMatch !== undefined && { ifMatch }), form, ticket }}
      returned={ownReturned}
    >
      {hidden.incidentId && <VersionRefresher incidentId={hidden.incidentId} />}
      {children}
    </Form>
  );
}

export const findReturnedState = (form: string, returned: FormState | null): FormState | null =>
  returned?.values?.form === form ? returned : null;
