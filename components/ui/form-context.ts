"use client";

import { createContext, useContext, useId } from "react";
import { type FormState, INITIAL_FORM_STATE } from "#lib/design/form-state.ts";

type FormContextValue = {
  /** Prefix of every field's id, so that two forms on a page don't collide. */
  id: string;
  state: FormState;
  pending: boolean;
};

export const FormContext = createContext<FormContextValue | null>(null);

/** Returns the form around this component; an unsubmitted form if there is none. */
export function useFormContext(): FormContextValue {
  const standaloneId = useId();
  return useContext(FormContext) ?? { id: standaloneId, state: INITIAL_FORM_STATE, pending: false };
}

/** Returns the id of a field, which the error summary links to. */
export function buildFieldId(formId: string, name: string): string {
  return `${formId}-${name.replace(/[^\w-]/g, "_")}`;
}
