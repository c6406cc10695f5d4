"use client";

import { type ReactNode, useId } from "react";
import { FormContext } from "#components/ui/form-context.ts";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { HiddenInputs } from "#components/ui/hidden-inputs.tsx";
import { useErrorFocus } from "#components/ui/use-error-focus.ts";
import { type FormState, INITIAL_FORM_STATE } from "#lib/design/form-state.ts";

type Props = {
  /** A route next to the page that responds with a file or a redirect. */
  action: string;
  label: string;
  hidden: Record<string, string>;
  /** State of the form after a refusal. */
  returned: FormState | null;
  children: ReactNode;
};

/**
 * A form that the browser posts itself, with script and without; after a refusal it shows the submitted text
 * again.
 */
export function NativePostForm({ label, hidden, returned, children, ...form }: Props) {
  const id = useId();
  const state = returned ?? INITIAL_FORM_STATE;
  const errors = useErrorFocus(state);
  return (
    <FormContext value={{ id, state, pending: false }}>
      <form {...form} method="post" noValidate aria-label={label} className="grid gap-4">
        <HiddenInputs values={hidden} />
        <FormErrors ref={errors} autoFocus formId={id} state={state} />
        {children}
      </form>
    </FormContext>
  );
}
