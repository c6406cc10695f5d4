import { type RefObject, useEffect, useRef } from "react";
import { type FormState, isFormSubmissionRejected } from "#lib/design/form-state.ts";

/** Moves the focus to the errors of a refused form. @returns ref for the element with the errors */
export function useErrorFocus(state: FormState): RefObject<HTMLDivElement | null> {
  const errors = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFormSubmissionRejected(state)) errors.current?.focus();
  }, [state]);
  return errors;
}
