"use client";

import type { ReactNode } from "react";
import { isFormSubmissionRejected } from "#lib/design/form-state.ts";
import { Disclosure } from "./disclosure.tsx";
import { useFormContext } from "./form-context.ts";

/** Fields of a form that expand under a title; expanded from the start after a refusal, also without script. */
export function FormFieldsDisclosure({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  return (
    <Disclosure summary={summary} open={isFormSubmissionRejected(useFormContext().state)}>
      {children}
    </Disclosure>
  );
}
