"use client";

import { createContext, useContext, useId } from "react";
import { type FormState, INITIAL_FORM_STATE } from "#lib/design/form-state.ts";

type FormContextValue = {
  /** Begins the id of every field, so that two forms on a page don't clash. */
  id: string;
  state: FormState;
  pending: boolean;
};

export const FormContext = createContext<FormContextValue | null>(null);

/** The form around this component; a form that was never sent where there is none. */
export function useForm(): FormContextValue {
  const standaloneId = useId();
  return useContext(FormContext) ?? { id: standaloneId, state: INITIAL_FORM_STATE, pending: false };
}

/** The id of a field, which the error summary links to. */
export function buildFieldId(formId: string, name: string): string {
  return `${formId}-${name.replace(/[^\w-]/g, "_")}`;
}
