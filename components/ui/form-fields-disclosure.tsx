"use client";

import type { ReactNode } from "react";
import { isFormSubmissionRejected } from "#lib/design/form-state.ts";
import { Disclosure } from "./disclosure.tsx";
import { useFormContext } from "./form-context.ts";

type Props = {
  summary: ReactNode;
  /** The fields inside, where only a problem with one of them expands it; any refusal by default. */
  names?: readonly string[];
  children: ReactNode;
};

/** Fields of a form that expand under a title; expanded from the start after a refusal, also without script. */
export function FormFieldsDisclosure({ summary, names, children }: Props) {
  const { state } = useFormContext();
  const isConcerned = !names || names.some((name) => state.fieldErrors?.[name] !== undefined);
  return (
    <Disclosure summary={summary} open={isFormSubmissionRejected(state) && isConcerned}>
      {children}
    </Disclosure>
  );
}
