"use client";

import type { ComponentProps } from "react";
import { useRouter } from "next/navigation";
import { Form } from "#components/ui/form.tsx";
import { useLiveUpdates } from "#components/live/use-live-events.ts";
import { useFormContext } from "#components/ui/form-context.ts";
import { findReturnedFormState, type FormAccountBinding } from "./form-binding.ts";
import { IncidentVersionField } from "./version-field.tsx";

type Props = Omit<ComponentProps<typeof Form>, "returned" | "hidden"> & {
  writing: FormAccountBinding;
  /** Name of this form among the page's forms. */
  form: string;
  /** Hidden fields that other forms have, too: the same object for all, which React's data in the page then has once. */
  of: Record<string, string>;
  /** Hidden fields of its own. */
  hidden?: Record<string, string>;
};

/**
 * A form bound to its writer: no other account can submit it, whoever is signed in by then. Unsent text
 * returns to it for that account only, with the version of the incident it was written for. A client component, so
 * that React's data in the page holds its props instead of its parts.
 */
export function AccountBoundForm({
  writing: { writer, ticket, returned },
  form,
  of,
  hidden,
  dialog,
  children,
  ...rest
}: Props) {
  const ownReturned = findReturnedFormState(form, returned);
  const ifMatch = ownReturned?.values?.ifMatch ?? of.ifMatch;
  return (
    <Form
      key={writer}
      {...rest}
      dialog={dialog && { id: form, ...dialog, isLinked: true }}
      hidden={{ ...of, ...hidden, ifMatch: null, form, ticket }}
      returned={ownReturned}
    >
      {ifMatch !== undefined && <IncidentVersionField value={ifMatch} />}
      {of.incidentId && <VersionConflictRefresher incidentId={of.incidentId} />}
      {children}
    </Form>
  );
}

/**
 * Placed in a form: while the form shows two versions to choose from, refreshes the page whenever the
 * incident changes.
 */
function VersionConflictRefresher({ incidentId }: { incidentId: string }) {
  const { state } = useFormContext();
  const router = useRouter();
  useLiveUpdates((news) => {
    if (!state.conflict) return;
    if (news.type === "reload" || (news.type === "change" && news.incidentId === incidentId))
      router.refresh();
  });
  return null;
}
